"""Rows are summed under a lock of their group; the faulty kernel frees the lock while its stores are under way."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def guarded(x, part, lock, N, GROUPS: tl.constexpr, B: tl.constexpr):
    row = tl.program_id(0)
    g = row % GROUPS
    c = tl.arange(0, B)
    v = tl.load(x + row * N + c, mask=c < N, other=0.0)
    while tl.atomic_cas(lock + g, 0, 1) == 1:
        pass
    v += tl.load(part + g * N + c, mask=c < N, other=0.0)
    tl.store(part + g * N + c, v, mask=c < N)
    tl.debug_barrier()
    tl.atomic_xchg(lock + g, 0)


@triton.jit
def hasty(x, part, lock, N, GROUPS: tl.constexpr, B: tl.constexpr):
    row = tl.program_id(0)
    g = row % GROUPS
    c = tl.arange(0, B)
    v = tl.load(x + row * N + c, mask=c < N, other=0.0)
    while tl.atomic_cas(lock + g, 0, 1) == 1:
        pass
    v += tl.load(part + g * N + c, mask=c < N, other=0.0)
    tl.store(part + g * N + c, v, mask=c < N)
    tl.atomic_xchg(lock + g, 0)


@argus.launch("x: f32[M, N] where N <= 32")
def ok(x):
    M, N = x.shape
    part = torch.zeros((4, N), dtype=torch.float32, device=x.device)
    lock = torch.zeros((4,), dtype=torch.int32, device=x.device)
    guarded[(M,)](x, part, lock, N, GROUPS=4, B=32)
    return part


@argus.launch("x: f32[M, N] where N <= 32")
def bug(x):
    M, N = x.shape
    part = torch.zeros((4, N), dtype=torch.float32, device=x.device)
    lock = torch.zeros((4,), dtype=torch.int32, device=x.device)
    hasty[(M,)](x, part, lock, N, GROUPS=4, B=32)
    return part
