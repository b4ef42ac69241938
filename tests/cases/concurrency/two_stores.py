"""Two stores of one kernel: to two tensors, or to one, where the second reaches into the next program's block."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def twice(y, z, n, ahead, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, i, mask=i < n)
    j = i + ahead
    tl.store(z + j, tl.program_id(0) - 1, mask=j < n)


@argus.launch("y: i32[n] out, z: i32[n] inout")
def ok(y, z):
    twice[(triton.cdiv(y.shape[0], 16),)](y, z, y.shape[0], 4, B=16)


@argus.launch("y: i32[n] out")
def bug(y):
    twice[(triton.cdiv(y.shape[0], 16),)](y, y, y.shape[0], 4, B=16)
