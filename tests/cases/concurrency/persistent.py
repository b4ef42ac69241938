"""A fixed number of programs shares all tiles; the faulty loop's step is one less than their number."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def strided(y, n, tiles, LESS: tl.constexpr, B: tl.constexpr):
    pid = tl.program_id(0)
    for tile in range(pid, tiles, tl.num_programs(0) - LESS):
        i = tile * B + tl.arange(0, B)
        tl.store(y + i, pid, mask=i < n)


@argus.launch("y: i32[n] out")
def ok(y):
    strided[(4,)](y, y.shape[0], triton.cdiv(y.shape[0], 16), LESS=0, B=16)


@argus.launch("y: i32[n] out")
def bug(y):
    strided[(4,)](y, y.shape[0], triton.cdiv(y.shape[0], 16), LESS=1, B=16)
