"""Layer norm, backward: a gradient for each input, and the gradients of weight and bias summed in two stages."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def input_gradient_kernel(
    dy_ptr, x_ptr, w_ptr, mean_ptr, rstd_ptr, dx_ptr, dw_ptr, db_ptr,
    stride_dy, stride_x, stride_dx, stride_part, n_rows, n_cols, rows_each,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """Each program takes `rows_each` neighbouring rows and keeps its share of the sums over rows in registers."""
    part = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    dw = tl.zeros((BLOCK,), dtype=tl.float32)
    db = tl.zeros((BLOCK,), dtype=tl.float32)
    for row in range(part * rows_each, min((part + 1) * rows_each, n_rows)):
        x = tl.load(x_ptr + row * stride_x + cols, mask=mask, other=0.0).to(tl.float32)
        dy = tl.load(dy_ptr + row * stride_dy + cols, mask=mask, other=0.0).to(tl.float32)
        mean = tl.load(mean_ptr + row)
        rstd = tl.load(rstd_ptr + row)
        x_hat = tl.where(mask, (x - mean) * rstd, 0.0)
        wdy = w * dy
        along_x = tl.sum(x_hat * wdy, axis=0) / n_cols
        along_one = tl.sum(wdy, axis=0) / n_cols
        tl.store(dx_ptr + row * stride_dx + cols, (wdy - x_hat * along_x - along_one) * rstd, mask=mask)
        dw += dy * x_hat
        db += dy
    tl.store(dw_ptr + part * stride_part + cols, dw, mask=mask)
    tl.store(db_ptr + part * stride_part + cols, db, mask=mask)


@triton.jit
def sum_of_parts_kernel(
    dw_parts_ptr, db_parts_ptr, dw_ptr, db_ptr, stride_part, n_parts, n_cols,
    BLOCK_P: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    cols = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    dw = tl.zeros((BLOCK_P, BLOCK_N), dtype=tl.float32)
    db = tl.zeros((BLOCK_P, BLOCK_N), dtype=tl.float32)
    for start in range(0, n_parts, BLOCK_P):
        parts = start + tl.arange(0, BLOCK_P)
        mask = (parts < n_parts)[:, None] & (cols < n_cols)[None, :]
        places = parts[:, None] * stride_part + cols[None, :]
        dw += tl.load(dw_parts_ptr + places, mask=mask, other=0.0)
        db += tl.load(db_parts_ptr + places, mask=mask, other=0.0)
    tl.store(dw_ptr + cols, tl.sum(dw, axis=0), mask=cols < n_cols)
    tl.store(db_ptr + cols, tl.sum(db, axis=0), mask=cols < n_cols)


@argus.launch("dy: f16[M, N]{dy_row, 1}, x: f16[M, N]{x_row, 1}, weight: f16[N], mean: f32[M], rstd: f32[M]")
def layer_norm_backward(dy, x, weight, mean, rstd):
    """Gradients of input, weight and bias; `mean` and `rstd` are those that the forward pass kept."""
    n_rows, n_cols = x.shape
    block = triton.next_power_of_2(n_cols)
    assert block <= 32768, "a row must fit into one block"
    rows_each = triton.cdiv(n_rows, 256)
    n_parts = triton.cdiv(n_rows, rows_each)
    dx = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    dw_parts = torch.empty((n_parts, n_cols), dtype=torch.float32, device=x.device)
    db_parts = torch.empty((n_parts, n_cols), dtype=torch.float32, device=x.device)
    input_gradient_kernel[(n_parts,)](
        dy, x, weight, mean, rstd, dx, dw_parts, db_parts,
        dy.stride(0), x.stride(0), dx.stride(0), dw_parts.stride(0), n_rows, n_cols, rows_each, BLOCK=block,
    )  # fmt: skip
    dw = torch.empty((n_cols,), dtype=weight.dtype, device=x.device)
    db = torch.empty((n_cols,), dtype=weight.dtype, device=x.device)
    sum_of_parts_kernel[(triton.cdiv(n_cols, 64),)](
        dw_parts, db_parts, dw, db, dw_parts.stride(0), n_parts, n_cols, BLOCK_P=32, BLOCK_N=64
    )
    return dx, dw, db
