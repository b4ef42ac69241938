"""A tile read back by the lanes that stored it, and by their neighbours with no barrier between."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def again(x, y, z, n, AHEAD: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n, other=0), mask=i < n)
    last = min((tl.program_id(0) + 1) * B, n)
    v = tl.load(y + i + AHEAD, mask=i + AHEAD < last, other=0)
    tl.store(z + i, v, mask=i < n)


@argus.launch("x: i32[n], y: i32[n] out, z: i32[n] out")
def ok(x, y, z):
    again[(triton.cdiv(x.shape[0], 16),)](x, y, z, x.shape[0], AHEAD=0, B=16)


@argus.launch("x: i32[n], y: i32[n] out, z: i32[n] out")
def bug(x, y, z):
    again[(triton.cdiv(x.shape[0], 16),)](x, y, z, x.shape[0], AHEAD=1, B=16)
