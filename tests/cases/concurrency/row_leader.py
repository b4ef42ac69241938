"""One program of each row stores the row's mark; in the faulty kernel all programs of the row do, each its own."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def leader(marks, y, N, B: tl.constexpr):
    row, block = tl.program_id(0), tl.program_id(1)
    c = block * B + tl.arange(0, B)
    tl.store(y + row * N + c, row, mask=c < N)
    if block == 0:
        tl.store(marks + row, block)


@triton.jit
def everyone(marks, y, N, B: tl.constexpr):
    row, block = tl.program_id(0), tl.program_id(1)
    c = block * B + tl.arange(0, B)
    tl.store(y + row * N + c, row, mask=c < N)
    tl.store(marks + row, block)


@argus.launch("marks: i32[M] out, y: i32[M, N] out")
def ok(marks, y):
    M, N = y.shape
    leader[(M, triton.cdiv(N, 16))](marks, y, N, B=16)


@argus.launch("marks: i32[M] out, y: i32[M, N] out")
def bug(marks, y):
    M, N = y.shape
    everyone[(M, triton.cdiv(N, 16))](marks, y, N, B=16)
