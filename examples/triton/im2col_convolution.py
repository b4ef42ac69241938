"""Two-dimensional convolution as one matrix product: the patches of the image are gathered on the way (implicit im2col).

Row p of the left matrix is an output pixel (n, oy, ox), its column q one tap (c, r, s) of the filter.
"""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def convolution_kernel(
    x_ptr, w_ptr, y_ptr, batch, channels, height, width, filters, out_h, out_w, R, S,
    step_h, step_w, pad_h, pad_w, dilation_h, dilation_w,
    stride_xn, stride_xc, stride_xh, stride_xw,
    stride_wk, stride_wc, stride_wr, stride_ws,
    stride_yn, stride_yk, stride_yh, stride_yw,
    BLOCK_P: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_Q: tl.constexpr,
):  # fmt: skip
    p = tl.program_id(0) * BLOCK_P + tl.arange(0, BLOCK_P)
    k = tl.program_id(1) * BLOCK_K + tl.arange(0, BLOCK_K)
    n = p // (out_h * out_w)
    oy = p // out_w % out_h
    ox = p % out_w
    top = oy * step_h - pad_h
    left = ox * step_w - pad_w
    taps = channels * R * S

    acc = tl.zeros((BLOCK_P, BLOCK_K), dtype=tl.float32)
    for start in range(0, taps, BLOCK_Q):
        q = start + tl.arange(0, BLOCK_Q)
        c = q // (R * S)
        r = q // S % R
        s = q % S
        y = top[:, None] + (r * dilation_h)[None, :]
        x = left[:, None] + (s * dilation_w)[None, :]
        inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
        patch = tl.load(
            x_ptr + n[:, None] * stride_xn + c[None, :] * stride_xc + y * stride_xh + x * stride_xw,
            mask=inside & (n < batch)[:, None] & (q < taps)[None, :],
            other=0.0,
        )
        taps_of_k = tl.load(
            w_ptr + k[None, :] * stride_wk + (c * stride_wc + r * stride_wr + s * stride_ws)[:, None],
            mask=(q < taps)[:, None] & (k < filters)[None, :],
            other=0.0,
        )
        acc = tl.dot(patch, taps_of_k, acc)

    y_ptrs = y_ptr + (n * stride_yn + oy * stride_yh + ox * stride_yw)[:, None] + k[None, :] * stride_yk
    tl.store(y_ptrs, acc.to(tl.float16), mask=(n < batch)[:, None] & (k < filters)[None, :])


@argus.launch(
    "x: f16[N, C, H, W] strided, w: f16[K, C, R, S] strided, step: int in [1, 1024], pad: int in [0, 1024], "
    "dilation: int in [1, 1024] where H + 2 * pad >= dilation * (R - 1) + 1, W + 2 * pad >= dilation * (S - 1) + 1"
)
def convolution(x, w, step=1, pad=0, dilation=1):
    batch, channels, height, width = x.shape
    filters, w_channels, R, S = w.shape
    assert channels == w_channels, "the filters are for another number of channels"
    out_h = (height + 2 * pad - dilation * (R - 1) - 1) // step + 1
    out_w = (width + 2 * pad - dilation * (S - 1) - 1) // step + 1
    y = torch.empty((batch, filters, out_h, out_w), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(batch * out_h * out_w, 64), triton.cdiv(filters, 32))
    convolution_kernel[grid](
        x, w, y, batch, channels, height, width, filters, out_h, out_w, R, S,
        step, step, pad, pad, dilation, dilation, *x.stride(), *w.stride(), *y.stride(),
        BLOCK_P=64, BLOCK_K=32, BLOCK_Q=32,
    )  # fmt: skip
    return y
