"""A row turned by one place within a program: lanes must have read before their neighbours write."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def rotate(x, N, BARRIER: tl.constexpr, B: tl.constexpr):
    c = tl.arange(0, B)
    row = x + tl.program_id(0) * N
    v = tl.load(row + c, mask=c < N, other=0)
    if BARRIER:
        tl.debug_barrier()
    tl.store(row + (c + 1) % N, v, mask=c < N)


@argus.launch("x: i32[M, N] inout where N <= 32")
def ok(x):
    M, N = x.shape
    rotate[(M,)](x, N, BARRIER=True, B=32)


@argus.launch("x: i32[M, N] inout where N <= 32")
def bug(x):
    M, N = x.shape
    rotate[(M,)](x, N, BARRIER=False, B=32)
