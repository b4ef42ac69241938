"""Product of int8 matrices, summed in int32, with a scale for each row of A and each column of B, and a bias."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.heuristics({"EVEN_K": lambda args: args["K"] % args["BK"] == 0})
@triton.jit
def int8_matmul_kernel(
    a_ptr, b_ptr, c_ptr, a_scale_ptr, b_scale_ptr, bias_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, EVEN_K: tl.constexpr, HAS_BIAS: tl.constexpr,
):  # fmt: skip
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    offs_m = pid_m * BM + tl.arange(0, BM)
    offs_n = pid_n * BN + tl.arange(0, BN)
    offs_k = tl.arange(0, BK)
    live_m = offs_m < M
    live_n = offs_n < N
    a_ptrs = a_ptr + offs_m.to(tl.int64)[:, None] * stride_am + offs_k[None, :] * stride_ak
    b_ptrs = b_ptr + offs_k[:, None] * stride_bk + offs_n.to(tl.int64)[None, :] * stride_bn

    acc = tl.zeros((BM, BN), dtype=tl.int32)
    for k in range(0, K, BK):
        if EVEN_K:
            a = tl.load(a_ptrs, mask=live_m[:, None], other=0)
            b = tl.load(b_ptrs, mask=live_n[None, :], other=0)
        else:
            live_k = k + offs_k < K
            a = tl.load(a_ptrs, mask=live_m[:, None] & live_k[None, :], other=0)
            b = tl.load(b_ptrs, mask=live_k[:, None] & live_n[None, :], other=0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BK * stride_ak
        b_ptrs += BK * stride_bk

    a_scale = tl.load(a_scale_ptr + offs_m, mask=live_m, other=0.0)
    b_scale = tl.load(b_scale_ptr + offs_n, mask=live_n, other=0.0)
    c = acc.to(tl.float32) * a_scale[:, None] * b_scale[None, :]
    if HAS_BIAS:
        c += tl.load(bias_ptr + offs_n, mask=live_n, other=0.0).to(tl.float32)[None, :]
    c_ptrs = c_ptr + offs_m.to(tl.int64)[:, None] * stride_cm + offs_n[None, :] * stride_cn
    tl.store(c_ptrs, c, mask=live_m[:, None] & live_n[None, :])


@argus.launch("a: i8[M, K] strided, b: i8[K, N] strided, a_scale: f32[M], b_scale: f32[N], bias: f16[N]")
def int8_matmul(a, b, a_scale, b_scale, bias=None):
    """c[m, n] = a_scale[m] * b_scale[n] * (sum over k of a[m, k] * b[k, n]) + bias[n], in half precision."""
    M, K = a.shape
    N = b.shape[1]
    assert b.shape[0] == K, "inner sizes differ"
    c = torch.empty((M, N), dtype=torch.float16, device=a.device)
    grid = (triton.cdiv(M, 32), triton.cdiv(N, 64))
    int8_matmul_kernel[grid](
        a, b, c, a_scale, b_scale, bias, M, N, K, *a.stride(), *b.stride(), *c.stride(),
        BM=32, BN=64, BK=64, HAS_BIAS=bias is not None,
    )  # fmt: skip
    return c
