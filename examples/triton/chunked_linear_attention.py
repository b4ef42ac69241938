"""Causal linear attention in chunks: states between chunks one after the other, outputs of all chunks at once."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def chunk_state_kernel(
    k_ptr, v_ptr, h_ptr, seq_len, heads, DK, DV,
    stride_kb, stride_kt, stride_kh, stride_kd, stride_vb, stride_vt, stride_vh, stride_vd,
    stride_hb, stride_hc, stride_hh, stride_hk, stride_hv,
    CHUNK: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_V: tl.constexpr,
):  # fmt: skip
    """h[c] = sum of k[t] outer v[t] over all t before chunk c, one tile of it a program."""
    batch = (tl.program_id(2) // heads).to(tl.int64)
    head = tl.program_id(2) % heads
    t = tl.arange(0, CHUNK)
    dk = tl.program_id(0) * BLOCK_K + tl.arange(0, BLOCK_K)
    dv = tl.program_id(1) * BLOCK_V + tl.arange(0, BLOCK_V)
    live_k = dk < DK
    live_v = dv < DV
    k_ptrs = k_ptr + batch * stride_kb + head * stride_kh + dk[:, None] * stride_kd + t[None, :] * stride_kt
    v_ptrs = v_ptr + batch * stride_vb + head * stride_vh + t[:, None] * stride_vt + dv[None, :] * stride_vd
    h_ptrs = h_ptr + batch * stride_hb + head * stride_hh + dk[:, None] * stride_hk + dv[None, :] * stride_hv

    state = tl.zeros((BLOCK_K, BLOCK_V), dtype=tl.float32)
    for chunk in range(0, tl.cdiv(seq_len, CHUNK)):
        tl.store(h_ptrs, state, mask=live_k[:, None] & live_v[None, :])
        live_t = chunk * CHUNK + t < seq_len
        k = tl.load(k_ptrs, mask=live_k[:, None] & live_t[None, :], other=0.0)
        v = tl.load(v_ptrs, mask=live_t[:, None] & live_v[None, :], other=0.0)
        state = tl.dot(k, v, state)
        k_ptrs += CHUNK * stride_kt
        v_ptrs += CHUNK * stride_vt
        h_ptrs += stride_hc


@triton.jit
def chunk_output_kernel(
    q_ptr, k_ptr, v_ptr, h_ptr, o_ptr, seq_len, heads, DK, DV,
    stride_qb, stride_qt, stride_qh, stride_qd, stride_kb, stride_kt, stride_kh, stride_kd,
    stride_vb, stride_vt, stride_vh, stride_vd, stride_hb, stride_hc, stride_hh, stride_hk, stride_hv,
    stride_ob, stride_ot, stride_oh, stride_od,
    CHUNK: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_V: tl.constexpr,
):  # fmt: skip
    """What a chunk gets from the chunks before it, by their state, and from its own tokens, by a masked product."""
    batch = (tl.program_id(2) // heads).to(tl.int64)
    head = tl.program_id(2) % heads
    chunk = tl.program_id(0)
    t = chunk * CHUNK + tl.arange(0, CHUNK)
    dv = tl.program_id(1) * BLOCK_V + tl.arange(0, BLOCK_V)
    live_t = t < seq_len
    live_v = dv < DV
    q_ptr += batch * stride_qb + head * stride_qh
    k_ptr += batch * stride_kb + head * stride_kh
    h_ptr += batch * stride_hb + chunk * stride_hc + head * stride_hh

    scores = tl.zeros((CHUNK, CHUNK), dtype=tl.float32)
    out = tl.zeros((CHUNK, BLOCK_V), dtype=tl.float32)
    for start in range(0, DK, BLOCK_K):
        dk = start + tl.arange(0, BLOCK_K)
        live_k = dk < DK
        q = tl.load(q_ptr + t[:, None] * stride_qt + dk[None, :] * stride_qd, mask=live_t[:, None] & live_k[None, :], other=0.0)
        k = tl.load(k_ptr + dk[:, None] * stride_kd + t[None, :] * stride_kt, mask=live_k[:, None] & live_t[None, :], other=0.0)
        h = tl.load(h_ptr + dk[:, None] * stride_hk + dv[None, :] * stride_hv, mask=live_k[:, None] & live_v[None, :], other=0.0)
        scores = tl.dot(q, k, scores)
        out = tl.dot(q, h.to(q.dtype), out)
    scores = tl.where(t[:, None] >= t[None, :], scores, 0.0)
    v_ptrs = v_ptr + batch * stride_vb + head * stride_vh + t[:, None] * stride_vt + dv[None, :] * stride_vd
    v = tl.load(v_ptrs, mask=live_t[:, None] & live_v[None, :], other=0.0)
    out = tl.dot(scores.to(v.dtype), v, out)
    o_ptrs = o_ptr + batch * stride_ob + head * stride_oh + t[:, None] * stride_ot + dv[None, :] * stride_od
    tl.store(o_ptrs, out, mask=live_t[:, None] & live_v[None, :])


@argus.launch("q: f16[B, T, H, DK] strided, k: f16[B, T, H, DK] strided, v: f16[B, T, H, DV] strided")
def chunked_linear_attention(q, k, v):
    """o[t] = sum over s <= t of (q[t] . k[s]) v[s], for each batch and head."""
    batch, seq_len, heads, DK = q.shape
    DV = v.shape[3]
    chunk, block_k, block_v = 32, 64, 64
    chunks = triton.cdiv(seq_len, chunk)
    h = torch.empty((batch, chunks, heads, DK, DV), dtype=torch.float32, device=q.device)
    o = torch.empty((batch, seq_len, heads, DV), dtype=q.dtype, device=q.device)
    chunk_state_kernel[(triton.cdiv(DK, block_k), triton.cdiv(DV, block_v), batch * heads)](
        k, v, h, seq_len, heads, DK, DV, *k.stride(), *v.stride(), *h.stride(),
        CHUNK=chunk, BLOCK_K=block_k, BLOCK_V=block_v,
    )  # fmt: skip
    chunk_output_kernel[(chunks, triton.cdiv(DV, block_v), batch * heads)](
        q, k, v, h, o, seq_len, heads, DK, DV, *q.stride(), *k.stride(), *v.stride(), *h.stride(), *o.stride(),
        CHUNK=chunk, BLOCK_K=block_k, BLOCK_V=block_v,
    )  # fmt: skip
    return o
