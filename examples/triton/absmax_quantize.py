"""Quantise activations to int8 with one scale for each group of columns; the last group of a row may be short."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def quantize_kernel(
    x_ptr, q_ptr, scale_ptr, n_rows, n_cols, stride_xm, stride_xn, stride_qm, stride_sm,
    GROUP: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    group = tl.program_id(1)
    cols = group * GROUP + tl.arange(0, GROUP)
    row_mask = rows < n_rows
    mask = row_mask[:, None] & (cols < n_cols)[None, :]
    x = tl.load(x_ptr + rows[:, None] * stride_xm + cols[None, :] * stride_xn, mask=mask, other=0.0).to(tl.float32)
    absmax = tl.max(tl.abs(x), axis=1)
    scale = tl.maximum(absmax, 1e-10) / 127.0
    q = x / scale[:, None]
    q = tl.where(q >= 0, q + 0.5, q - 0.5).to(tl.int8)
    tl.store(q_ptr + rows[:, None] * stride_qm + cols[None, :], q, mask=mask)
    tl.store(scale_ptr + rows * stride_sm + group, scale, mask=row_mask)


@argus.launch("x: f16[M, N] strided")
def absmax_quantize(x):
    """Returns the int8 numbers and the scales; x is about q * scale of its group."""
    n_rows, n_cols = x.shape
    groups = triton.cdiv(n_cols, 128)
    q = torch.empty((n_rows, n_cols), dtype=torch.int8, device=x.device)
    scales = torch.empty((n_rows, groups), dtype=torch.float32, device=x.device)
    grid = (triton.cdiv(n_rows, 8), groups)
    quantize_kernel[grid](x, q, scales, n_rows, n_cols, *x.stride(), q.stride(0), scales.stride(0), GROUP=128, ROWS=8)
    return q, scales
