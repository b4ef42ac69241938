"""Kernels whose argument `n` Triton makes a constant where it is 1."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def plain(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i * n, 1.0, mask=i < n)


@triton.jit
def static_choice(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    if n == 1:
        tl.store(x + i, 1.0)
    else:
        tl.store(x + i * n, 2.0, mask=i < n)


@triton.jit
def overflowing(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i + (n + 0) * B * 1000000000, 1.0)


@triton.jit
def division(x, n, B: tl.constexpr):
    i = tl.program_id(0)
    tl.store(x + i // tl.cdiv(n, B) + i % n, 1.0)


@triton.jit
def looped(x, n, B: tl.constexpr):
    for k in range(0, n, B):
        i = k + tl.arange(0, B)
        tl.store(x + i, 1.0, mask=i < n)
