"""Kernels whose addresses are right only thanks to what the signature states of the order of an index tensor."""

import torch
import triton
import triton.language as tl


@triton.jit
def segment_copy(x, cu, o, B, BLOCK: tl.constexpr):
    """Copies the segment [cu[b], cu[b + 1]) of x: inside x only if cu ends at its length."""
    b = tl.program_id(0)
    start = tl.load(cu + b)
    stop = tl.load(cu + b + 1)
    for at in range(start, stop, BLOCK):
        i = at + tl.arange(0, BLOCK)
        tl.store(o + i, tl.load(x + i, mask=i < stop, other=0.0), mask=i < stop)


def segments(x, cu):
    o = torch.empty_like(x)
    segment_copy[(cu.shape[0] - 1,)](x, cu, o, cu.shape[0] - 1, BLOCK=16)
    return o


@triton.jit
def gap_fill(cu, o, L, BLOCK: tl.constexpr):
    """Writes one row of L places for each segment: right only if no segment is longer than L."""
    b = tl.program_id(0)
    length = tl.load(cu + b + 1) - tl.load(cu + b)
    for i in range(0, length):
        tl.store(o + b * L + i, 1.0)


def gaps(cu, o):
    gap_fill[(cu.shape[0] - 1,)](cu, o, o.shape[1], BLOCK=16)


@triton.jit
def pair_distance(p, o, n):
    """Divides by the difference of two entries that must differ."""
    i = tl.program_id(0)
    a = tl.load(p + i)
    b = tl.load(p + i + 1)
    tl.store(o + i, 100 // (a - b))


def pairs(p, o):
    pair_distance[(p.shape[0] - 1,)](p, o, p.shape[0])


@triton.jit
def row_order(t, o, P, N):
    """Within each row the later page is the larger one: the difference is an index."""
    r = tl.program_id(0)
    first = tl.load(t + r * P)
    last = tl.load(t + r * P + P - 1)
    tl.store(o + last - first, 1.0)


def rows(t, o):
    row_order[(t.shape[0],)](t, o, t.shape[1], o.shape[0])
