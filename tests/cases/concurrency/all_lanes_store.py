"""All lanes store the sum of the row, which is one value; the faulty kernel's lanes each store their own."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def total(x, y, N, B: tl.constexpr):
    c = tl.arange(0, B)
    v = tl.load(x + tl.program_id(0) * N + c, mask=c < N, other=0)
    s = tl.sum(v, 0)
    tl.store(y + tl.program_id(0) + c * 0, s + c * 0)


@triton.jit
def own(x, y, N, B: tl.constexpr):
    c = tl.arange(0, B)
    v = tl.load(x + tl.program_id(0) * N + c, mask=c < N, other=0)
    tl.store(y + tl.program_id(0) + c * 0, v + c)


@argus.launch("x: i32[M, N], y: i32[M] out where N <= 32")
def ok(x, y):
    M, N = x.shape
    total[(M,)](x, y, N, B=32)


@argus.launch("x: i32[M, N], y: i32[M] out where N <= 32")
def bug(x, y):
    M, N = x.shape
    own[(M,)](x, y, N, B=32)
