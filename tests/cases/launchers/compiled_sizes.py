"""Kernels that take the row length N as a constexpr, for what constexprs are good for and for what they are not."""

import triton
import triton.language as tl


@triton.jit
def masked_kernel(x, o, N: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    row = tl.program_id(0) * N
    tl.store(o + row + at, tl.load(x + row + at, mask=at < N), mask=at < N)


def masked(x, o):
    M, N = x.shape
    masked_kernel[(M, triton.cdiv(N, 64))](x, o, N, BLOCK=64)


@triton.jit
def off_by_one_kernel(x, o, N: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    row = tl.program_id(0) * N
    tl.store(o + row + at, tl.load(x + row + at, mask=at < N), mask=at <= N)


def off_by_one(x, o):
    M, N = x.shape
    off_by_one_kernel[(M, triton.cdiv(N, 64))](x, o, N, BLOCK=64)


@triton.jit
def looped_kernel(x, o, N: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N
    for start in range(0, N, BLOCK):
        at = start + tl.arange(0, BLOCK)
        tl.store(o + row + at, tl.load(x + row + at, mask=at < N), mask=at < N)


def looped(x, o):
    looped_kernel[(x.shape[0],)](x, o, x.shape[1], BLOCK=32)


@triton.jit
def branched_kernel(x, o, N: tl.constexpr):
    row = tl.program_id(0) * N
    if N > 16:
        tl.store(o + row + 16, tl.load(x + row + 16))
    else:
        tl.store(o + row, tl.load(x + row))


def branched(x, o):
    branched_kernel[(x.shape[0],)](x, o, x.shape[1])


@triton.jit
def divided_kernel(x, o, N: tl.constexpr):
    row = tl.program_id(0) * N
    tl.store(o + row + N // 2, tl.load(x + row + N % 3 // 2) / N)


def divided(x, o):
    divided_kernel[(x.shape[0],)](x, o, x.shape[1])


@triton.jit
def shaped_kernel(x, o, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(o + at, tl.load(x + at))


def shaped(x, o):
    shaped_kernel[(x.shape[0],)](x, o, x.shape[1])


@triton.jit
def narrow_kernel(x, o, N: tl.constexpr):
    at = tl.arange(0, 16).to(tl.int16) * N
    tl.store(o + at, tl.load(x))


def narrow(x, o):
    """A constant does not widen a tile of narrow integers; an argument does."""
    narrow_kernel[(1,)](x, o, x.shape[1])


@triton.jit
def halved_kernel(x, o, N: tl.constexpr):
    half: tl.constexpr = N * 0.5
    tl.store(o + half.to(tl.int32) if False else o, tl.load(x) * half)


def halved(x, o):
    halved_kernel[(1,)](x, o, x.shape[1])


@triton.jit
def ceiled_kernel(x, o, N: tl.constexpr):
    tl.store(o - (-N // 4) - 1, tl.load(x))


def ceiled(x, o):
    """Floor division of a negative constant; at run time it would round towards zero."""
    ceiled_kernel[(1,)](x, o, x.shape[1])
