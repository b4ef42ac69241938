"""A grid of rows by columns; the faulty kernel multiplies the wrong axis by the number of columns."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def right(y, M, N):
    at = tl.program_id(0) * N + tl.program_id(1)
    tl.store(y + at, at)


@triton.jit
def swapped(y, M, N):
    at = tl.program_id(1) * N + tl.program_id(0)
    if at < M * N:
        tl.store(y + at, tl.program_id(0))


@argus.launch("y: i32[M, N] out")
def ok(y):
    M, N = y.shape
    right[(M, N)](y, M, N)


@argus.launch("y: i32[M, N] out")
def bug(y):
    M, N = y.shape
    swapped[(M, N)](y, M, N)
