"""Slots that are distinct except for the padding value -1: skipped, or clamped to slot 0, which then has several writers."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def skipped(x, slot, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    at = tl.load(slot + i, mask=i < n, other=-1)
    tl.store(y + at, tl.load(x + i, mask=i < n, other=0.0), mask=(i < n) & (at >= 0))


@triton.jit
def clamped(x, slot, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    at = tl.load(slot + i, mask=i < n, other=-1)
    tl.store(y + tl.maximum(at, 0), tl.load(x + i, mask=i < n, other=0.0), mask=i < n)


@argus.launch("x: f32[n], slot: i32[n] in [-1, V) distinct except -1, y: f32[V] inout")
def ok(x, slot, y):
    n = slot.shape[0]
    skipped[(triton.cdiv(n, 16),)](x, slot, y, n, B=16)


@argus.launch("x: f32[n], slot: i32[n] in [-1, V) distinct except -1, y: f32[V] inout")
def bug(x, slot, y):
    n = slot.shape[0]
    clamped[(triton.cdiv(n, 16),)](x, slot, y, n, B=16)
