"""Splits store partial sums that a second kernel adds up; in the faulty file a split without work stores nothing."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def parts(x, part, n, K, each, SKIP: tl.constexpr, B: tl.constexpr):
    split = tl.program_id(1)
    i = tl.program_id(0) * B + tl.arange(0, B)
    if SKIP:
        if split * each >= K:
            return
    s = tl.zeros((B,), dtype=tl.float32)
    for k in range(split * each, min(split * each + each, K)):
        s += tl.load(x + k * n + i, mask=i < n, other=0.0)
    tl.store(part + split * n + i, s, mask=i < n)


@triton.jit
def total(part, y, n, S, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.zeros((B,), dtype=tl.float32)
    for split in range(0, S):
        s += tl.load(part + split * n + i, mask=i < n, other=0.0)
    tl.store(y + i, s, mask=i < n)


@argus.launch("x: f32[K, n], y: f32[n] out")
def ok(x, y):
    K, n = x.shape
    part = torch.empty((4, n), dtype=torch.float32, device=x.device)
    parts[(triton.cdiv(n, 16), 4)](x, part, n, K, triton.cdiv(K, 4), SKIP=False, B=16)
    total[(triton.cdiv(n, 16),)](part, y, n, 4, B=16)


@argus.launch("x: f32[K, n], y: f32[n] out")
def bug(x, y):
    K, n = x.shape
    part = torch.empty((4, n), dtype=torch.float32, device=x.device)
    parts[(triton.cdiv(n, 16), 4)](x, part, n, K, triton.cdiv(K, 4), SKIP=True, B=16)
    total[(triton.cdiv(n, 16),)](part, y, n, 4, B=16)
