"""Each program has a ring buffer of its own; in the faulty kernel all share one."""

import torch
import triton
import triton.language as tl

import argus_smt as argus


@triton.jit
def turn(x, scratch, y, K, own, R: tl.constexpr):
    pid = tl.program_id(0)
    ring = scratch + pid * own * R
    for k in range(0, K):
        tl.store(ring + k % R, tl.load(x + pid * K + k))
    tl.debug_barrier()
    s = 0
    for k in range(0, R):
        s += tl.load(ring + k)
    tl.store(y + pid, s)


@argus.launch("x: i32[P, K], y: i32[P] out")
def ok(x, y):
    P, K = x.shape
    scratch = torch.zeros((P, 4), dtype=torch.int32, device=x.device)
    turn[(P,)](x, scratch, y, K, 1, R=4)


@argus.launch("x: i32[P, K], y: i32[P] out")
def bug(x, y):
    P, K = x.shape
    scratch = torch.zeros((P, 4), dtype=torch.int32, device=x.device)
    turn[(P,)](x, scratch, y, K, 0, R=4)
