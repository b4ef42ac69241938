"""Integer rows in a block of 16 columns of which N are real, and what is done with addresses."""

import torch
import triton
import triton.language as tl


@triton.jit
def min_zero(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=0)
    tl.store(y_ptr + tl.program_id(0), tl.min(x, axis=0))


@triton.jit
def min_largest(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=2147483647)
    tl.store(y_ptr + tl.program_id(0), tl.min(x, axis=0))


@triton.jit
def max_least(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=-2147483648)
    tl.store(y_ptr + tl.program_id(0), tl.max(x, axis=0))


@triton.jit
def max_minus_one(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=-1)
    tl.store(y_ptr + tl.program_id(0), tl.max(x, axis=0))


@triton.jit
def xor_zero(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=0)
    tl.store(y_ptr + tl.program_id(0), tl.xor_sum(x, axis=0))


@triton.jit
def count_equal(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=-1)
    tl.store(y_ptr + tl.program_id(0), tl.sum((x == 3).to(tl.int32), axis=0))


@triton.jit
def count_equal_zero(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=0)
    tl.store(y_ptr + tl.program_id(0), tl.sum((x == 0).to(tl.int32), axis=0))


@triton.jit
def histogram_bin(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=0)
    tl.store(y_ptr + tl.program_id(0), tl.max(tl.histogram(x, 4), axis=0))


@triton.jit
def histogram_masked(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=0)
    tl.store(y_ptr + tl.program_id(0), tl.max(tl.histogram(x, 4, mask=c < N), axis=0))


@triton.jit
def undefined_index(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    i = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N)
    z = tl.load(x_ptr + (i & 0), mask=c < N, other=0)
    tl.store(y_ptr + tl.program_id(0), tl.sum(z, axis=0))


@triton.jit
def address_stored(x_ptr, y_ptr, N, B: tl.constexpr):
    tl.store(y_ptr + tl.program_id(0), (x_ptr + tl.program_id(0)).to(tl.int64).to(tl.int32))


@triton.jit
def address_branch(x_ptr, y_ptr, N, B: tl.constexpr):
    y = 1
    if (x_ptr.to(tl.int64) // 4096) % 2 == 0:
        y = 2
    tl.store(y_ptr + tl.program_id(0), y)


@triton.jit
def address_loop(x_ptr, y_ptr, N, B: tl.constexpr):
    seed = x_ptr.to(tl.int64)
    total = tl.zeros((1,), tl.int64)
    for i in range(N):
        total = total * 3 + seed
    tl.store(y_ptr + tl.program_id(0) + tl.arange(0, 1), total.to(tl.int32))


@triton.jit
def alignment_tested(x_ptr, y_ptr, N, B: tl.constexpr):
    y = 1
    if x_ptr.to(tl.int64) % 16 == 0:
        y = 2
    tl.store(y_ptr + tl.program_id(0), y)


@triton.jit
def address_cancels(x_ptr, y_ptr, N, B: tl.constexpr):
    distance = (x_ptr + tl.program_id(0)).to(tl.int64) - x_ptr.to(tl.int64)
    tl.store(y_ptr + tl.program_id(0), distance.to(tl.int32))


@triton.jit
def address_and_back(x_ptr, y_ptr, N, B: tl.constexpr):
    p = (x_ptr.to(tl.int64) + 4 * tl.program_id(0)).to(tl.pointer_type(tl.int32))
    tl.store(y_ptr + tl.program_id(0), tl.load(p))


KERNELS = {k: v for k, v in globals().items() if isinstance(v, triton.runtime.JITFunction)}


def numbers(x, name):
    M, N = x.shape
    assert N <= 16, "a row must fit into one block"
    y = torch.empty((M,), dtype=torch.int32, device=x.device)
    KERNELS[name][(M,)](x, y, N, B=16)
    return y
