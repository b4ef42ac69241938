"""A tile transposed through memory: other lanes read what was stored, so a barrier must stand between."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def through(x, scratch, y, BARRIER: tl.constexpr, B: tl.constexpr):
    r = tl.arange(0, B)[:, None]
    c = tl.arange(0, B)[None, :]
    mine = tl.program_id(0) * B * B
    tl.store(scratch + mine + r * B + c, tl.load(x + mine + r * B + c))
    if BARRIER:
        tl.debug_barrier()
    tl.store(y + mine + r * B + c, tl.load(scratch + mine + c * B + r))


@argus.launch("x: f32[P, 16, 16], y: f32[P, 16, 16] out")
def ok(x, y):
    scratch = torch.empty_like(x)
    through[(x.shape[0],)](x, scratch, y, BARRIER=True, B=16)


@argus.launch("x: f32[P, 16, 16], y: f32[P, 16, 16] out")
def bug(x, y):
    scratch = torch.empty_like(x)
    through[(x.shape[0],)](x, scratch, y, BARRIER=False, B=16)
