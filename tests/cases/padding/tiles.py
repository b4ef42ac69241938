"""Tiles with padding in rows, columns or the inner axis of a product, and sums that loops keep."""
from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def product_tail(x_ptr, y_ptr, M, N, B: tl.constexpr):
    """x times its transpose: the inner axis ends past N, where both factors are 0."""
    i, k = tl.arange(0, B), tl.arange(0, B)
    x = tl.load(x_ptr + i[:, None] * N + k[None, :], mask=(i < M)[:, None] & (k < N)[None, :], other=0.0)
    y = tl.dot(x, tl.trans(x))
    tl.store(y_ptr + i[:, None] * M + i[None, :], y, mask=(i < M)[:, None] & (i < M)[None, :])


@triton.jit
def product_one_zero(x_ptr, y_ptr, M, N, B: tl.constexpr):
    """One factor is 0 past N, the other holds the next row's numbers there."""
    i, k = tl.arange(0, B), tl.arange(0, B)
    live = (i < M)[:, None] & (k < N)[None, :]
    a = tl.load(x_ptr + i[:, None] * N + k[None, :], mask=live, other=0.0)
    b = tl.load(x_ptr + i[:, None] * N + k[None, :], mask=i[:, None] * N + k[None, :] < M * N, other=0.0)
    y = tl.dot(a, tl.trans(b))
    tl.store(y_ptr + i[:, None] * M + i[None, :], y, mask=(i < M)[:, None] & (i < M)[None, :])


@triton.jit
def product_undefined(x_ptr, y_ptr, M, N, B: tl.constexpr):
    """One factor is 0 past N, the other is undefined there: it may be NaN."""
    i, k = tl.arange(0, B), tl.arange(0, B)
    live = (i < M)[:, None] & (k < N)[None, :]
    a = tl.load(x_ptr + i[:, None] * N + k[None, :], mask=live, other=0.0)
    b = tl.load(x_ptr + i[:, None] * N + k[None, :], mask=live)
    y = tl.dot(a, tl.trans(b))
    tl.store(y_ptr + i[:, None] * M + i[None, :], y, mask=(i < M)[:, None] & (i < M)[None, :])


@triton.jit
def product_ones(x_ptr, y_ptr, M, N, B: tl.constexpr):
    """Both factors are 1 past N."""
    i, k = tl.arange(0, B), tl.arange(0, B)
    x = tl.load(x_ptr + i[:, None] * N + k[None, :], mask=(i < M)[:, None] & (k < N)[None, :], other=1.0)
    y = tl.dot(x, tl.trans(x))
    tl.store(y_ptr + i[:, None] * M + i[None, :], y, mask=(i < M)[:, None] & (i < M)[None, :])


@triton.jit
def keys_zero(x_ptr, y_ptr, M, N, B: tl.constexpr):
    """Attention of rows to each other: the scores of rows past M are 0, and take their share."""
    i, k = tl.arange(0, B), tl.arange(0, B)
    x = tl.load(x_ptr + i[:, None] * N + k[None, :], mask=(i < M)[:, None] & (k < N)[None, :], other=0.0)
    s = tl.dot(x, tl.trans(x))
    p = tl.exp(s - tl.max(s, axis=1)[:, None])
    y = p / tl.sum(p, axis=1)[:, None]
    tl.store(y_ptr + i[:, None] * M + i[None, :], y, mask=(i < M)[:, None] & (i < M)[None, :])


@triton.jit
def keys_masked(x_ptr, y_ptr, M, N, B: tl.constexpr):
    """The same with scores of -inf for rows past M."""
    i, k = tl.arange(0, B), tl.arange(0, B)
    x = tl.load(x_ptr + i[:, None] * N + k[None, :], mask=(i < M)[:, None] & (k < N)[None, :], other=0.0)
    s = tl.where((i < M)[None, :], tl.dot(x, tl.trans(x)), -float("inf"))
    p = tl.exp(s - tl.max(s, axis=1)[:, None])
    y = p / tl.sum(p, axis=1)[:, None]
    tl.store(y_ptr + i[:, None] * M + i[None, :], y, mask=(i < M)[:, None] & (i < M)[None, :])


@triton.jit
def row_sums_undefined_rows(x_ptr, y_ptr, M, N, B: tl.constexpr):
    """Whole rows are undefined, but they are not stored."""
    i, k = tl.arange(0, B), tl.arange(0, B)
    x = tl.load(x_ptr + i[:, None] * N + k[None, :], mask=(i < M)[:, None])
    tl.store(y_ptr + i, tl.sum(tl.where((k < N)[None, :], x, 0.0), axis=1), mask=i < M)


@triton.jit
def column_sums_undefined_rows(x_ptr, y_ptr, M, N, B: tl.constexpr):
    """Whole rows are undefined, and the sum goes over rows."""
    i, k = tl.arange(0, B), tl.arange(0, B)
    x = tl.load(x_ptr + i[:, None] * N + k[None, :], mask=(i < M)[:, None] & (k < N)[None, :])
    tl.store(y_ptr + k, tl.sum(x, axis=0), mask=k < N)


