"""Splits add their sums atomically to cleared memory; the faulty launcher does not clear it."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def add(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + tl.program_id(1) * n + i, mask=i < n, other=0.0)
    tl.atomic_add(y + i, v, mask=i < n)


@argus.launch("x: f32[S, n]")
def ok(x):
    S, n = x.shape
    y = torch.zeros((n,), dtype=torch.float32, device=x.device)
    add[(triton.cdiv(n, 16), S)](x, y, n, B=16)
    return y


@argus.launch("x: f32[S, n]")
def bug(x):
    S, n = x.shape
    y = torch.empty((n,), dtype=torch.float32, device=x.device)
    add[(triton.cdiv(n, 16), S)](x, y, n, B=16)
    return y
