"""Cumulative sum along the rows of a matrix: each program scans its rows block by block and carries the total along."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def cumulative_sum_kernel(
    x_ptr, out_ptr, n_rows, n_cols, stride_xm, stride_xn, stride_om, stride_on,
    ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    row_mask = rows < n_rows
    x_rows = x_ptr + rows.to(tl.int64)[:, None] * stride_xm
    out_rows = out_ptr + rows.to(tl.int64)[:, None] * stride_om

    carry = tl.zeros((ROWS,), dtype=tl.float32)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = row_mask[:, None] & (cols < n_cols)[None, :]
        x = tl.load(x_rows + cols[None, :] * stride_xn, mask=mask, other=0.0).to(tl.float32)
        sums = carry[:, None] + tl.cumsum(x, axis=1)
        tl.store(out_rows + cols[None, :] * stride_on, sums, mask=mask)
        carry += tl.sum(x, axis=1)


@argus.launch("x: f32[M, N] strided")
def cumulative_sum(x):
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(n_rows, 4),)
    cumulative_sum_kernel[grid](x, out, n_rows, n_cols, *x.stride(), *out.stride(), ROWS=4, BLOCK=128)
    return out
