"""All programs count themselves in and wait for the others; the faulty kernel waits for one too few."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def meet(x, mid, count, y, n, SHORT: tl.constexpr, B: tl.constexpr):
    pid = tl.program_id(0)
    programs = tl.num_programs(0)
    i = pid * B + tl.arange(0, B)
    tl.store(mid + i, tl.load(x + i, mask=i < n, other=0.0), mask=i < n)
    tl.debug_barrier()
    tl.atomic_add(count, 1)
    while tl.atomic_add(count, 0) < programs - SHORT:
        pass
    back = n - 1 - i
    tl.store(y + i, tl.load(mid + back, mask=i < n, other=0.0), mask=i < n)


@argus.launch("x: f32[n], y: f32[n] out")
def ok(x, y):
    n = x.shape[0]
    mid = torch.zeros((n,), dtype=torch.float32, device=x.device)
    count = torch.zeros((1,), dtype=torch.int32, device=x.device)
    meet[(triton.cdiv(n, 16),)](x, mid, count, y, n, SHORT=0, B=16)


@argus.launch("x: f32[n], y: f32[n] out")
def bug(x, y):
    n = x.shape[0]
    mid = torch.zeros((n,), dtype=torch.float32, device=x.device)
    count = torch.zeros((1,), dtype=torch.int32, device=x.device)
    meet[(triton.cdiv(n, 16),)](x, mid, count, y, n, SHORT=1, B=16)
