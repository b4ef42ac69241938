"""Sums at data-dependent places: by atomics, or by load, add and store, which lose contributions."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def atomic(x, index, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    at = tl.load(index + i, mask=i < n, other=0)
    tl.atomic_add(y + at, tl.load(x + i, mask=i < n, other=0.0), mask=i < n)


@triton.jit
def plain(x, index, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    at = tl.load(index + i, mask=i < n, other=0)
    old = tl.load(y + at, mask=i < n, other=0.0)
    tl.store(y + at, old + tl.load(x + i, mask=i < n, other=0.0), mask=i < n)


@argus.launch("x: f32[n], index: i32[n] in [0, V), y: f32[V] inout")
def ok(x, index, y):
    n = index.shape[0]
    atomic[(triton.cdiv(n, 16),)](x, index, y, n, B=16)


@argus.launch("x: f32[n], index: i32[n] in [0, V), y: f32[V] inout")
def bug(x, index, y):
    n = index.shape[0]
    plain[(triton.cdiv(n, 16),)](x, index, y, n, B=16)
