"""A copy between two views of one storage: halves that meet at an edge, or views that overlap by all but one element."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def copy(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


@argus.launch("x: f32[2 * n] inout")
def ok(x):
    n = x.shape[0] // 2
    copy[(triton.cdiv(n, 16),)](x[:n], x[n:], n, B=16)


@argus.launch("x: f32[n] inout where n >= 2")
def bug(x):
    n = x.shape[0] - 1
    copy[(triton.cdiv(n, 16),)](x[:n], x[1:], n, B=16)
