"""Kernels that use, between them, descriptors and operations on whole tiles; with their launchers."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def blocks_kernel(x_ptr, o_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    src = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    dst = tl.make_tensor_descriptor(o_ptr, shape=[N, M], strides=[M, 1], block_shape=[BN, BM])
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    dst.store([j, i], tl.trans(src.load([i, j])))


def transposed(x):
    m, n = x.shape
    out = torch.zeros((n, m), dtype=x.dtype)
    blocks_kernel[(triton.cdiv(m, 8), triton.cdiv(n, 8))](x, out, m, n, BM=8, BN=8)
    return out


@triton.jit
def host_blocks_kernel(src, o_ptr, N, BM: tl.constexpr, BN: tl.constexpr):
    r, c = tl.arange(0, BM)[:, None], tl.arange(0, BN)[None, :]
    rows, cols = tl.cdiv(src.shape[0], BM), tl.cdiv(src.shape[1], BN)
    for t in range(tl.program_id(0), rows * cols, tl.num_programs(0)):
        i, j = t // cols * BM, t % cols * BN
        tl.store(o_ptr + (i + r) * N + j + c, src.load([i, j]), mask=j + c < N)


def padded(x, padding):
    m, n = x.shape
    out = torch.zeros((triton.cdiv(m, 8) * 8, n + 3), dtype=x.dtype)
    host_blocks_kernel[(3,)](TensorDescriptor.from_tensor(x, [8, 8], padding=padding), out, n + 3, BM=8, BN=8)
    return out


@triton.jit
def rows_kernel(x_ptr, at_ptr, o_ptr, M, N, BN: tl.constexpr):
    src = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[N, 1], block_shape=[1, BN])
    dst = tl.make_tensor_descriptor(o_ptr, shape=[M, N], strides=[N, 1], block_shape=[1, BN])
    at = tl.load(at_ptr + tl.arange(0, 8))
    for j in range(0, N, BN):
        dst.scatter(src.gather(at, j), tl.arange(0, 8), j)


def picked_rows(x, at):
    out = torch.zeros_like(x)
    rows_kernel[(1,)](x, at, out, x.shape[0], x.shape[1], BN=8)
    return out


@triton.jit
def counts_kernel(x_ptr, o_ptr, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    at = tl.arange(0, BINS)
    tl.store(o_ptr + at, tl.histogram(x, BINS))
    tl.store(o_ptr + BINS + at, tl.histogram(x, BINS, mask=i < n))


def counts(x):
    out = torch.zeros((2, 8), dtype=torch.int32)
    counts_kernel[(1,)](x, out, x.numel(), BINS=8, BLOCK=triton.next_power_of_2(x.numel()))
    return out


@triton.jit
def shared_bits(a, b):
    return a & b


@triton.jit
def best_first(a, i, b, j):
    if a > b:
        return a, i
    if a < b:
        return b, j
    return a, tl.minimum(i, j)


@triton.jit
def integer_folds_kernel(x_ptr, o_ptr, p_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    u = x.to(tl.uint32, bitcast=True)
    tl.store(o_ptr + 0, tl.max(x, 0) + tl.min(x, 0))
    tl.store(o_ptr + 1, tl.argmax(x, 0))
    tl.store(o_ptr + 2, tl.argmin(x, 0))
    tl.store(o_ptr + 3, tl.xor_sum(x, 0))
    tl.store(o_ptr + 4, tl.reduce(x, 0, shared_bits))
    tl.store(o_ptr + 5, tl.max(u, 0).to(tl.int32, bitcast=True))
    tl.store(o_ptr + 6, tl.min(u, 0).to(tl.int32, bitcast=True))
    best, place = tl.reduce((x, i), 0, best_first)
    tl.store(o_ptr + 7, best - place)
    tl.store(p_ptr + 0 * BLOCK + i, tl.cumsum(x, 0))
    tl.store(p_ptr + 1 * BLOCK + i, tl.associative_scan(x, 0, shared_bits, reverse=True))
    tl.store(p_ptr + 2 * BLOCK + i, tl.sort(x, descending=True))
    top = tl.topk(x, 4)
    tl.store(p_ptr + 3 * BLOCK + tl.arange(0, 4), top)
    tl.store(p_ptr + 4 * BLOCK + i, tl.flip(x, 0))
    tl.store(p_ptr + 5 * BLOCK + i, tl.gather(x, (i * 5 + 3) % BLOCK, 0))
    tl.store(p_ptr + 6 * BLOCK + i, tl.cumsum((x > 0).to(tl.int32), 0))


def integer_folds(x):
    out, parts = torch.zeros(8, dtype=torch.int32), torch.zeros((7, x.numel()), dtype=torch.int32)
    integer_folds_kernel[(1,)](x, out, parts, BLOCK=x.numel())
    return out, parts


@triton.jit
def casts_kernel(x_ptr, o_ptr, b_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.store(o_ptr + 0 * BLOCK + i, x.to(tl.float64).to(tl.float32) + tl.floor(x).to(tl.int64).to(tl.float32))
    tl.store(o_ptr + 1 * BLOCK + i, tl.floor(4 * x).to(tl.float8e4nv).to(tl.float32))
    tl.store(o_ptr + 2 * BLOCK + i, tl.floor(2 * x).to(tl.float8e5).to(tl.float32))
    tl.store(o_ptr + 3 * BLOCK + i, x.to(tl.uint32, bitcast=True).to(tl.float32, bitcast=True))
    tl.store(o_ptr + 4 * BLOCK + i, (x > 0.1).to(tl.int8).to(tl.float32))
    tl.store(b_ptr + i, (x > 0.2) ^ (i > 3))


def casts(x):
    out, flags = torch.zeros((5, x.numel())), torch.zeros(x.numel(), dtype=torch.bool)
    casts_kernel[(1,)](x, out, flags, BLOCK=x.numel())
    return out, flags


@triton.jit
def addresses_kernel(x_ptr, o_ptr, n):
    here = x_ptr.to(tl.int64) + tl.program_id(0) * 4
    tl.store(o_ptr + tl.program_id(0), tl.load(here.to(tl.pointer_type(tl.float32))))
    if (x_ptr + n).to(tl.int64) > here:
        tl.atomic_add(o_ptr + n, 1.0, sem="relaxed", scope="sys")


def addresses(x):
    out = torch.zeros(x.numel() + 1)
    addresses_kernel[(x.numel(),)](x, out, x.numel())
    return out


@triton.jit
def cells_kernel(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.atomic_load(x_ptr + i, mask=i < n, sem="acquire")
    tl.atomic_store(o_ptr + i, v * 2, mask=i < n, sem="release", scope="sys")
    tl.atomic_poll(o_ptr + tl.program_id(0) * BLOCK, tl.load(x_ptr + tl.program_id(0) * BLOCK) * 2)


def cells(x):
    out = torch.zeros_like(x)
    cells_kernel[(triton.cdiv(x.numel(), 8),)](x, out, x.numel(), BLOCK=8)
    return out


@triton.jit
def signed_blocks_kernel(x_ptr, o_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    src = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    dst = tl.make_tensor_descriptor(o_ptr, shape=[M * N], strides=[1], block_shape=[BN])
    for i in range(0, M, BM):
        dst.store([i * N], tl.max(src.load([i, 0]), 0))


def signed_blocks(x):
    out = torch.zeros_like(x)
    signed_blocks_kernel[(1,)](x, out, x.shape[0], x.shape[1], BM=4, BN=8)
    return out


@triton.jit
def scaled_kernel(
    a_ptr, b_ptr, sa_ptr, sb_ptr, o_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, F: tl.constexpr, G: tl.constexpr
):
    m, n, g = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K // 32)
    ka = tl.arange(0, K // 2 if F == "e2m1" else K)
    kb = tl.arange(0, K // 2 if G == "e2m1" else K)
    a = tl.load(a_ptr + m[:, None] * K + ka[None, :])
    b = tl.load(b_ptr + kb[:, None] * N + n[None, :])
    sa = tl.load(sa_ptr + m[:, None] * (K // 32) + g[None, :])
    sb = tl.load(sb_ptr + n[:, None] * (K // 32) + g[None, :])
    at = m[:, None] * N + n[None, :]
    both = tl.dot_scaled(a, sa, F, b, sb, G)
    tl.store(o_ptr + at, both)
    tl.store(o_ptr + M * N + at, tl.dot_scaled(a, sa, F, b, None, G, acc=both))


def scaled(a, b, sa, sb, f, g):
    out = torch.zeros((2, 16, 16))
    scaled_kernel[(1,)](a, b, sa, sb, out, M=16, N=16, K=64, F=f, G=g)
    return out
