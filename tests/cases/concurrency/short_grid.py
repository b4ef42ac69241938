"""Enough programs for the tail; the faulty launcher rounds down."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def fill(y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, i, mask=i < n)


@argus.launch("y: i32[n] out where n >= 16")
def ok(y):
    fill[(triton.cdiv(y.shape[0], 16),)](y, y.shape[0], B=16)


@argus.launch("y: i32[n] out where n >= 16")
def bug(y):
    fill[(y.shape[0] // 16,)](y, y.shape[0], B=16)
