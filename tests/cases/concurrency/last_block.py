"""The program that counts last sums the partial results; the faulty kernel counts before all its threads have stored."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def counted(x, part, count, total, n, B: tl.constexpr, P: tl.constexpr):
    pid = tl.program_id(0)
    programs = tl.num_programs(0)
    i = pid * B + tl.arange(0, B)
    c = tl.arange(0, P)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(part + pid * B + tl.arange(0, B), v)
    tl.debug_barrier()
    if tl.atomic_add(count, 1) == programs - 1:
        every = tl.load(part + c, mask=c < programs * B, other=0.0)
        tl.store(total, tl.sum(every))


@triton.jit
def hasty(x, part, count, total, n, B: tl.constexpr, P: tl.constexpr):
    pid = tl.program_id(0)
    programs = tl.num_programs(0)
    i = pid * B + tl.arange(0, B)
    c = tl.arange(0, P)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(part + pid * B + tl.arange(0, B), v)
    if tl.atomic_add(count, 1) == programs - 1:
        every = tl.load(part + c, mask=c < programs * B, other=0.0)
        tl.store(total, tl.sum(every))


@argus.launch("x: f32[n] where n <= 128")
def ok(x):
    blocks = triton.cdiv(x.shape[0], 16)
    part = torch.empty((blocks * 16,), dtype=torch.float32, device=x.device)
    count = torch.zeros((1,), dtype=torch.int32, device=x.device)
    total = torch.empty((1,), dtype=torch.float32, device=x.device)
    counted[(blocks,)](x, part, count, total, x.shape[0], B=16, P=128)
    return total


@argus.launch("x: f32[n] where n <= 128")
def bug(x):
    blocks = triton.cdiv(x.shape[0], 16)
    part = torch.empty((blocks * 16,), dtype=torch.float32, device=x.device)
    count = torch.zeros((1,), dtype=torch.int32, device=x.device)
    total = torch.empty((1,), dtype=torch.float32, device=x.device)
    hasty[(blocks,)](x, part, count, total, x.shape[0], B=16, P=128)
    return total
