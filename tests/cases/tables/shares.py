"""Vectors behind a table, filled by several programs each: who fills what of which vector is right or wrong in one place."""

import triton
import triton.language as tl

POINTER = tl.pointer_type(tl.float32)


@triton.jit
def fill_kernel(table, sizes, FAULT: tl.constexpr, B: tl.constexpr):
    g = tl.program_id(1)
    if FAULT == "entry shared":
        g = g // 2
    if FAULT == "entry skipped":
        g = g * 2
    n = tl.load(sizes + g)
    x = tl.load(table + g).to(POINTER)
    start = tl.program_id(0)
    step = tl.num_programs(0)
    if FAULT == "all by all":
        start = 0
    if FAULT == "step too long":
        step = step + 1
    if FAULT == "step too short":
        step = 1
    for block in range(start, tl.cdiv(n, B), step):
        i = block * B + tl.arange(0, B)
        live = i < n
        if FAULT == "last left out":
            live = i < n - 1
        tl.store(x + i, tl.program_id(0) + 64 * tl.program_id(1) + i * 0.5, mask=live)
        if FAULT == "neighbour too":
            tl.store(x + i + 1, 1.0, mask=i < n - 1)


def fill(table, sizes, programs, fault):
    fill_kernel[(programs, sizes.shape[0])](table, sizes, FAULT=fault, B=16)


def fill_halves(table, sizes):
    """Each program of a pair fills one half of a vector of even length, but both their own entry."""
    halves_kernel[(2, sizes.shape[0])](table, sizes, B=16)


@triton.jit
def halves_kernel(table, sizes, B: tl.constexpr):
    g = tl.program_id(1)
    half = tl.load(sizes + g)
    x = tl.load(table + g).to(POINTER) + tl.program_id(0) * half
    for start in range(0, half, B):
        i = start + tl.arange(0, B)
        tl.store(x + i, 1.0, mask=i < half)
