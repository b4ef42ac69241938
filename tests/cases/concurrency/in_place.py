"""Element by element in place; the faulty kernel reverses in place, so that programs read what others write."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def double(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(x + i, v * 2, mask=i < n)


@triton.jit
def reverse(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + n - 1 - i, mask=i < n, other=0.0)
    tl.store(x + i, v, mask=i < n)


@argus.launch("x: f32[n] inout")
def ok(x):
    double[(triton.cdiv(x.shape[0], 16),)](x, x.shape[0], B=16)


@argus.launch("x: f32[n] inout")
def bug(x):
    reverse[(triton.cdiv(x.shape[0], 16),)](x, x.shape[0], B=16)
