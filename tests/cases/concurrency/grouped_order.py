"""Tiles in groups of rows for cache reuse; the faulty kernel takes the last, smaller group for a full one."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def clipped(y, tiles_m, tiles_n, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    in_group = GROUP * tiles_n
    first = pid // in_group * GROUP
    rows = min(tiles_m - first, GROUP)
    m = first + pid % in_group % rows
    n = pid % in_group // rows
    tl.store(y + m * tiles_n + n, pid)


@triton.jit
def unclipped(y, tiles_m, tiles_n, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    in_group = GROUP * tiles_n
    first = pid // in_group * GROUP
    m = first + pid % in_group % GROUP
    n = pid % in_group // GROUP
    if m < tiles_m:
        tl.store(y + m * tiles_n + n, pid)


@argus.launch("y: i32[M, N] out")
def ok(y):
    M, N = y.shape
    clipped[(M * N,)](y, M, N, GROUP=4)


@argus.launch("y: i32[M, N] out")
def bug(y):
    M, N = y.shape
    unclipped[(M * N,)](y, M, N, GROUP=4)
