"""Blocks of rows; the faulty kernel also writes the first row of the block below."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def rows(y, M, N, MORE: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    r = tl.arange(0, 2 * R)
    c = tl.arange(0, B)
    row = tl.program_id(0) * R + r
    inside = ((r < R + MORE) & (row < M))[:, None] & (c < N)[None, :]
    tl.store(y + row[:, None] * N + c[None, :], tl.program_id(0), mask=inside)


@argus.launch("y: i32[M, N] out where N <= 16")
def ok(y):
    M, N = y.shape
    rows[(triton.cdiv(M, 4),)](y, M, N, MORE=0, R=4, B=16)


@argus.launch("y: i32[M, N] out where N <= 16")
def bug(y):
    M, N = y.shape
    rows[(triton.cdiv(M, 4),)](y, M, N, MORE=1, R=4, B=16)
