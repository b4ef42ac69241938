"""Each consumer has a flag of its own to reset; one flag for all is reset while the others still poll it."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def hand_out(x, buffer, flag, y, consumers, STEP: tl.constexpr, B: tl.constexpr):
    pid = tl.program_id(0)
    i = tl.arange(0, B)
    if pid == 0:
        tl.store(buffer + i, tl.load(x + i))
        tl.debug_barrier()
        for c in range(0, consumers):
            tl.atomic_xchg(flag + c * STEP, 1)
    else:
        mine = flag + (pid - 1) * STEP
        while tl.atomic_cas(mine, 1, 1) != 1:
            pass
        tl.store(y + (pid - 1) * B + i, tl.load(buffer + i))
        tl.atomic_xchg(mine, 0)


@argus.launch("x: f32[16], y: f32[P, 16] out")
def ok(x, y):
    P = y.shape[0]
    buffer = torch.zeros((16,), dtype=torch.float32, device=x.device)
    flag = torch.zeros((P,), dtype=torch.int32, device=x.device)
    hand_out[(P + 1,)](x, buffer, flag, y, P, STEP=1, B=16)


@argus.launch("x: f32[16], y: f32[P, 16] out")
def bug(x, y):
    P = y.shape[0]
    buffer = torch.zeros((16,), dtype=torch.float32, device=x.device)
    flag = torch.zeros((P,), dtype=torch.int32, device=x.device)
    hand_out[(P + 1,)](x, buffer, flag, y, P, STEP=0, B=16)
