"""Reads at any indices are fine; writes at any indices are not."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def gather(x, index, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    at = tl.load(index + i, mask=i < n, other=0)
    tl.store(y + i, tl.load(x + at, mask=i < n, other=0.0), mask=i < n)


@triton.jit
def scatter(x, index, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    at = tl.load(index + i, mask=i < n, other=0)
    tl.store(y + at, tl.load(x + i, mask=i < n, other=0.0), mask=i < n)


@argus.launch("x: f32[V], index: i32[n] in [0, V), y: f32[n] out")
def ok(x, index, y):
    n = index.shape[0]
    gather[(triton.cdiv(n, 16),)](x, index, y, n, B=16)


@argus.launch("x: f32[n], index: i32[n] in [0, V), y: f32[V] inout")
def bug(x, index, y):
    n = index.shape[0]
    scatter[(triton.cdiv(n, 16),)](x, index, y, n, B=16)
