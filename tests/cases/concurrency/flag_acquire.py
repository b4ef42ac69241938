"""A consumer that acquires the flag, and one that polls it relaxed and may see old data."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def handed_over(x, buffer, flag, y, SEM: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    if tl.program_id(0) == 0:
        tl.store(buffer + i, tl.load(x + i) * 2)
        tl.debug_barrier()
        tl.atomic_xchg(flag, 1, sem="release")
    else:
        while tl.atomic_add(flag, 0, sem=SEM) == 0:
            pass
        tl.store(y + i, tl.load(buffer + i))


@argus.launch("x: f32[16], y: f32[16] out")
def ok(x, y):
    buffer = torch.zeros((16,), dtype=torch.float32, device=x.device)
    flag = torch.zeros((1,), dtype=torch.int32, device=x.device)
    handed_over[(2,)](x, buffer, flag, y, SEM="acquire", B=16)


@argus.launch("x: f32[16], y: f32[16] out")
def bug(x, y):
    buffer = torch.zeros((16,), dtype=torch.float32, device=x.device)
    flag = torch.zeros((1,), dtype=torch.int32, device=x.device)
    handed_over[(2,)](x, buffer, flag, y, SEM="relaxed", B=16)
