"""A tall matrix stored with its own strides, and with row and column stride exchanged by the launcher."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def fill(y, M, N, stride_m, stride_n, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.arange(0, B)
    inside = (r < M)[:, None] & (c < N)[None, :]
    tl.store(y + r[:, None] * stride_m + c[None, :] * stride_n, r[:, None] + 0 * c[None, :], mask=inside)


@argus.launch("y: i32[M, N] out where N <= 16, N < M")
def ok(y):
    M, N = y.shape
    fill[(triton.cdiv(M, 16),)](y, M, N, y.stride(0), y.stride(1), B=16)


@argus.launch("y: i32[M, N] out where N <= 16, N < M")
def bug(y):
    M, N = y.shape
    fill[(triton.cdiv(M, 16),)](y, M, N, y.stride(1), y.stride(0), B=16)
