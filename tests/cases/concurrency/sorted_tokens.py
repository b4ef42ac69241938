"""Rows of tokens sorted by expert, ids distinct but for the padding `T`; the faulty signature lets ids repeat."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def rows(ids, x, y, T, N, B: tl.constexpr):
    id = tl.load(ids + tl.program_id(0))
    c = tl.arange(0, B)
    inside = (id < T) & (c < N)
    v = tl.load(x + tl.program_id(0) * N + c, mask=c < N, other=0.0)
    tl.store(y + id * N + c, v, mask=inside)


@argus.launch("ids: i32[P] in [0, T] distinct except T, x: f32[P, N], y: f32[T, N] inout where N <= 32")
def ok(ids, x, y):
    P, N = x.shape
    rows[(P,)](ids, x, y, y.shape[0], N, B=32)


@argus.launch("ids: i32[P] in [0, T], x: f32[P, N], y: f32[T, N] inout where N <= 32")
def bug(ids, x, y):
    P, N = x.shape
    rows[(P,)](ids, x, y, y.shape[0], N, B=32)
