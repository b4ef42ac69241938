"""RMS norm over the last dimension of hidden states, a few rows a program, each row in one padded block."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def rms_norm_kernel(
    x_ptr, w_ptr, y_ptr, rstd_ptr, n_rows, n_cols, eps, ROWS: tl.constexpr, BLOCK: tl.constexpr
):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    row_mask = rows < n_rows
    col_mask = cols < n_cols
    mask = row_mask[:, None] & col_mask[None, :]
    offsets = rows[:, None].to(tl.int64) * n_cols + cols[None, :]

    x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=col_mask, other=0.0).to(tl.float32)
    rstd = tl.rsqrt(tl.sum(x * x, axis=1) / n_cols + eps)
    y = x * rstd[:, None] * w[None, :]
    tl.store(y_ptr + offsets, y.to(tl.float16), mask=mask)
    tl.store(rstd_ptr + rows, rstd, mask=row_mask)


@argus.launch("x: f16[B, S, N], weight: f16[N]")
def rms_norm(x, weight, eps=1e-6):
    """Returns the normalised hidden states and the reciprocal root mean square of each row."""
    batch, seq, n_cols = x.shape
    n_rows = batch * seq
    y = torch.empty_like(x)
    rstd = torch.empty((batch, seq), dtype=torch.float32, device=x.device)
    grid = (triton.cdiv(n_rows, 4),)
    rms_norm_kernel[grid](
        x, weight, y, rstd, n_rows, n_cols, eps, ROWS=4, BLOCK=triton.next_power_of_2(n_cols)
    )
    return y, rstd
