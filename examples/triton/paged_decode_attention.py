"""Decode attention over a paged cache: one query token a sequence, the keys split over programs, then a merge."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def split_kernel(
    q_ptr, k_ptr, v_ptr, tables_ptr, lengths_ptr, partial_ptr, lse_ptr, scale, heads_per_kv,
    stride_qb, stride_qh, stride_qd,
    stride_kn, stride_ks, stride_kh, stride_kd,
    stride_vn, stride_vs, stride_vh, stride_vd,
    stride_tb, stride_pb, stride_ph, stride_pp, stride_pd, stride_lb, stride_lh, stride_lp,
    D: tl.constexpr, PAGE: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK_N: tl.constexpr, SPLITS: tl.constexpr,
):  # fmt: skip
    """Attention of the query heads of one key/value head to one split of one sequence's keys."""
    seq = tl.program_id(0).to(tl.int64)
    kv_head = tl.program_id(1)
    split = tl.program_id(2)
    length = tl.load(lengths_ptr + seq)
    split_len = tl.cdiv(tl.cdiv(length, SPLITS), BLOCK_N) * BLOCK_N
    begin = split * split_len
    end = tl.minimum(begin + split_len, length)

    h = tl.arange(0, BLOCK_H)
    live_h = h < heads_per_kv
    heads = kv_head * heads_per_kv + h
    d = tl.arange(0, D)
    q_ptrs = q_ptr + seq * stride_qb + heads[:, None] * stride_qh + d[None, :] * stride_qd
    q = tl.load(q_ptrs, mask=live_h[:, None], other=0.0)

    row_max = tl.full((BLOCK_H,), -float("inf"), dtype=tl.float32)
    row_sum = tl.zeros((BLOCK_H,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_H, D), dtype=tl.float32)
    for start in range(begin, end, BLOCK_N):
        n = start + tl.arange(0, BLOCK_N)
        live_n = n < end
        page = tl.load(tables_ptr + seq * stride_tb + n // PAGE, mask=live_n, other=0).to(tl.int64)
        slot = n % PAGE
        k_rows = page * stride_kn + slot * stride_ks + kv_head * stride_kh
        v_rows = page * stride_vn + slot * stride_vs + kv_head * stride_vh
        k = tl.load(k_ptr + k_rows[None, :] + d[:, None] * stride_kd, mask=live_n[None, :], other=0.0)
        v = tl.load(v_ptr + v_rows[:, None] + d[None, :] * stride_vd, mask=live_n[:, None], other=0.0)
        scores = tl.where(live_n[None, :], tl.dot(q, k) * scale, -float("inf"))
        new_max = tl.maximum(row_max, tl.max(scores, axis=1))
        p = tl.exp(scores - new_max[:, None])
        rescale = tl.exp(row_max - new_max)
        row_sum = row_sum * rescale + tl.sum(p, axis=1)
        acc = tl.dot(p.to(v.dtype), v, acc * rescale[:, None])
        row_max = new_max

    # A split without keys leaves the logarithm of nothing, which the merge weighs with zero.
    lse = tl.where(row_sum > 0.0, row_max + tl.log(row_sum), -float("inf"))
    out = tl.where(row_sum[:, None] > 0.0, acc / row_sum[:, None], 0.0)
    out_ptrs = partial_ptr + seq * stride_pb + heads[:, None] * stride_ph + split * stride_pp + d[None, :] * stride_pd
    tl.store(out_ptrs, out, mask=live_h[:, None])
    tl.store(lse_ptr + seq * stride_lb + heads * stride_lh + split * stride_lp, lse, mask=live_h)


@triton.jit
def merge_kernel(
    partial_ptr, lse_ptr, out_ptr,
    stride_pb, stride_ph, stride_pp, stride_pd, stride_lb, stride_lh, stride_lp, stride_ob, stride_oh, stride_od,
    D: tl.constexpr, SPLITS: tl.constexpr,
):  # fmt: skip
    """The mean of the splits of one head, each weighed with its share of the sum of exponentials."""
    seq = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1)
    s = tl.arange(0, SPLITS)
    d = tl.arange(0, D)
    lse = tl.load(lse_ptr + seq * stride_lb + head * stride_lh + s * stride_lp)
    weight = tl.exp(lse - tl.max(lse, axis=0))
    weight = weight / tl.sum(weight, axis=0)
    parts = tl.load(partial_ptr + seq * stride_pb + head * stride_ph + s[:, None] * stride_pp + d[None, :] * stride_pd)
    out = tl.sum(parts * weight[:, None], axis=0)
    tl.store(out_ptr + seq * stride_ob + head * stride_oh + d * stride_od, out)


@argus.launch(
    "q: f16[B, HQ, 128] strided, k_cache: f16[NP, 16, HKV, 128] strided, v_cache: f16[NP, 16, HKV, 128] strided,"
    " block_tables: i32[B, W]{table, 1} in [0, NP), lengths: i32[B] in [1, 16 * W]"
    " where HQ % HKV == 0, HQ <= 16 * HKV"
)
def paged_decode_attention(q, k_cache, v_cache, block_tables, lengths):
    """Position n of sequence b is slot n % 16 of page block_tables[b, n // 16]; entries past its length are not read."""
    batch, heads, dim = q.shape
    _, page, kv_heads, _ = k_cache.shape
    assert heads % kv_heads == 0, "query heads must be a multiple of key/value heads"
    heads_per_kv = heads // kv_heads
    assert heads_per_kv <= 16, "the query heads of one key/value head must fit into one block"
    splits = 4
    partial = torch.empty((batch, heads, splits, dim), dtype=torch.float32, device=q.device)
    lse = torch.empty((batch, heads, splits), dtype=torch.float32, device=q.device)
    out = torch.empty((batch, heads, dim), dtype=q.dtype, device=q.device)
    split_kernel[(batch, kv_heads, splits)](
        q, k_cache, v_cache, block_tables, lengths, partial, lse, dim**-0.5, heads_per_kv,
        *q.stride(), *k_cache.stride(), *v_cache.stride(), block_tables.stride(0), *partial.stride(), *lse.stride(),
        D=dim, PAGE=page, BLOCK_H=16, BLOCK_N=32, SPLITS=splits,
    )  # fmt: skip
    merge_kernel[(batch, heads)](partial, lse, out, *partial.stride(), *lse.stride(), *out.stride(), D=dim, SPLITS=splits)
    return out
