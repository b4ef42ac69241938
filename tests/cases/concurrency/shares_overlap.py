"""Shares of `cdiv(n, 4)` elements with their ends clipped; the faulty kernel starts them at multiples of `n // 4`."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def share(y, n, first, each, B: tl.constexpr):
    pid = tl.program_id(0)
    i = tl.arange(0, B)
    at = pid * first + i
    tl.store(y + at, pid, mask=(i < each) & (at < n))


@argus.launch("y: i32[n] out where n <= 128")
def ok(y):
    n = y.shape[0]
    share[(4,)](y, n, triton.cdiv(n, 4), triton.cdiv(n, 4), B=32)


@argus.launch("y: i32[n] out where n <= 128")
def bug(y):
    n = y.shape[0]
    share[(4,)](y, n, n // 4, triton.cdiv(n, 4), B=32)
