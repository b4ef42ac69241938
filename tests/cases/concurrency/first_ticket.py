"""Who draws the first ticket writes; in the faulty kernel whoever draws its own number does, which many may."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def first(queue, y):
    if tl.atomic_add(queue, 1) == 0:
        tl.store(y, tl.program_id(0))


@triton.jit
def own(queue, y):
    if tl.atomic_add(queue, 1) == tl.program_id(0):
        tl.store(y, tl.program_id(0))


@argus.launch("y: i32[1] inout, P: int where P >= 1")
def ok(y, P):
    queue = torch.zeros((1,), dtype=torch.int32, device=y.device)
    first[(P,)](queue, y)


@argus.launch("y: i32[1] inout, P: int where P >= 1")
def bug(y, P):
    queue = torch.zeros((1,), dtype=torch.int32, device=y.device)
    own[(P,)](queue, y)
