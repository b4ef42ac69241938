"""Loops over the rows of a program's own band; in the faulty kernel two programs share a band by rounding down."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def band(y, M, N, SHARE: tl.constexpr, B: tl.constexpr):
    pid = tl.program_id(0)
    c = tl.arange(0, B)
    start = pid // SHARE * 3
    for k in range(0, 3):
        row = start + k
        tl.store(y + row * N + c, pid, mask=(c < N) & (row < M))


@argus.launch("y: i32[M, N] out where N <= 32")
def ok(y):
    M, N = y.shape
    band[(triton.cdiv(M, 3),)](y, M, N, SHARE=1, B=32)


@argus.launch("y: i32[M, N] out where N <= 32")
def bug(y):
    M, N = y.shape
    band[(2 * triton.cdiv(M, 3),)](y, M, N, SHARE=2, B=32)
