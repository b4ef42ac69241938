"""Rows of a matrix, and rows of an expanded tensor, which all lie at the same place."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def fill(y, stride, N, B: tl.constexpr):
    c = tl.arange(0, B)
    tl.store(y + tl.program_id(0) * stride + c, tl.program_id(0), mask=c < N)


@argus.launch("x: i32[M, N] where N <= 32")
def ok(x):
    M, N = x.shape
    y = torch.empty((M, N), dtype=torch.int32, device=x.device)
    fill[(M,)](y, y.stride(0), N, B=32)
    return y


@argus.launch("x: i32[M, N] where N <= 32")
def bug(x):
    M, N = x.shape
    y = torch.empty((N,), dtype=torch.int32, device=x.device).expand(M, N)
    fill[(M,)](y, y.stride(0), N, B=32)
    return y
