"""Loops that end, that may end, and one that never does: what stands behind them is only proved of runs that get there."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def waits_for_nobody(x, flag, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    while tl.atomic_cas(flag, 1, 1) != 1:
        pass
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def waits_for_the_first(x, flag, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    if tl.program_id(0) == 0:
        tl.atomic_xchg(flag, 1)
    while tl.atomic_cas(flag, 1, 1) != 1:
        pass
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def asked_before(x, y, n, m, B: tl.constexpr):
    i = tl.arange(0, B)
    k = 0
    if m <= n:
        tl.store(y + i, tl.load(x + i))
    while k < m:
        k += 1
    tl.store(y + B + i, tl.load(x + i))


@triton.jit
def asked_after(x, y, n, m, B: tl.constexpr):
    i = tl.arange(0, B)
    k = 0
    while k < m:
        k += 1
    if k >= m:
        tl.store(y + i, tl.load(x + i))
    if k <= n:
        tl.store(y + B + i, tl.load(x + i))


def flag_of(x):
    return torch.zeros((1,), dtype=torch.int32, device=x.device)


@argus.launch("x: f32[n], y: f32[n] out")
def never(x, y):
    waits_for_nobody[(triton.cdiv(x.shape[0], 16),)](x, flag_of(x), y, x.shape[0], B=16)


@argus.launch("x: f32[n], y: f32[n] out")
def first(x, y):
    waits_for_the_first[(triton.cdiv(x.shape[0], 16),)](x, flag_of(x), y, x.shape[0], B=16)


@argus.launch("x: f32[16], y: f32[32] out, n: int, m: int in [1, 100]")
def before(x, y, n, m):
    asked_before[(1,)](x, y, n, m, B=16)


@argus.launch("x: f32[16], y: f32[32] out, n: int, m: int in [1, 100]")
def after(x, y, n, m):
    asked_after[(1,)](x, y, n, m, B=16)
