"""Lanes past the end are masked; the faulty kernel folds them back to the start by `% n`."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def masked(y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, i, mask=i < n)


@triton.jit
def folded(y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i % n, i)


@argus.launch("y: i32[n] out where n <= 32")
def ok(y):
    masked[(1,)](y, y.shape[0], B=32)


@argus.launch("y: i32[n] out where n <= 32")
def bug(y):
    folded[(1,)](y, y.shape[0], B=32)
