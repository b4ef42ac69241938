"""Matrix product for few rows and a long inner dimension: the K loop is split over programs that add atomically."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def split_k_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT_K: tl.constexpr,
):  # fmt: skip
    tile = tl.program_id(0)
    part = tl.program_id(1)
    tiles_n = tl.cdiv(N, BN)
    offs_m = (tile // tiles_n) * BM + tl.arange(0, BM)
    offs_n = (tile % tiles_n) * BN + tl.arange(0, BN)
    offs_k = part * BK + tl.arange(0, BK)
    live_m = offs_m[:, None] < M
    live_n = offs_n[None, :] < N
    a_ptrs = a_ptr + offs_m[:, None] * stride_am + offs_k[None, :] * stride_ak
    b_ptrs = b_ptr + offs_k[:, None] * stride_bk + offs_n[None, :] * stride_bn

    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BK * SPLIT_K)):
        left = K - step * (BK * SPLIT_K)
        a = tl.load(a_ptrs, mask=live_m & (offs_k[None, :] < left), other=0.0)
        b = tl.load(b_ptrs, mask=live_n & (offs_k[:, None] < left), other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BK * SPLIT_K * stride_ak
        b_ptrs += BK * SPLIT_K * stride_bk

    c_ptrs = c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :] * stride_cn
    tl.atomic_add(c_ptrs, acc, mask=live_m & live_n, sem="relaxed")


@argus.launch("a: f16[M, K] strided, b: f16[K, N] strided")
def split_k_matmul(a, b):
    M, K = a.shape
    N = b.shape[1]
    c = torch.zeros((M, N), dtype=torch.float32, device=a.device)
    split_k = 4
    grid = (triton.cdiv(M, 16) * triton.cdiv(N, 64), split_k)
    split_k_kernel[grid](
        a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(), BM=16, BN=64, BK=32, SPLIT_K=split_k
    )
    return c
