"""The tail by mask; the faulty kernel clamps the index instead, and all lanes past the end write the last element."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def masked(y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, i * 2, mask=i < n)


@triton.jit
def clamped(y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + tl.minimum(i, n - 1), i * 2)


@argus.launch("y: i32[n] out")
def ok(y):
    masked[(triton.cdiv(y.shape[0], 16),)](y, y.shape[0], B=16)


@argus.launch("y: i32[n] out")
def bug(y):
    clamped[(triton.cdiv(y.shape[0], 16),)](y, y.shape[0], B=16)
