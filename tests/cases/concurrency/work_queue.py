"""Programs draw tiles from a queue; a queue that is read and written without an atomic gives one tile to several."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def drawn(queue, y, n, tiles, B: tl.constexpr):
    tile = tl.atomic_add(queue, 1)
    while tile < tiles:
        i = tile * B + tl.arange(0, B)
        tl.store(y + i, tl.program_id(0), mask=i < n)
        tile = tl.atomic_add(queue, 1)


@triton.jit
def shared(queue, y, n, tiles, B: tl.constexpr):
    tile = tl.load(queue)
    tl.store(queue, tile + 1)
    while tile < tiles:
        i = tile * B + tl.arange(0, B)
        tl.store(y + i, tl.program_id(0), mask=i < n)
        tile = tl.load(queue)
        tl.store(queue, tile + 1)


@argus.launch("y: i32[n] inout")
def ok(y):
    queue = torch.zeros((1,), dtype=torch.int32, device=y.device)
    drawn[(4,)](queue, y, y.shape[0], triton.cdiv(y.shape[0], 16), B=16)


@argus.launch("y: i32[n] inout")
def bug(y):
    queue = torch.zeros((1,), dtype=torch.int32, device=y.device)
    shared[(4,)](queue, y, y.shape[0], triton.cdiv(y.shape[0], 16), B=16)
