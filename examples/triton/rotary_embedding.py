"""Rotary position embedding of queries and keys, in place: the first features of each head turn by the token's position."""

import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def rotate(ptr, heads, stride_h, stride_d, cos, sin, half, live_r, BLOCK_H: tl.constexpr, BLOCK_R: tl.constexpr):
    """Turns each pair (d, d + half) of every head of one token."""
    r = tl.arange(0, BLOCK_R)
    for start in range(0, heads, BLOCK_H):
        h = start + tl.arange(0, BLOCK_H)
        mask = (h < heads)[:, None] & live_r[None, :]
        left = ptr + h[:, None] * stride_h + r[None, :] * stride_d
        right = left + half * stride_d
        a = tl.load(left, mask=mask, other=0.0).to(tl.float32)
        b = tl.load(right, mask=mask, other=0.0).to(tl.float32)
        tl.store(left, a * cos[None, :] - b * sin[None, :], mask=mask)
        tl.store(right, b * cos[None, :] + a * sin[None, :], mask=mask)


@triton.jit
def rotary_kernel(
    q_ptr, k_ptr, cos_ptr, sin_ptr, positions_ptr, q_heads, k_heads, half,
    stride_qt, stride_qh, stride_qd, stride_kt, stride_kh, stride_kd, stride_cp, stride_sp,
    BLOCK_H: tl.constexpr, BLOCK_R: tl.constexpr,
):  # fmt: skip
    token = tl.program_id(0).to(tl.int64)
    position = tl.load(positions_ptr + token)
    r = tl.arange(0, BLOCK_R)
    live_r = r < half
    cos = tl.load(cos_ptr + position * stride_cp + r, mask=live_r, other=0.0).to(tl.float32)
    sin = tl.load(sin_ptr + position * stride_sp + r, mask=live_r, other=0.0).to(tl.float32)
    rotate(q_ptr + token * stride_qt, q_heads, stride_qh, stride_qd, cos, sin, half, live_r, BLOCK_H, BLOCK_R)
    rotate(k_ptr + token * stride_kt, k_heads, stride_kh, stride_kd, cos, sin, half, live_r, BLOCK_H, BLOCK_R)


@argus.launch(
    "q: f16[T, HQ, D] strided inout, k: f16[T, HK, D] strided inout, cos: f32[P, R]{cos_row, 1}, sin: f32[P, R]{sin_row, 1},"
    " positions: i64[T] in [0, P) where 2 * R <= D"
)
def rotary_embedding(q, k, cos, sin, positions):
    """`cos` and `sin` have a row for each position and a column for each pair; features past 2 * R stay as they are."""
    tokens, q_heads, dim = q.shape
    half = cos.shape[1]
    assert 2 * half <= dim, "more features would turn than a head has"
    rotary_kernel[(tokens,)](
        q, k, cos, sin, positions, q_heads, k.shape[1], half, *q.stride(), *k.stride(), cos.stride(0), sin.stride(0),
        BLOCK_H=4, BLOCK_R=triton.next_power_of_2(half),
    )  # fmt: skip
    return q, k
