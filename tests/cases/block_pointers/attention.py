"""Attention over block pointers, as Triton up to 3.6 has them: keys and values move along in the loop."""

import argus_smt as argus
import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(q, k, v, o, stride_h, stride_n, N, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    start = tl.program_id(0) * BM
    head = tl.program_id(1) * stride_h
    queries = tl.make_block_ptr(q + head, (N, D), (stride_n, 1), (start, 0), (BM, D), (1, 0))
    keys = tl.make_block_ptr(k + head, (D, N), (1, stride_n), (0, 0), (D, BN), (0, 1))
    values = tl.make_block_ptr(v + head, (N, D), (stride_n, 1), (0, 0), (BN, D), (1, 0))
    x = tl.load(queries, boundary_check=(0,), padding_option="zero")
    total = tl.zeros((BM, D), tl.float32)
    weight = tl.zeros((BM,), tl.float32)
    largest = tl.full((BM,), float("-inf"), tl.float32)
    for n in range(0, N, BN):
        y = tl.load(keys, boundary_check=(1,), padding_option="zero")
        score = tl.where(n + tl.arange(0, BN)[None, :] < N, tl.dot(x, y), float("-inf"))
        larger = tl.maximum(largest, tl.max(score, 1))
        p = tl.exp(score - larger[:, None])
        scale = tl.exp(largest - larger)
        z = tl.load(values, boundary_check=(0,), padding_option="zero")
        total = total * scale[:, None] + tl.dot(p.to(z.dtype), z)
        weight = weight * scale + tl.sum(p, 1)
        largest = larger
        keys = tl.advance(keys, (0, BN))
        values = tl.advance(values, (BN, 0))
    out = tl.make_block_ptr(o + head, (N, D), (stride_n, 1), (start, 0), (BM, D), (1, 0))
    tl.store(out, (total / weight[:, None]).to(tl.float16), boundary_check=(0,))


@argus.launch("attention(q: f16[H, N, 64], k: f16[H, N, 64], v: f16[H, N, 64])")
def attention(q, k, v):
    h, n, d = q.shape
    o = torch.empty_like(q)
    grid = (triton.cdiv(n, 64), h)
    attention_kernel[grid](q, k, v, o, q.stride(0), q.stride(1), n, D=d, BM=64, BN=32)
    return o
