"""Lanes past the end repeat the last element with the same value; the faulty launch has a program too many that differs."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def repeated(y, n, B: tl.constexpr):
    i = tl.minimum(tl.program_id(0) * B + tl.arange(0, B), n - 1)
    tl.store(y + i, i * 2)


@triton.jit
def signed(y, n, B: tl.constexpr):
    i = tl.minimum(tl.program_id(0) * B + tl.arange(0, B), n - 1)
    tl.store(y + i, i * 2 + tl.program_id(0))


@argus.launch("y: i32[n] out")
def ok(y):
    repeated[(triton.cdiv(y.shape[0], 16),)](y, y.shape[0], B=16)


@argus.launch("y: i32[n] out")
def bug(y):
    signed[(triton.cdiv(y.shape[0], 16) + 1,)](y, y.shape[0], B=16)
