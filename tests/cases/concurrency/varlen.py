"""Sequences side by side, found by their offsets, which must not decrease; the faulty signature does not say so."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def fill(offsets, y, B: tl.constexpr):
    seq = tl.program_id(0)
    start = tl.load(offsets + seq)
    end = tl.load(offsets + seq + 1)
    i = start + tl.program_id(1) * B + tl.arange(0, B)
    tl.store(y + i, seq, mask=i < end)


@argus.launch("offsets: i32[S + 1] in [0, T] nondecreasing, y: i32[T] inout")
def ok(offsets, y):
    fill[(offsets.shape[0] - 1, triton.cdiv(y.shape[0], 16))](offsets, y, B=16)


@argus.launch("offsets: i32[S + 1] in [0, T], y: i32[T] inout")
def bug(offsets, y):
    fill[(offsets.shape[0] - 1, triton.cdiv(y.shape[0], 16))](offsets, y, B=16)
