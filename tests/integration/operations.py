"""Kernels that use, between them, the operations that the examples leave out; with their launchers."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def integers_kernel(x_ptr, y_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = i < n
    x = tl.load(x_ptr + i, mask=live, other=1)
    y = tl.load(y_ptr + i, mask=live, other=1)
    tl.store(o_ptr + 0 * n + i, x // y, mask=live)
    tl.store(o_ptr + 1 * n + i, x % y, mask=live)
    tl.store(o_ptr + 2 * n + i, (x << 3) ^ (y >> 1), mask=live)
    tl.store(o_ptr + 3 * n + i, tl.maximum(x, y) - tl.minimum(x, -y), mask=live)
    tl.store(o_ptr + 4 * n + i, tl.abs(x) & (y | 5), mask=live)
    tl.store(o_ptr + 5 * n + i, ~x, mask=live)
    tl.store(o_ptr + 6 * n + i, x.to(tl.int8).to(tl.int32), mask=live)
    unsigned = x.to(tl.uint32, bitcast=True)
    tl.store(o_ptr + 7 * n + i, (unsigned // 7).to(tl.int32), mask=live)
    tl.store(o_ptr + 8 * n + i, (unsigned >> 5).to(tl.int32, bitcast=True), mask=live)
    tl.store(o_ptr + 9 * n + i, tl.umulhi(unsigned, unsigned * 0 + 123456789).to(tl.int32, bitcast=True), mask=live)
    tl.store(o_ptr + 10 * n + i, tl.where((x > y) & ~(x == 3), x, y), mask=live)


def integers(x, y):
    out = torch.zeros((11, x.numel()), dtype=x.dtype)
    integers_kernel[(triton.cdiv(x.numel(), 16),)](x, y, out, x.numel(), BLOCK=16)
    return out


@triton.jit
def floats_kernel(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    live = i < n
    x = tl.load(x_ptr + i, mask=live, other=0.5).to(tl.float32)
    a = tl.abs(x) + 0.25
    tl.store(o_ptr + 0 * n + i, tl.exp(x) + tl.exp2(x), mask=live)
    tl.store(o_ptr + 1 * n + i, tl.log(a) + tl.log2(a), mask=live)
    tl.store(o_ptr + 2 * n + i, tl.sin(x) + tl.cos(x), mask=live)
    tl.store(o_ptr + 3 * n + i, tl.sqrt(a) + tl.rsqrt(a), mask=live)
    tl.store(o_ptr + 4 * n + i, tl.floor(3 * x) - tl.ceil(x), mask=live)
    tl.store(o_ptr + 5 * n + i, tl.erf(x) + tl.sigmoid(x), mask=live)
    tl.store(o_ptr + 6 * n + i, tl.fma(x, a, x) / a, mask=live)
    tl.store(o_ptr + 7 * n + i, (x * 100).to(tl.int32).to(tl.float32), mask=live)
    short = tl.floor(8 * x).to(tl.bfloat16)  # exact: Triton's interpreter cuts bits off where hardware rounds
    tl.store(o_ptr + 8 * n + i, short.to(tl.float32) + x.to(tl.float16).to(tl.float32), mask=live)
    tl.store(o_ptr + 9 * n + i, tl.clamp(x, -0.5, 0.5) + tl.maximum(x, a), mask=live)


def floats(x):
    out = torch.zeros((10, x.numel()), dtype=torch.float32)
    floats_kernel[(1,)](x, out, x.numel(), BLOCK=triton.next_power_of_2(x.numel()))
    return out


@triton.jit
def pick_larger(a, b):
    return tl.where(a > b, a, b)


@triton.jit
def reductions_kernel(x_ptr, row_ptr, tile_ptr, N, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.arange(0, BM)
    c = tl.arange(0, BN)
    x = tl.load(x_ptr + r[:, None] * N + c[None, :])
    tl.store(row_ptr + 0 * BM + r, tl.sum(x, axis=1))
    tl.store(row_ptr + 1 * BM + r, tl.max(x, axis=1) + tl.min(x, axis=1))
    tl.store(row_ptr + 2 * BM + r, tl.argmax(x, axis=1).to(tl.float32))
    tl.store(row_ptr + 3 * BM + r, tl.argmin(x, axis=1).to(tl.float32))
    tl.store(row_ptr + 4 * BM + r, tl.reduce(x, 1, pick_larger))
    at = r[:, None] * BN + c[None, :]
    tl.store(tile_ptr + 0 * BM * BN + at, tl.cumsum(x, axis=1))
    tl.store(tile_ptr + 1 * BM * BN + at, tl.cumsum(x, axis=0, reverse=True))
    tl.store(tile_ptr + 2 * BM * BN + at, tl.cumprod(x, axis=1))
    tl.store(tile_ptr + 3 * BM * BN + at, tl.associative_scan(x, 1, pick_larger))
    tl.store(tile_ptr + 4 * BM * BN + at, tl.sort(x))
    tl.store(tile_ptr + 5 * BM * BN + at, tl.gather(x, (at + 3) % BN, 1))
    tl.store(tile_ptr + 6 * BM * BN + at, tl.flip(x, 1))


def reductions(x):
    m, n = x.shape
    rows, tiles = torch.zeros((5, m)), torch.zeros((7, m, n))
    reductions_kernel[(1,)](x, rows, tiles, n, BM=m, BN=n)
    return rows, tiles


@triton.jit
def shapes_kernel(x_ptr, o_ptr, BM: tl.constexpr, BN: tl.constexpr):
    size: tl.constexpr = BM * BN
    i = tl.arange(0, size)
    x = tl.load(x_ptr + i)
    tile = tl.reshape(x, (BM, BN))
    tl.store(o_ptr + 0 * size + i, tl.reshape(tl.trans(tile), (size,)))
    left, right = tl.split(tl.reshape(x, (BM, BN // 2, 2)))
    tl.store(o_ptr + 1 * size + i, tl.reshape(tl.join(right, left), (size,)))
    cube = tl.permute(tl.reshape(x, (2, BM // 2, BN)), (2, 0, 1))
    tl.store(o_ptr + 2 * size + i, tl.ravel(cube))
    tl.store(o_ptr + 3 * size + i, tl.ravel(tl.broadcast_to(tl.sum(tile, axis=0)[None, :], (BM, BN))))
    tl.store(o_ptr + 4 * size + i, tl.ravel(tl.interleave(left, right)))


def shapes(x):
    out = torch.zeros((5, x.numel()), dtype=x.dtype)
    shapes_kernel[(1,)](x, out, BM=x.shape[0], BN=x.shape[1])
    return out


@triton.jit
def atomics_kernel(at_ptr, v_ptr, o_ptr, old_ptr, n, V, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = i < n
    at = tl.load(at_ptr + i, mask=live, other=0)
    v = tl.load(v_ptr + i, mask=live, other=0)
    tl.store(old_ptr + i, tl.atomic_add(o_ptr + at, v, mask=live), mask=live)
    tl.atomic_max(o_ptr + 1 * V + at, v, mask=live)
    tl.atomic_min(o_ptr + 2 * V + at, v, mask=live)
    tl.atomic_and(o_ptr + 3 * V + at, v, mask=live)
    tl.atomic_or(o_ptr + 4 * V + at, v, mask=live)
    tl.atomic_xor(o_ptr + 5 * V + at, v, mask=live)
    tl.atomic_xchg(o_ptr + 6 * V + at, v, mask=live)
    tl.atomic_cas(o_ptr + 7 * V + at, at * 0, v)


def atomics(at, v, cells):
    out, old = cells.clone(), torch.zeros_like(v)
    atomics_kernel[(triton.cdiv(at.numel(), 8),)](at, v, out, old, at.numel(), out.shape[1], BLOCK=8)
    return out, old


@triton.jit
def control_kernel(x_ptr, o_ptr, n, limit, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    total = tl.sum(x, axis=0)
    steps = 0
    while total > limit:
        total = total // 2 if total % 2 == 0 else total - 1
        steps += 1
    for k in range(5, -1, -2):
        steps += k * pid
    for a in tl.static_range(3):
        if a == 1:
            total += a
        elif pid % 2 == 0:
            total -= 1
    if total < 0:
        tl.store(o_ptr + pid, -1)
        return
    tl.store(o_ptr + pid, total * 100 + steps)


def control(x, limit):
    out = torch.zeros(triton.cdiv(x.numel(), 4), dtype=torch.int32)
    control_kernel[(out.numel(),)](x, out, x.numel(), limit, BLOCK=4)
    return out


@triton.jit
def dots_kernel(a_ptr, b_ptr, o_ptr, S: tl.constexpr):
    r = tl.arange(0, S)
    at = r[:, None] * S + r[None, :]
    a, b = tl.load(a_ptr + at), tl.load(b_ptr + at)
    tl.store(o_ptr + at, tl.dot(a, b, out_dtype=tl.int32))


def integer_dots(a, b):
    out = torch.zeros(a.shape, dtype=torch.int32)
    dots_kernel[(1,)](a, b, out, S=a.shape[0])
    return out


@triton.jit
def random_kernel(o_ptr, seed, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.rand(seed, i), mask=i < n)


def random_numbers(n, seed):
    out = torch.zeros(n)
    random_kernel[(triton.cdiv(n, 16),)](out, seed, n, BLOCK=16)
    return out
