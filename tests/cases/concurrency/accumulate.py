"""All programs add to one cell: atomically, or by a load and a store that others come between."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def atomic(x, total, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(total, tl.sum(tl.load(x + i, mask=i < n, other=0.0)))


@triton.jit
def plain(x, total, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.sum(tl.load(x + i, mask=i < n, other=0.0))
    tl.store(total, tl.load(total) + s)


@argus.launch("x: f32[n]")
def ok(x):
    total = torch.zeros((1,), dtype=torch.float32, device=x.device)
    atomic[(triton.cdiv(x.shape[0], 16),)](x, total, x.shape[0], B=16)
    return total


@argus.launch("x: f32[n]")
def bug(x):
    total = torch.zeros((1,), dtype=torch.float32, device=x.device)
    plain[(triton.cdiv(x.shape[0], 16),)](x, total, x.shape[0], B=16)
    return total
