"""SiLU, with a mask on the load and none on the store: the last block writes past the end."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def silu_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    tl.store(out_ptr + offsets, x / (1.0 + tl.exp(-x)))


@argus.launch("x: f32[n]")
def silu(x):
    out = torch.empty_like(x)
    n = x.numel()
    silu_kernel[(triton.cdiv(n, 512),)](x, out, n, BLOCK=512)
    return out
