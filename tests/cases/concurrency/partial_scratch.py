"""Scratch that is written in full before it is read; the faulty launcher's first kernel stops at the last full block."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def copy(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


@argus.launch("x: i32[n], y: i32[n] out where n >= 16")
def ok(x, y):
    n = x.shape[0]
    mid = torch.empty((n,), dtype=torch.int32, device=x.device)
    copy[(triton.cdiv(n, 16),)](x, mid, n, B=16)
    copy[(triton.cdiv(n, 16),)](mid, y, n, B=16)


@argus.launch("x: i32[n], y: i32[n] out where n >= 16")
def bug(x, y):
    n = x.shape[0]
    mid = torch.empty((n,), dtype=torch.int32, device=x.device)
    copy[(n // 16,)](x, mid, n, B=16)
    copy[(triton.cdiv(n, 16),)](mid, y, n, B=16)
