"""Chunked linear attention over block pointers that are made anew in each chunk, with a state that ends in memory."""

import argus_smt as argus
import torch
import triton
import triton.language as tl


@triton.jit
def chunks_kernel(q, k, v, o, state, T, H: tl.constexpr, K: tl.constexpr, V: tl.constexpr, BT: tl.constexpr, BV: tl.constexpr):
    column = tl.program_id(0) * BV
    b, h = tl.program_id(1) // H, tl.program_id(1) % H
    row = b * T * H + h
    memory = tl.zeros((K, BV), tl.float32)
    for t in range(0, tl.cdiv(T, BT)):
        at_q = tl.make_block_ptr(q + row * K, (T, K), (H * K, 1), (t * BT, 0), (BT, K), (1, 0))
        at_k = tl.make_block_ptr(k + row * K, (K, T), (1, H * K), (0, t * BT), (K, BT), (0, 1))
        at_v = tl.make_block_ptr(v + row * V, (T, V), (H * V, 1), (t * BT, column), (BT, BV), (1, 0))
        at_o = tl.make_block_ptr(o + row * V, (T, V), (H * V, 1), (t * BT, column), (BT, BV), (1, 0))
        x = tl.load(at_q, boundary_check=(0, 1))
        y = tl.load(at_k, boundary_check=(0, 1))
        z = tl.load(at_v, boundary_check=(0, 1))
        i = tl.arange(0, BT)
        score = tl.where(i[:, None] >= i[None, :], tl.dot(x, y), 0.0)
        out = tl.dot(score.to(z.dtype), z) + tl.dot(x, memory.to(x.dtype))
        memory += tl.dot(y, z)
        tl.store(at_o, out.to(tl.float16), boundary_check=(0, 1))
    at_state = tl.make_block_ptr(state + tl.program_id(1) * K * V, (K, V), (V, 1), (0, column), (K, BV), (1, 0))
    tl.store(at_state, memory, boundary_check=(0, 1))


@argus.launch("linear_attention(q: f16[B, T, 4, 32], k: f16[B, T, 4, 32], v: f16[B, T, 4, 48])")
def linear_attention(q, k, v):
    b, t, h, d = q.shape
    e = v.shape[-1]
    o = torch.empty_like(v)
    state = torch.empty((b, h, d, e), dtype=torch.float32, device=q.device)
    chunks_kernel[(triton.cdiv(e, 32), b * h)](q, k, v, o, state, t, H=h, K=d, V=e, BT=64, BV=32)
    return o, state
