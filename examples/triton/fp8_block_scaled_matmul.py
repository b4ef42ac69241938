"""Product of fp8 matrices with a scale for every 1 x 128 strip of A and every 128 x 128 block of B."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def fp8_matmul_kernel(
    a_ptr, b_ptr, c_ptr, a_scale_ptr, b_scale_ptr, M, N, K,
    stride_am, stride_ak, stride_bn, stride_bk, stride_cm, stride_cn,
    stride_asm, stride_ask, stride_bsn, stride_bsk,
    STRIP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP_M: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(M, BM)
    tiles_n = tl.cdiv(N, BN)
    tiles_in_group = GROUP_M * tiles_n
    first_m = (pid // tiles_in_group) * GROUP_M
    group_m = min(tiles_m - first_m, GROUP_M)
    pid_m = first_m + (pid % tiles_in_group) % group_m
    pid_n = (pid % tiles_in_group) // group_m

    offs_m = (pid_m * BM + tl.arange(0, BM)) % M
    offs_n = (pid_n * BN + tl.arange(0, BN)) % N
    offs_k = tl.arange(0, BK)
    a_ptrs = a_ptr + offs_m[:, None] * stride_am + offs_k[None, :] * stride_ak
    b_ptrs = b_ptr + offs_n[None, :] * stride_bn + offs_k[:, None] * stride_bk
    a_scale_ptrs = a_scale_ptr + offs_m * stride_asm
    b_scale_ptrs = b_scale_ptr + offs_n // STRIP * stride_bsn

    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BK, other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BK, other=0.0)
        strip = k * BK // STRIP
        a_scale = tl.load(a_scale_ptrs + strip * stride_ask)
        b_scale = tl.load(b_scale_ptrs + strip * stride_bsk)
        acc += tl.dot(a, b) * a_scale[:, None] * b_scale[None, :]
        a_ptrs += BK * stride_ak
        b_ptrs += BK * stride_bk

    offs_cm = pid_m * BM + tl.arange(0, BM)
    offs_cn = pid_n * BN + tl.arange(0, BN)
    c_ptrs = c_ptr + offs_cm[:, None] * stride_cm + offs_cn[None, :] * stride_cn
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(offs_cm[:, None] < M) & (offs_cn[None, :] < N))


@argus.launch(
    "a: f8e4m3fn[M, K] strided, b: f8e4m3fn[N, K] strided,"
    " a_scale: f32[M, cdiv(K, 128)] strided, b_scale: f32[cdiv(N, 128), cdiv(K, 128)] strided"
)
def fp8_block_scaled_matmul(a, b, a_scale, b_scale, out_dtype=torch.bfloat16):
    """c[m, n] = sum over strips s of a_scale[m, s] * b_scale[n // 128, s] * (sum over k in s of a[m, k] * b[n, k])."""
    M, K = a.shape
    N = b.shape[0]
    strip = 128
    assert a_scale.shape == (M, triton.cdiv(K, strip)), "a needs a scale for every strip of every row"
    assert b_scale.shape == (triton.cdiv(N, strip), triton.cdiv(K, strip)), "b needs a scale for every block"
    c = torch.empty((M, N), dtype=out_dtype, device=a.device)

    def grid(meta):
        return (triton.cdiv(M, meta["BM"]) * triton.cdiv(N, meta["BN"]),)

    fp8_matmul_kernel[grid](
        a, b, c, a_scale, b_scale, M, N, K,
        *a.stride(), *b.stride(), *c.stride(), *a_scale.stride(), *b_scale.stride(),
        STRIP=strip, BM=64, BN=64, BK=64, GROUP_M=8,
    )  # fmt: skip
    return c
