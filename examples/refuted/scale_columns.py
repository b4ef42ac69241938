"""Columns scaled by a vector, with a mask that forgets which block of columns the program works on."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def scale_kernel(x_ptr, scale_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    cols = tl.program_id(1) * BLOCK + lanes
    mask = lanes < n_cols  # should be cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask)
    scale = tl.load(scale_ptr + cols, mask=mask)
    tl.store(out_ptr + row * n_cols + cols, x * scale, mask=mask)


@argus.launch("x: f32[M, N], scale: f32[N]")
def scale_columns(x, scale):
    out = torch.empty_like(x)
    rows, n_cols = x.shape
    scale_kernel[(rows, triton.cdiv(n_cols, 128))](x, scale, out, n_cols, BLOCK=128)
    return out
