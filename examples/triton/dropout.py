"""Dropout from a seed: no mask is kept, the backward pass draws the same random numbers again."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def dropout_kernel(x_ptr, out_ptr, n_elements, p, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    keep = tl.rand(seed, offsets) > p
    tl.store(out_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=mask)


@argus.launch("x: f32[M, N], p: float in [0, 1), seed: int in [0, 2147483647]")
def dropout(x, p, seed):
    out = torch.empty_like(x)
    n_elements = x.numel()
    grid = (triton.cdiv(n_elements, 1024),)
    dropout_kernel[grid](x, out, n_elements, p, seed, BLOCK=1024)
    return out
