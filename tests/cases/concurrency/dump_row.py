"""Padding tokens are masked out; the faulty kernel sends all of them to one spare row."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def masked(x, slot, y, n, S, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    at = tl.load(slot + i, mask=i < n, other=-1)
    tl.store(y + at, i, mask=(i < n) & (at >= 0))


@triton.jit
def dumped(x, slot, y, n, S, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    at = tl.load(slot + i, mask=i < n, other=-1)
    tl.store(y + tl.where(at >= 0, at, S), i, mask=i < n)


@argus.launch("x: f32[n], slot: i32[n] in [-1, S) distinct except -1, y: i32[S + 1] inout")
def ok(x, slot, y):
    n = slot.shape[0]
    masked[(triton.cdiv(n, 16),)](x, slot, y, n, y.shape[0] - 1, B=16)


@argus.launch("x: f32[n], slot: i32[n] in [-1, S) distinct except -1, y: i32[S + 1] inout")
def bug(x, slot, y):
    n = slot.shape[0]
    dumped[(triton.cdiv(n, 16),)](x, slot, y, n, y.shape[0] - 1, B=16)
