"""Layer norm, forward: each program normalises one row, walking its columns block by block."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def layer_norm_kernel(
    x_ptr, y_ptr, w_ptr, b_ptr, mean_ptr, rstd_ptr, x_stride, y_stride, n_cols, eps, BLOCK: tl.constexpr
):
    row = tl.program_id(0)
    x_ptr += row * x_stride
    y_ptr += row * y_stride

    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + cols, mask=cols < n_cols, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / n_cols

    squares = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < n_cols, other=0.0).to(tl.float32)
        centred = tl.where(cols < n_cols, x - mean, 0.0)
        squares += centred * centred
    rstd = 1.0 / tl.sqrt(tl.sum(squares, axis=0) / n_cols + eps)

    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < n_cols
        w = tl.load(w_ptr + cols, mask=mask)
        b = tl.load(b_ptr + cols, mask=mask)
        x = tl.load(x_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(y_ptr + cols, (x - mean) * rstd * w + b, mask=mask)


@argus.launch("x: f32[M, N] {row, 1}, weight: f32[N], bias: f32[N]")
def layer_norm(x, weight, bias, eps=1e-5):
    """Returns the normalised rows, and each row's mean and reciprocal standard deviation."""
    n_rows, n_cols = x.shape
    y = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    mean = torch.empty((n_rows,), dtype=torch.float32, device=x.device)
    rstd = torch.empty((n_rows,), dtype=torch.float32, device=x.device)
    layer_norm_kernel[(n_rows,)](
        x, y, weight, bias, mean, rstd, x.stride(0), y.stride(0), n_cols, eps, BLOCK=256
    )
    return y, mean, rstd
