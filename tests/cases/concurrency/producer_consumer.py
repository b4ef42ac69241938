"""One program fills a buffer and raises a flag, another waits for it; the faulty producer raises the flag first."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def data_first(x, buffer, flag, y, B: tl.constexpr):
    i = tl.arange(0, B)
    if tl.program_id(0) == 0:
        tl.store(buffer + i, tl.load(x + i) * 2)
        tl.debug_barrier()
        tl.atomic_xchg(flag, 1)
    else:
        while tl.atomic_cas(flag, 1, 1) != 1:
            pass
        tl.store(y + i, tl.load(buffer + i))


@triton.jit
def flag_first(x, buffer, flag, y, B: tl.constexpr):
    i = tl.arange(0, B)
    if tl.program_id(0) == 0:
        tl.atomic_xchg(flag, 1)
        tl.store(buffer + i, tl.load(x + i) * 2)
    else:
        while tl.atomic_cas(flag, 1, 1) != 1:
            pass
        tl.store(y + i, tl.load(buffer + i))


@argus.launch("x: f32[16], y: f32[16] out")
def ok(x, y):
    buffer = torch.zeros((16,), dtype=torch.float32, device=x.device)
    flag = torch.zeros((1,), dtype=torch.int32, device=x.device)
    data_first[(2,)](x, buffer, flag, y, B=16)


@argus.launch("x: f32[16], y: f32[16] out")
def bug(x, y):
    buffer = torch.zeros((16,), dtype=torch.float32, device=x.device)
    flag = torch.zeros((1,), dtype=torch.int32, device=x.device)
    flag_first[(2,)](x, buffer, flag, y, B=16)
