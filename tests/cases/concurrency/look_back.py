"""A running sum over blocks, each waiting for the block before; the faulty kernel polls with plain loads."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def chained(x, sums, flags, n, B: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * B + tl.arange(0, B)
    s = tl.sum(tl.load(x + i, mask=i < n, other=0.0))
    if pid > 0:
        while tl.atomic_add(flags + pid - 1, 0, sem="acquire") == 0:
            pass
        s += tl.load(sums + pid - 1)
    tl.store(sums + pid, s)
    tl.debug_barrier()
    tl.atomic_xchg(flags + pid, 1, sem="release")


@triton.jit
def polling(x, sums, flags, n, B: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * B + tl.arange(0, B)
    s = tl.sum(tl.load(x + i, mask=i < n, other=0.0))
    if pid > 0:
        while tl.load(flags + pid - 1, volatile=True) == 0:
            pass
        s += tl.load(sums + pid - 1)
    tl.store(sums + pid, s)
    tl.debug_barrier()
    tl.atomic_xchg(flags + pid, 1, sem="release")


@argus.launch("x: f32[n]")
def ok(x):
    blocks = triton.cdiv(x.shape[0], 16)
    sums = torch.zeros((blocks,), dtype=torch.float32, device=x.device)
    flags = torch.zeros((blocks,), dtype=torch.int32, device=x.device)
    chained[(blocks,)](x, sums, flags, x.shape[0], B=16)
    return sums


@argus.launch("x: f32[n]")
def bug(x):
    blocks = triton.cdiv(x.shape[0], 16)
    sums = torch.zeros((blocks,), dtype=torch.float32, device=x.device)
    flags = torch.zeros((blocks,), dtype=torch.int32, device=x.device)
    polling[(blocks,)](x, sums, flags, x.shape[0], B=16)
    return sums
