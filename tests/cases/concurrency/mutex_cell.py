"""A lock guards what its number determines; in the faulty kernel two locks guard one row."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def guarded(x, part, lock, N, LOCKS: tl.constexpr, ROWS: tl.constexpr, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * N + c, mask=c < N, other=0.0)
    cell = lock + row % LOCKS
    place = part + (row % ROWS) * N + c
    while tl.atomic_cas(cell, 0, 1) == 1:
        pass
    v += tl.load(place, mask=c < N, other=0.0)
    tl.store(place, v, mask=c < N)
    tl.debug_barrier()
    tl.atomic_xchg(cell, 0)


@argus.launch("x: f32[M, N] where N <= 32")
def ok(x):
    M, N = x.shape
    part = torch.zeros((4, N), dtype=torch.float32, device=x.device)
    lock = torch.zeros((4,), dtype=torch.int32, device=x.device)
    guarded[(M,)](x, part, lock, N, LOCKS=4, ROWS=4, B=32)
    return part


@argus.launch("x: f32[M, N] where N <= 32")
def bug(x):
    M, N = x.shape
    part = torch.zeros((4, N), dtype=torch.float32, device=x.device)
    lock = torch.zeros((4,), dtype=torch.int32, device=x.device)
    guarded[(M,)](x, part, lock, N, LOCKS=4, ROWS=2, B=32)
    return part
