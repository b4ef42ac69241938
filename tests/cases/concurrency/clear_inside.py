"""Atomic sums into a cell that the host cleared; the faulty kernel's first program clears it while others may have added."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def cleared_before(x, total, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(total, tl.sum(tl.load(x + i, mask=i < n, other=0.0)))


@triton.jit
def cleared_inside(x, total, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    if tl.program_id(0) == 0:
        tl.store(total, 0.0)
        tl.debug_barrier()
    tl.atomic_add(total, tl.sum(tl.load(x + i, mask=i < n, other=0.0)))


@argus.launch("x: f32[n]")
def ok(x):
    total = torch.zeros((1,), dtype=torch.float32, device=x.device)
    cleared_before[(triton.cdiv(x.shape[0], 16),)](x, total, x.shape[0], B=16)
    return total


@argus.launch("x: f32[n]")
def bug(x):
    total = torch.zeros((1,), dtype=torch.float32, device=x.device)
    cleared_inside[(triton.cdiv(x.shape[0], 16),)](x, total, x.shape[0], B=16)
    return total
