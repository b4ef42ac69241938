"""Each program writes the rows of its share in a loop; the faulty loop runs once too often, into the next share."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def shares(y, m, N, MORE: tl.constexpr, B: tl.constexpr):
    pid = tl.program_id(0)
    c = tl.arange(0, B)
    rows = m * tl.num_programs(0)
    for k in range(0, m + MORE):
        row = pid * m + k
        tl.store(y + row * N + c, pid, mask=(c < N) & (row < rows))


@argus.launch("y: i32[P, m, N] out where N <= 32")
def ok(y):
    P, m, N = y.shape
    shares[(P,)](y, m, N, MORE=0, B=32)


@argus.launch("y: i32[P, m, N] out where N <= 32")
def bug(y):
    P, m, N = y.shape
    shares[(P,)](y, m, N, MORE=1, B=32)
