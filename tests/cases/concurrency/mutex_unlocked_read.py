"""All accesses of the shared row are under the lock; the faulty kernel reads the row before it takes the lock."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def inside(x, part, lock, N, B: tl.constexpr):
    c = tl.arange(0, B)
    v = tl.load(x + tl.program_id(0) * N + c, mask=c < N, other=0.0)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    old = tl.load(part + c, mask=c < N, other=0.0)
    tl.store(part + c, old + v, mask=c < N)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def outside(x, part, lock, N, B: tl.constexpr):
    c = tl.arange(0, B)
    v = tl.load(x + tl.program_id(0) * N + c, mask=c < N, other=0.0)
    old = tl.load(part + c, mask=c < N, other=0.0)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(part + c, old + v, mask=c < N)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@argus.launch("x: f32[M, N] where N <= 32")
def ok(x):
    M, N = x.shape
    part = torch.zeros((N,), dtype=torch.float32, device=x.device)
    lock = torch.zeros((1,), dtype=torch.int32, device=x.device)
    inside[(M,)](x, part, lock, N, B=32)
    return part


@argus.launch("x: f32[M, N] where N <= 32")
def bug(x):
    M, N = x.shape
    part = torch.zeros((N,), dtype=torch.float32, device=x.device)
    lock = torch.zeros((1,), dtype=torch.int32, device=x.device)
    outside[(M,)](x, part, lock, N, B=32)
    return part
