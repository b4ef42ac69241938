"""Embedding look-up: row `tokens[t]` of a table, a tile of tokens by a tile of columns a program."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def embedding_kernel(
    tokens_ptr, table_ptr, out_ptr, n_tokens, dim, table_stride, out_stride, BLOCK_T: tl.constexpr, BLOCK_D: tl.constexpr
):
    t = tl.program_id(0) * BLOCK_T + tl.arange(0, BLOCK_T)
    d = tl.program_id(1) * BLOCK_D + tl.arange(0, BLOCK_D)
    live = t < n_tokens
    token = tl.load(tokens_ptr + t, mask=live, other=0)
    mask = live[:, None] & (d < dim)[None, :]
    rows = tl.load(table_ptr + token[:, None] * table_stride + d[None, :], mask=mask, other=0.0)
    tl.store(out_ptr + t[:, None] * out_stride + d[None, :], rows, mask=mask)


@argus.launch("tokens: i64[T] in [0, V), table: f32[V, D] {row, 1}")
def embedding(tokens, table):
    n_tokens = tokens.shape[0]
    dim = table.shape[1]
    out = torch.empty((n_tokens, dim), dtype=table.dtype, device=table.device)
    grid = (triton.cdiv(n_tokens, 16), triton.cdiv(dim, 64))
    embedding_kernel[grid](
        tokens, table, out, n_tokens, dim, table.stride(0), out.stride(0), BLOCK_T=16, BLOCK_D=64
    )
    return out
