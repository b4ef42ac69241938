"""Last block done, with the orderings written out; a relaxed counter hands nothing over."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def counted(x, part, count, total, n, B: tl.constexpr, P: tl.constexpr, SEM: tl.constexpr):
    pid = tl.program_id(0)
    programs = tl.num_programs(0)
    i = pid * B + tl.arange(0, B)
    tl.store(part + pid, tl.sum(tl.load(x + i, mask=i < n, other=0.0)))
    tl.debug_barrier()
    done = tl.atomic_add(count, 1, sem=SEM)
    if done == programs - 1:
        c = tl.arange(0, P)
        tl.store(total, tl.sum(tl.load(part + c, mask=c < programs, other=0.0)))


@argus.launch("x: f32[n] where n <= 128")
def ok(x):
    blocks = triton.cdiv(x.shape[0], 16)
    part = torch.empty((blocks,), dtype=torch.float32, device=x.device)
    count = torch.zeros((1,), dtype=torch.int32, device=x.device)
    total = torch.empty((1,), dtype=torch.float32, device=x.device)
    counted[(blocks,)](x, part, count, total, x.shape[0], B=16, P=8, SEM="acq_rel")
    return total


@argus.launch("x: f32[n] where n <= 128")
def bug(x):
    blocks = triton.cdiv(x.shape[0], 16)
    part = torch.empty((blocks,), dtype=torch.float32, device=x.device)
    count = torch.zeros((1,), dtype=torch.int32, device=x.device)
    total = torch.empty((1,), dtype=torch.float32, device=x.device)
    counted[(blocks,)](x, part, count, total, x.shape[0], B=16, P=8, SEM="relaxed")
    return total
