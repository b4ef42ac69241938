"""Causal depthwise convolution along time, as state-space models use it: each channel has its own short filter."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def depthwise_kernel(
    x_ptr, w_ptr, bias_ptr, y_ptr, seq_len, channels,
    stride_xb, stride_xt, stride_xc, stride_wc, stride_wk, stride_yb, stride_yt, stride_yc,
    TAPS: tl.constexpr, BLOCK_T: tl.constexpr, BLOCK_C: tl.constexpr,
):  # fmt: skip
    batch = tl.program_id(2).to(tl.int64)
    t = tl.program_id(0) * BLOCK_T + tl.arange(0, BLOCK_T)
    c = tl.program_id(1) * BLOCK_C + tl.arange(0, BLOCK_C)
    channel_mask = c < channels
    x_ptr += batch * stride_xb
    y_ptr += batch * stride_yb

    bias = tl.load(bias_ptr + c, mask=channel_mask, other=0.0).to(tl.float32)
    acc = tl.zeros((BLOCK_T, BLOCK_C), dtype=tl.float32) + bias[None, :]
    for tap in tl.static_range(TAPS):
        earlier = t - (TAPS - 1) + tap
        w = tl.load(w_ptr + c * stride_wc + tap * stride_wk, mask=channel_mask, other=0.0).to(tl.float32)
        x = tl.load(
            x_ptr + earlier[:, None] * stride_xt + c[None, :] * stride_xc,
            mask=(earlier >= 0)[:, None] & (earlier < seq_len)[:, None] & channel_mask[None, :],
            other=0.0,
        ).to(tl.float32)
        acc += x * w[None, :]
    y = acc / (1.0 + tl.exp(-acc))
    y_ptrs = y_ptr + t[:, None] * stride_yt + c[None, :] * stride_yc
    tl.store(y_ptrs, y, mask=(t < seq_len)[:, None] & channel_mask[None, :])


@argus.launch("x: f16[B, T, C] strided, w: f16[C, 4] strided, bias: f16[C]")
def depthwise_convolution(x, w, bias):
    """y[b, t, c] = silu(bias[c] + sum over k of w[c, k] * x[b, t - (K - 1) + k, c]), with zeros before the start."""
    batch, seq_len, channels = x.shape
    taps = w.shape[1]
    y = torch.empty((batch, seq_len, channels), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(seq_len, 32), triton.cdiv(channels, 64), batch)
    depthwise_kernel[grid](
        x, w, bias, y, seq_len, channels, *x.stride(), *w.stride(), *y.stride(), TAPS=taps, BLOCK_T=32, BLOCK_C=64
    )
    return y
