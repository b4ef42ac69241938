"""Who claims a cell fills it and then says so; the faulty kernel takes the claim itself for the data."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def told(table, claim, ready, y, B: tl.constexpr):
    i = tl.arange(0, B)
    if tl.atomic_cas(claim, 0, 1) == 0:
        tl.store(table + i, i * 3)
        tl.debug_barrier()
        tl.atomic_xchg(ready, 1)
    while tl.atomic_cas(ready, 1, 1) != 1:
        pass
    tl.store(y + tl.program_id(0) * B + i, tl.load(table + i))


@triton.jit
def guessed(table, claim, ready, y, B: tl.constexpr):
    i = tl.arange(0, B)
    if tl.atomic_cas(claim, 0, 1) == 0:
        tl.store(table + i, i * 3)
        tl.debug_barrier()
        tl.atomic_xchg(ready, 1)
    tl.store(y + tl.program_id(0) * B + i, tl.load(table + i))


@argus.launch("y: i32[16 * P] out")
def ok(y):
    table = torch.zeros((16,), dtype=torch.int32, device=y.device)
    claim = torch.zeros((1,), dtype=torch.int32, device=y.device)
    ready = torch.zeros((1,), dtype=torch.int32, device=y.device)
    told[(y.shape[0] // 16,)](table, claim, ready, y, B=16)


@argus.launch("y: i32[16 * P] out")
def bug(y):
    table = torch.zeros((16,), dtype=torch.int32, device=y.device)
    claim = torch.zeros((1,), dtype=torch.int32, device=y.device)
    ready = torch.zeros((1,), dtype=torch.int32, device=y.device)
    guessed[(y.shape[0] // 16,)](table, claim, ready, y, B=16)
