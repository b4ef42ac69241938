"""Splits of one tile take turns by a semaphore; the faulty kernel raises it but does not wait for it."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def in_turn(x, y, turn, n, B: tl.constexpr):
    split = tl.program_id(1)
    tile = tl.program_id(0)
    i = tile * B + tl.arange(0, B)
    v = tl.load(x + split * n + i, mask=i < n, other=0.0)
    while tl.atomic_cas(turn + tile, split, split) != split:
        pass
    if split > 0:
        v += tl.load(y + i, mask=i < n, other=0.0)
    tl.store(y + i, v, mask=i < n)
    tl.debug_barrier()
    tl.atomic_xchg(turn + tile, split + 1)


@triton.jit
def out_of_turn(x, y, turn, n, B: tl.constexpr):
    split = tl.program_id(1)
    tile = tl.program_id(0)
    i = tile * B + tl.arange(0, B)
    v = tl.load(x + split * n + i, mask=i < n, other=0.0)
    if split > 0:
        v += tl.load(y + i, mask=i < n, other=0.0)
    tl.store(y + i, v, mask=i < n)
    tl.debug_barrier()
    tl.atomic_xchg(turn + tile, split + 1)


@argus.launch("x: f32[S, n], y: f32[n] out")
def ok(x, y):
    S, n = x.shape
    tiles = triton.cdiv(n, 16)
    turn = torch.zeros((tiles,), dtype=torch.int32, device=x.device)
    in_turn[(tiles, S)](x, y, turn, n, B=16)


@argus.launch("x: f32[S, n], y: f32[n] out")
def bug(x, y):
    S, n = x.shape
    tiles = triton.cdiv(n, 16)
    turn = torch.zeros((tiles,), dtype=torch.int32, device=x.device)
    out_of_turn[(tiles, S)](x, y, turn, n, B=16)
