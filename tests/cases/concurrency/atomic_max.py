"""The largest value of each column over all rows, by masked atomics, or by load, maximum and store."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def atomic(x, best, n, B: tl.constexpr):
    c = tl.arange(0, B)
    v = tl.load(x + tl.program_id(0) * n + c, mask=c < n, other=0)
    tl.atomic_max(best + c, v, mask=(c < n) & (v > 0))


@triton.jit
def plain(x, best, n, B: tl.constexpr):
    c = tl.arange(0, B)
    v = tl.load(x + tl.program_id(0) * n + c, mask=c < n, other=0)
    old = tl.load(best + c, mask=c < n, other=0)
    tl.store(best + c, tl.maximum(v, old), mask=(c < n) & (v > old))


@argus.launch("x: i32[M, n] where n <= 32")
def ok(x):
    M, n = x.shape
    best = torch.zeros((n,), dtype=torch.int32, device=x.device)
    atomic[(M,)](x, best, n, B=32)
    return best


@argus.launch("x: i32[M, n] where n <= 32")
def bug(x):
    M, n = x.shape
    best = torch.zeros((n,), dtype=torch.int32, device=x.device)
    plain[(M,)](x, best, n, B=32)
    return best
