"""Program 0 writes below a border, program 1 from it on; in the faulty kernel both write the border."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def apart(y, n, h, B: tl.constexpr):
    i = tl.arange(0, B)
    if tl.program_id(0) == 0:
        tl.store(y + i, 0, mask=(i < h) & (i < n))
    else:
        tl.store(y + i, 1, mask=(i >= h) & (i < n))


@triton.jit
def meeting(y, n, h, B: tl.constexpr):
    i = tl.arange(0, B)
    if tl.program_id(0) == 0:
        tl.store(y + i, 0, mask=(i <= h) & (i < n))
    else:
        tl.store(y + i, 1, mask=(i >= h) & (i < n))


@argus.launch("y: i32[n] out, h: int where n <= 64, h >= 0")
def ok(y, h):
    apart[(2,)](y, y.shape[0], h, B=64)


@argus.launch("y: i32[n] out, h: int where n <= 64, h >= 0")
def bug(y, h):
    meeting[(2,)](y, y.shape[0], h, B=64)
