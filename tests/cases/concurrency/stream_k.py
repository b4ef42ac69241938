"""Equal shares of all steps of all tiles, so that tiles are split between programs; only atomics add up their parts."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def atomic(x, y, steps, all_steps, each):
    pid = tl.program_id(0)
    for s in range(pid * each, min(pid * each + each, all_steps)):
        tl.atomic_add(y + s // steps, tl.load(x + s))


@triton.jit
def plain(x, y, steps, all_steps, each):
    pid = tl.program_id(0)
    for s in range(pid * each, min(pid * each + each, all_steps)):
        tl.store(y + s // steps, tl.load(y + s // steps) + tl.load(x + s))


@argus.launch("x: f32[T, K]")
def ok(x):
    T, K = x.shape
    y = torch.zeros((T,), dtype=torch.float32, device=x.device)
    atomic[(4,)](x, y, K, T * K, triton.cdiv(T * K, 4))
    return y


@argus.launch("x: f32[T, K]")
def bug(x):
    T, K = x.shape
    y = torch.zeros((T,), dtype=torch.float32, device=x.device)
    plain[(4,)](x, y, K, T * K, triton.cdiv(T * K, 4))
    return y
