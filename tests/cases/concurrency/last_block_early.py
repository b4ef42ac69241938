"""Last block done; the faulty kernel's last but one program already sums, when one part may be missing."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def counted(x, part, count, total, n, LATE: tl.constexpr, B: tl.constexpr, P: tl.constexpr):
    pid = tl.program_id(0)
    programs = tl.num_programs(0)
    i = pid * B + tl.arange(0, B)
    tl.store(part + pid, tl.sum(tl.load(x + i, mask=i < n, other=0.0)))
    tl.debug_barrier()
    if tl.atomic_add(count, 1) == programs - LATE:
        c = tl.arange(0, P)
        tl.store(total, tl.sum(tl.load(part + c, mask=c < programs, other=0.0)))


@argus.launch("x: f32[n] where n <= 128")
def ok(x):
    blocks = triton.cdiv(x.shape[0], 16)
    part = torch.zeros((blocks,), dtype=torch.float32, device=x.device)
    count = torch.zeros((1,), dtype=torch.int32, device=x.device)
    total = torch.zeros((1,), dtype=torch.float32, device=x.device)
    counted[(blocks,)](x, part, count, total, x.shape[0], LATE=1, B=16, P=8)
    return total


@argus.launch("x: f32[n] where n <= 128")
def bug(x):
    blocks = triton.cdiv(x.shape[0], 16)
    part = torch.zeros((blocks,), dtype=torch.float32, device=x.device)
    count = torch.zeros((1,), dtype=torch.int32, device=x.device)
    total = torch.zeros((1,), dtype=torch.float32, device=x.device)
    counted[(blocks,)](x, part, count, total, x.shape[0], LATE=2, B=16, P=8)
    return total
