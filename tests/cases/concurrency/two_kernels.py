"""A second launch reads what the first left; the faulty one does both in one launch."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def first(x, mid, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(mid + i, tl.load(x + i, mask=i < n, other=0) + 1, mask=i < n)


@triton.jit
def second(mid, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(mid + n - 1 - i, mask=i < n, other=0), mask=i < n)


@triton.jit
def together(x, mid, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(mid + i, tl.load(x + i, mask=i < n, other=0) + 1, mask=i < n)
    tl.debug_barrier()
    tl.store(y + i, tl.load(mid + n - 1 - i, mask=i < n, other=0), mask=i < n)


@argus.launch("x: i32[n], y: i32[n] out")
def ok(x, y):
    n = x.shape[0]
    mid = torch.zeros((n,), dtype=torch.int32, device=x.device)
    first[(triton.cdiv(n, 16),)](x, mid, n, B=16)
    second[(triton.cdiv(n, 16),)](mid, y, n, B=16)


@argus.launch("x: i32[n], y: i32[n] out")
def bug(x, y):
    n = x.shape[0]
    mid = torch.zeros((n,), dtype=torch.int32, device=x.device)
    together[(triton.cdiv(n, 16),)](x, mid, y, n, B=16)
