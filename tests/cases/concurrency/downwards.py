"""A persistent loop from the last tile down; the faulty one starts one too high and so never writes tile 0 where it should."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def down(y, n, tiles, PROGRAMS: tl.constexpr, HIGH: tl.constexpr, B: tl.constexpr):
    pid = tl.program_id(0)
    for tile in range(tiles - 1 + HIGH - pid, -1 + HIGH, -PROGRAMS):
        i = tile * B + tl.arange(0, B)
        tl.store(y + i, pid, mask=i < n)


@argus.launch("y: i32[n] out")
def ok(y):
    down[(4,)](y, y.shape[0], triton.cdiv(y.shape[0], 16), PROGRAMS=4, HIGH=0, B=16)


@argus.launch("y: i32[n] out")
def bug(y):
    down[(4,)](y, y.shape[0], triton.cdiv(y.shape[0], 16), PROGRAMS=4, HIGH=1, B=16)
