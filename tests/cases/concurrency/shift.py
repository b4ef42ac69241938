"""`y[i] = x[i + 1]`: fine from one tensor to another, a race where both are the same."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def shift(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i + 1, mask=i < n - 1, other=0.0)
    tl.store(y + i, v, mask=i < n)


@argus.launch("x: f32[n], y: f32[n] out")
def ok(x, y):
    shift[(triton.cdiv(x.shape[0], 16),)](x, y, x.shape[0], B=16)


@argus.launch("x: f32[n] inout")
def bug(x):
    shift[(triton.cdiv(x.shape[0], 16),)](x, x, x.shape[0], B=16)
