"""Causal attention, forward, with online softmax; several query heads share one key/value head (GQA)."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, scale, seq_len, heads, heads_per_kv,
    stride_qb, stride_qh, stride_qs, stride_qd,
    stride_kb, stride_kh, stride_ks, stride_kd,
    stride_vb, stride_vh, stride_vs, stride_vd,
    stride_ob, stride_oh, stride_os, stride_od,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    start_m = tl.program_id(0) * BLOCK_M
    batch = (tl.program_id(1) // heads).to(tl.int64)
    head = (tl.program_id(1) % heads).to(tl.int64)
    kv_head = head // heads_per_kv
    q_ptr += batch * stride_qb + head * stride_qh
    k_ptr += batch * stride_kb + kv_head * stride_kh
    v_ptr += batch * stride_vb + kv_head * stride_vh
    out_ptr += batch * stride_ob + head * stride_oh

    offs_m = start_m + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, D)
    live_m = offs_m < seq_len
    q = tl.load(q_ptr + offs_m[:, None] * stride_qs + offs_d[None, :] * stride_qd, mask=live_m[:, None], other=0.0)
    k_ptrs = k_ptr + offs_d[:, None] * stride_kd + offs_n[None, :] * stride_ks
    v_ptrs = v_ptr + offs_n[:, None] * stride_vs + offs_d[None, :] * stride_vd

    row_max = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    row_sum = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    end_n = min(start_m + BLOCK_M, seq_len)
    for start_n in range(0, end_n, BLOCK_N):
        keys = start_n + offs_n
        live_n = keys < seq_len
        k = tl.load(k_ptrs, mask=live_n[None, :], other=0.0)
        scores = tl.dot(q, k) * scale
        scores = tl.where(live_n[None, :] & (keys[None, :] <= offs_m[:, None]), scores, -float("inf"))
        new_max = tl.maximum(row_max, tl.max(scores, axis=1))
        p = tl.exp(scores - new_max[:, None])
        rescale = tl.exp(row_max - new_max)
        row_sum = row_sum * rescale + tl.sum(p, axis=1)
        v = tl.load(v_ptrs, mask=live_n[:, None], other=0.0)
        acc = tl.dot(p.to(tl.float16), v, acc * rescale[:, None])
        row_max = new_max
        k_ptrs += BLOCK_N * stride_ks
        v_ptrs += BLOCK_N * stride_vs

    out = acc / row_sum[:, None]
    out_ptrs = out_ptr + offs_m[:, None] * stride_os + offs_d[None, :] * stride_od
    tl.store(out_ptrs, out.to(tl.float16), mask=live_m[:, None])


@argus.launch(
    "q: f16[B, HQ, S, 64] strided, k: f16[B, HKV, S, 64] strided, v: f16[B, HKV, S, 64] strided where HQ % HKV == 0"
)
def attention(q, k, v):
    batch, heads, seq_len, dim = q.shape
    kv_heads = k.shape[1]
    assert heads % kv_heads == 0, "query heads must be a multiple of key/value heads"
    out = torch.empty((batch, heads, seq_len, dim), dtype=q.dtype, device=q.device)
    block_m, block_n = 64, 32
    grid = (triton.cdiv(seq_len, block_m), batch * heads)
    attention_kernel[grid](
        q, k, v, out, dim**-0.5, seq_len, heads, heads // kv_heads,
        *q.stride(), *k.stride(), *v.stride(), *out.stride(),
        D=dim, BLOCK_M=block_m, BLOCK_N=block_n,
    )  # fmt: skip
    return out
