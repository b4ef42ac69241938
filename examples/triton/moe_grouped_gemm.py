"""Mixture of experts: one matrix product a block of tokens, tokens sorted by expert and each expert's share padded."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def moe_kernel(
    a_ptr, b_ptr, c_ptr, weights_ptr, sorted_ids_ptr, expert_ids_ptr, num_padded_ptr, N, K, num_pairs, top_k,
    stride_am, stride_ak, stride_be, stride_bn, stride_bk, stride_cm, stride_cn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP_M: tl.constexpr, WEIGHTED: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(0)
    num_padded = tl.load(num_padded_ptr)
    tiles_m = tl.cdiv(num_padded, BM)
    tiles_n = tl.cdiv(N, BN)
    tiles_in_group = GROUP_M * tiles_n
    first_m = (pid // tiles_in_group) * GROUP_M
    group_m = min(tiles_m - first_m, GROUP_M)
    if pid >= tiles_m * tiles_n:
        return
    pid_m = first_m + (pid % tiles_in_group) % group_m
    pid_n = (pid % tiles_in_group) // group_m

    # Ids count (token, choice) pairs; the id `num_pairs` pads an expert's share to whole blocks.
    pairs = tl.load(sorted_ids_ptr + pid_m * BM + tl.arange(0, BM)).to(tl.int64)
    live = pairs < num_pairs
    expert = tl.load(expert_ids_ptr + pid_m).to(tl.int64)
    offs_n = (pid_n * BN + tl.arange(0, BN)) % N
    offs_k = tl.arange(0, BK)
    a_ptrs = a_ptr + (pairs // top_k)[:, None] * stride_am + offs_k[None, :] * stride_ak
    b_ptrs = b_ptr + expert * stride_be + offs_n[None, :] * stride_bn + offs_k[:, None] * stride_bk
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=live[:, None] & (offs_k[None, :] < K - k * BK), other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BK * stride_ak
        b_ptrs += BK * stride_bk
    if WEIGHTED:
        weights = tl.load(weights_ptr + pairs, mask=live, other=0.0)
        acc = acc * weights[:, None]

    offs_cn = pid_n * BN + tl.arange(0, BN)
    c_ptrs = c_ptr + pairs[:, None] * stride_cm + offs_cn[None, :] * stride_cn
    tl.store(c_ptrs, acc, mask=live[:, None] & (offs_cn < N)[None, :])


@argus.launch(
    "a: f16[T, K] strided, b: f16[E, N, K] strided, weights: f32[T, TOP], sorted_ids: i32[16 * G] in [0, T * TOP]"
    " distinct except T * TOP,"
    " expert_ids: i32[G] in [0, E), num_padded: i32[1] in [0, 16 * G], weighted: bool"
)
def moe_grouped_gemm(a, b, weights, sorted_ids, expert_ids, num_padded, weighted):
    """c[t, j] = a[t] @ b[expert of the j-th choice of t].T, times its weight if `weighted`.

    `sorted_ids` holds each pair t * TOP + j once, in blocks of 16 of one expert each, padded with T * TOP;
    `expert_ids` the expert of each block; `num_padded` how many ids count. Pairs that are not among them give 0.
    """
    tokens, K = a.shape
    N = b.shape[1]
    top_k = weights.shape[1]
    c = torch.zeros((tokens, top_k, N), dtype=a.dtype, device=a.device)
    block_m, block_n = 16, 64
    grid = (triton.cdiv(sorted_ids.shape[0], block_m) * triton.cdiv(N, block_n),)
    moe_kernel[grid](
        a, b, c, weights, sorted_ids, expert_ids, num_padded, N, K, tokens * top_k, top_k,
        *a.stride(), *b.stride(), c.stride(1), c.stride(2),
        BM=block_m, BN=block_n, BK=32, GROUP_M=8, WEIGHTED=weighted,
    )  # fmt: skip
    return c
