"""Blocks of the vector by program id; the faulty kernel advances by half a block, so that neighbours overlap."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def apart(y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.program_id(0) * 1.0, mask=i < n)


@triton.jit
def overlapping(y, n, B: tl.constexpr):
    i = tl.program_id(0) * (B // 2) + tl.arange(0, B)
    tl.store(y + i, tl.program_id(0) * 1.0, mask=i < n)


@argus.launch("y: f32[n] out")
def ok(y):
    apart[(triton.cdiv(y.shape[0], 16),)](y, y.shape[0], B=16)


@argus.launch("y: f32[n] out")
def bug(y):
    overlapping[(triton.cdiv(y.shape[0], 8),)](y, y.shape[0], B=16)
