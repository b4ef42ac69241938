"""The last tile first; the faulty kernel folds the row of tiles in the middle."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def reversed_order(y, n, B: tl.constexpr):
    tile = tl.num_programs(0) - 1 - tl.program_id(0)
    i = tile * B + tl.arange(0, B)
    tl.store(y + i, tl.program_id(0), mask=i < n)


@triton.jit
def folded(y, n, B: tl.constexpr):
    tile = tl.abs(tl.num_programs(0) - 1 - 2 * tl.program_id(0))
    i = tile * B + tl.arange(0, B)
    tl.store(y + i, tl.program_id(0), mask=i < n)


@argus.launch("y: i32[n] out")
def ok(y):
    reversed_order[(triton.cdiv(y.shape[0], 16),)](y, y.shape[0], B=16)


@argus.launch("y: i32[n] out")
def bug(y):
    folded[(triton.cdiv(y.shape[0], 16),)](y, y.shape[0], B=16)
