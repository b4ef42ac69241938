"""Scatter-add of rows, the gradient of an embedding: row `index[i]` of the result takes the sum of all such rows i."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def scatter_add_kernel(
    index_ptr, rows_ptr, out_ptr, n_rows, dim, stride_rows, stride_cols, out_stride,
    BLOCK_R: tl.constexpr, BLOCK_D: tl.constexpr,
):  # fmt: skip
    r = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    d = tl.program_id(1) * BLOCK_D + tl.arange(0, BLOCK_D)
    live = r < n_rows
    target = tl.load(index_ptr + r, mask=live, other=-1)
    mask = (live & (target >= 0))[:, None] & (d < dim)[None, :]
    rows = tl.load(rows_ptr + r[:, None] * stride_rows + d[None, :] * stride_cols, mask=mask, other=0.0)
    tl.atomic_add(out_ptr + target[:, None] * out_stride + d[None, :], rows, mask=mask, sem="relaxed")


@argus.launch("index: i64[R] in [-1, V), rows: f32[R, D] strided, out: f32[V, D] {row, 1} inout")
def scatter_add(index, rows, out):
    """Adds into `out`; rows whose index is -1 go nowhere."""
    n_rows, dim = rows.shape
    grid = (triton.cdiv(n_rows, 16), triton.cdiv(dim, 64))
    scatter_add_kernel[grid](index, rows, out, n_rows, dim, *rows.stride(), out.stride(0), BLOCK_R=16, BLOCK_D=64)
    return out