@triton.jit
def blocked_variance(x_ptr, y_ptr, M, N, B: tl.constexpr):
    """The last block of a row adds the square of the mean for each lane past the end."""
    row = tl.program_id(0) * N
    c = tl.arange(0, B)
    total = tl.zeros((B,), tl.float32)
    for start in range(0, N, B):
        total += tl.load(x_ptr + row + start + c, mask=start + c < N, other=0.0)
    mean = tl.sum(total, axis=0) / N
    squares = tl.zeros((B,), tl.float32)
    for start in range(0, N, B):
        d = tl.load(x_ptr + row + start + c, mask=start + c < N, other=0.0) - mean
        squares += d * d
    tl.store(y_ptr + tl.program_id(0), tl.sum(squares, axis=0) / N)


@triton.jit
def blocked_maximum(x_ptr, y_ptr, M, N, B: tl.constexpr):
    row = tl.program_id(0) * N
    c = tl.arange(0, B)
    best = tl.full((B,), -float("inf"), tl.float32)
    for start in range(0, N, B):
        best = tl.maximum(best, tl.load(x_ptr + row + start + c, mask=start + c < N, other=-float("inf")))
    tl.store(y_ptr + tl.program_id(0), tl.max(best, axis=0))


@triton.jit
def online_softmax(x_ptr, y_ptr, M, N, B: tl.constexpr):
    row = tl.program_id(0) * N
    c = tl.arange(0, B)
    m, d = -float("inf"), 0.0
    for start in range(0, N, B):
        x = tl.load(x_ptr + row + start + c, mask=start + c < N, other=-float("inf"))
        new = tl.maximum(m, tl.max(x, axis=0))
        d = d * tl.exp(m - new) + tl.sum(tl.exp(x - new), axis=0)
        m = new
    tl.store(y_ptr + tl.program_id(0), m + tl.log(d))


@triton.jit
def online_softmax_zero(x_ptr, y_ptr, M, N, B: tl.constexpr):
    row = tl.program_id(0) * N
    c = tl.arange(0, B)
    m, d = -float("inf"), 0.0
    for start in range(0, N, B):
        x = tl.load(x_ptr + row + start + c, mask=start + c < N, other=0.0)
        new = tl.maximum(m, tl.max(x, axis=0))
        d = d * tl.exp(m - new) + tl.sum(tl.exp(x - new), axis=0)
        m = new
    tl.store(y_ptr + tl.program_id(0), m + tl.log(d))


@triton.jit
def window_softmax(x_ptr, y_ptr, M, N, B: tl.constexpr):
    """The first block of a row is masked from end to end, so that -inf - -inf is NaN in its padding and elsewhere."""
    row = tl.program_id(0) * N
    c = tl.arange(0, B)
    m, d = -float("inf"), 0.0
    for start in range(0, N, B):
        x = tl.load(x_ptr + row + start + c, mask=(start + c < N) & (start + c > 20), other=-float("inf"))
        new = tl.maximum(m, tl.max(x, axis=0))
        d = d * tl.exp(m - new) + tl.sum(tl.exp(x - new), axis=0)
        m = new
    tl.store(y_ptr + tl.program_id(0), m + tl.log(d))


@triton.jit
def group_norm(x_ptr, y_ptr, M, N, B: tl.constexpr):
    """Mean and variance over rows and columns at once."""
    i, k = tl.arange(0, B), tl.arange(0, B)
    live = (i < M)[:, None] & (k < N)[None, :]
    x = tl.load(x_ptr + i[:, None] * N + k[None, :], mask=live, other=0.0)
    mean = tl.sum(x) / (M * N)
    d = tl.where(live, x - mean, 0.0)
    tl.store(y_ptr + tl.program_id(0), tl.sum(d * d) / (M * N))


@triton.jit
def group_norm_columns(x_ptr, y_ptr, M, N, B: tl.constexpr):
    """Only columns are put right after centring, rows are not."""
    i, k = tl.arange(0, B), tl.arange(0, B)
    live = (i < M)[:, None] & (k < N)[None, :]
    x = tl.load(x_ptr + i[:, None] * N + k[None, :], mask=live, other=0.0)
    mean = tl.sum(x) / (M * N)
    d = tl.where((k < N)[None, :], x - mean, 0.0)
    tl.store(y_ptr + tl.program_id(0), tl.sum(d * d) / (M * N))


KERNELS = {k: v for k, v in globals().items() if isinstance(v, triton.runtime.JITFunction)}


def square(x, name):
    M, N = x.shape
    assert max(M, N) <= 16, "the tensor must fit into one tile"
    y = torch.empty((M, M), dtype=torch.float32, device=x.device)
    KERNELS[name][(1,)](x, y, M, N, B=16)
    return y


def each(x, name):
    M, N = x.shape
    y = torch.empty((M,), dtype=torch.float32, device=x.device)
    KERNELS[name][(M,)](x, y, M, N, B=16)
    return y


def one(x, name):
    M, N = x.shape
    assert max(M, N) <= 16, "the tensor must fit into one tile"
    y = torch.empty((16,), dtype=torch.float32, device=x.device)
    KERNELS[name][(1,)](x, y, M, N, B=16)
    return y
