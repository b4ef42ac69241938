"""Causal attention over sequences of different lengths that lie one after the other in the same tensors."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def varlen_attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, cu_ptr, scale, heads_per_kv,
    stride_qt, stride_qh, stride_qd, stride_kt, stride_kh, stride_kd,
    stride_vt, stride_vh, stride_vd, stride_ot, stride_oh, stride_od,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    seq = tl.program_id(2)
    first = tl.load(cu_ptr + seq)
    seq_len = tl.load(cu_ptr + seq + 1) - first
    start_m = tl.program_id(0) * BLOCK_M
    if start_m >= seq_len:
        return

    head = tl.program_id(1)
    kv_head = head // heads_per_kv
    first = first.to(tl.int64)
    q_ptr += first * stride_qt + head * stride_qh
    k_ptr += first * stride_kt + kv_head * stride_kh
    v_ptr += first * stride_vt + kv_head * stride_vh
    out_ptr += first * stride_ot + head * stride_oh

    m = start_m + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    live_m = m < seq_len
    q = tl.load(q_ptr + m[:, None] * stride_qt + d[None, :] * stride_qd, mask=live_m[:, None], other=0.0)
    row_max = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    row_sum = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    for start_n in range(0, min(start_m + BLOCK_M, seq_len), BLOCK_N):
        n = start_n + tl.arange(0, BLOCK_N)
        live_n = n < seq_len
        k = tl.load(k_ptr + n[None, :] * stride_kt + d[:, None] * stride_kd, mask=live_n[None, :], other=0.0)
        scores = tl.dot(q, k) * scale
        scores = tl.where(live_n[None, :] & (n[None, :] <= m[:, None]), scores, -float("inf"))
        new_max = tl.maximum(row_max, tl.max(scores, axis=1))
        p = tl.exp(scores - new_max[:, None])
        rescale = tl.exp(row_max - new_max)
        row_sum = row_sum * rescale + tl.sum(p, axis=1)
        v = tl.load(v_ptr + n[:, None] * stride_vt + d[None, :] * stride_vd, mask=live_n[:, None], other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc * rescale[:, None])
        row_max = new_max
    out = acc / row_sum[:, None]
    tl.store(out_ptr + m[:, None] * stride_ot + d[None, :] * stride_od, out, mask=live_m[:, None])


@argus.launch(
    "q: f16[R, HQ, 64] strided, k: f16[R, HKV, 64] strided, v: f16[R, HKV, 64] strided,"
    " cu_seqlens: i32[B + 1] nondecreasing steps in [0, max_seqlen] in [0, R], max_seqlen: int in [1, R]"
    " where HQ % HKV == 0, cu_seqlens[0] == 0, cu_seqlens[B] == R"
)
def varlen_attention(q, k, v, cu_seqlens, max_seqlen):
    """Sequence b is rows cu_seqlens[b] to cu_seqlens[b + 1] - 1; none may be longer than `max_seqlen`."""
    _, heads, dim = q.shape
    kv_heads = k.shape[1]
    assert heads % kv_heads == 0, "query heads must be a multiple of key/value heads"
    out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    block_m, block_n = 64, 32
    grid = (triton.cdiv(max_seqlen, block_m), heads, cu_seqlens.shape[0] - 1)
    varlen_attention_kernel[grid](
        q, k, v, out, cu_seqlens, dim**-0.5, heads // kv_heads, *q.stride(), *k.stride(), *v.stride(), *out.stride(),
        D=dim, BLOCK_M=block_m, BLOCK_N=block_n,
    )  # fmt: skip
    return out
