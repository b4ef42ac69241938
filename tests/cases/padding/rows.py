"""One row a program, in a block of 16 columns of which N are real: what becomes of the others, rightly and wrongly."""
from __future__ import annotations

import torch
import triton
import triton.language as tl

INF = float("inf")


@triton.jit
def sum_zero(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=0.0)
    tl.store(y_ptr + tl.program_id(0), tl.sum(x, axis=0))


@triton.jit
def sum_one(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=1.0)
    tl.store(y_ptr + tl.program_id(0), tl.sum(x, axis=0))


@triton.jit
def sum_undefined(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N)
    tl.store(y_ptr + tl.program_id(0), tl.sum(x, axis=0))


@triton.jit
def sum_chosen(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N)
    tl.store(y_ptr + tl.program_id(0), tl.sum(tl.where(c < N, x, 0.0), axis=0))


@triton.jit
def sum_shifted_choice(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N)
    tl.store(y_ptr + tl.program_id(0), tl.sum(tl.where(c <= N, x, 0.0), axis=0))


@triton.jit
def copy_undefined(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N)
    tl.store(y_ptr + tl.program_id(0) * N + c, x * 2.0, mask=c < N)


@triton.jit
def copy_wider(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N)
    tl.store(y_ptr + tl.program_id(0) * B + c, x)


@triton.jit
def pad_rows(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=0.0)
    tl.store(y_ptr + tl.program_id(0) * B + c, x)


@triton.jit
def max_zero(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=0.0)
    tl.store(y_ptr + tl.program_id(0), tl.max(x, axis=0))


@triton.jit
def max_low(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=-float("inf"))
    tl.store(y_ptr + tl.program_id(0), tl.max(x, axis=0))


@triton.jit
def absmax_zero(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=0.0)
    tl.store(y_ptr + tl.program_id(0), tl.max(tl.abs(x), axis=0))


@triton.jit
def absmin_zero(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=0.0)
    tl.store(y_ptr + tl.program_id(0), tl.min(tl.abs(x), axis=0))


@triton.jit
def softmax_zero(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=0.0)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + tl.program_id(0) * N + c, e / tl.sum(e, axis=0), mask=c < N)


@triton.jit
def softmax_low(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + tl.program_id(0) * N + c, e / tl.sum(e, axis=0), mask=c < N)


@triton.jit
def softmax_large(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=-1e9)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + tl.program_id(0) * N + c, e / tl.sum(e, axis=0), mask=c < N)


@triton.jit
def softmax_masked_sum(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=-float("inf"))
    m = tl.max(x, axis=0)
    e = tl.where(c < N, tl.exp(x - m), 0.0)
    tl.store(y_ptr + tl.program_id(0), m + tl.log(tl.sum(e, axis=0)))


@triton.jit
def variance_bare(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=0.0)
    d = x - tl.sum(x, axis=0) / N
    tl.store(y_ptr + tl.program_id(0), tl.sum(d * d, axis=0) / N)


@triton.jit
def variance_chosen(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=0.0)
    d = tl.where(c < N, x - tl.sum(x, axis=0) / N, 0.0)
    tl.store(y_ptr + tl.program_id(0), tl.sum(d * d, axis=0) / N)


@triton.jit
def variance_moments(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=0.0)
    m = tl.sum(x, axis=0) / N
    tl.store(y_ptr + tl.program_id(0), tl.sum(x * x, axis=0) / N - m * m)


@triton.jit
def argmin_high(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=float("inf"))
    tl.store(y_ptr + tl.program_id(0), tl.argmin(x, axis=0).to(tl.float32))


@triton.jit
def argmin_zero(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=0.0)
    tl.store(y_ptr + tl.program_id(0), tl.argmin(x, axis=0).to(tl.float32))


@triton.jit
def sums_undefined(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N)
    tl.store(y_ptr + tl.program_id(0) * N + c, tl.cumsum(x, axis=0), mask=c < N)


@triton.jit
def sums_reversed(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N)
    tl.store(y_ptr + tl.program_id(0) * N + c, tl.cumsum(x, axis=0, reverse=True), mask=c < N)


@triton.jit
def _product(a, b):
    return a * b


@triton.jit
def product_one(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=1.0)
    tl.store(y_ptr + tl.program_id(0), tl.reduce(x, 0, _product))


@triton.jit
def product_zero(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=0.0)
    tl.store(y_ptr + tl.program_id(0), tl.reduce(x, 0, _product))


@triton.jit
def _largest(a, b):
    return tl.where(a > b, a, b)


@triton.jit
def custom_low(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=-float("inf"))
    tl.store(y_ptr + tl.program_id(0), tl.reduce(x, 0, _largest))


@triton.jit
def _welford(mean_a, m2_a, n_a, mean_b, m2_b, n_b):
    d = mean_b - mean_a
    n = n_a + n_b
    part = tl.where(n == 0.0, 0.0, n_b / n)
    return mean_a + d * part, m2_a + m2_b + d * d * n_a * part, n


@triton.jit
def welford_weights(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=0.0)
    n = tl.full((B,), 1.0, tl.float32)
    _, m2, n = tl.reduce((x, tl.zeros((B,), tl.float32), n), 0, _welford)
    tl.store(y_ptr + tl.program_id(0), m2 / N)


@triton.jit
def welford_counts(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=0.0)
    n = (c < N).to(tl.float32)
    _, m2, n = tl.reduce((x, tl.zeros((B,), tl.float32), n), 0, _welford)
    tl.store(y_ptr + tl.program_id(0), m2 / N)


@triton.jit
def any_negative(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=0.0)
    tl.store(y_ptr + tl.program_id(0), tl.max((x < 0.0).to(tl.int32), axis=0).to(tl.float32))


@triton.jit
def all_positive(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=0.0)
    tl.store(y_ptr + tl.program_id(0), tl.min((x > 0.0).to(tl.int32), axis=0).to(tl.float32))


@triton.jit
def dead_sum(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=1.0)
    t = tl.sum(x, axis=0)
    tl.store(y_ptr + tl.program_id(0), tl.where(N > 100, t, 0.0))


@triton.jit
def branch_undefined(x_ptr, y_ptr, N, B: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * N + 3, mask=N > 3)
    y = 1.0
    if x > 0.0:
        y = 2.0
    tl.store(y_ptr + tl.program_id(0), y)


@triton.jit
def ragged_bias(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    row = tl.program_id(0) * N
    x = tl.load(x_ptr + row + c, mask=c < N, other=0.0)
    half = tl.load(x_ptr + row + c, mask=c < N // 2, other=0.0)
    tl.store(y_ptr + tl.program_id(0), tl.sum(x + half, axis=0))


@triton.jit
def ragged_factor(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    row = tl.program_id(0) * N
    x = tl.load(x_ptr + row + c, mask=c < N, other=0.0)
    factor = tl.load(x_ptr + row + c, mask=c < N // 2, other=2.0)
    tl.store(y_ptr + tl.program_id(0), tl.sum(x * factor, axis=0))


@triton.jit
def scaled_absmax(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=0.0)
    scale = tl.maximum(tl.max(tl.abs(x), axis=0), 1e-6)
    tl.store(y_ptr + tl.program_id(0), tl.sum(x / scale, axis=0))


@triton.jit
def stored_and_read(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    row = tl.program_id(0) * B
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N, other=1.0)
    tl.store(y_ptr + row + c, x)
    tl.debug_barrier()
    z = tl.load(y_ptr + row + c)
    tl.store(y_ptr + row + c, z / tl.sum(z, axis=0))


@triton.jit
def softmax_past(x_ptr, y_ptr, N, B: tl.constexpr):
    """Each row sees the columns before its own: the first sees none."""
    row = tl.program_id(0)
    c = tl.arange(0, B)
    x = tl.load(x_ptr + row * N + c, mask=(c < N) & (c < row), other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * N + c, e / tl.sum(e, axis=0), mask=c < N)


@triton.jit
def softmax_past_guarded(x_ptr, y_ptr, N, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    x = tl.load(x_ptr + row * N + c, mask=(c < N) & (c < row), other=-float("inf"))
    top = tl.max(x, axis=0)
    e = tl.exp(x - tl.where(top == -float("inf"), 0.0, top))
    tl.store(y_ptr + row * N + c, e / tl.maximum(tl.sum(e, axis=0), 1e-20), mask=c < N)


@triton.jit
def softmax_of_logs(x_ptr, y_ptr, N, B: tl.constexpr):
    """NaN that is the data's own: logarithms of negative numbers."""
    row = tl.program_id(0)
    c = tl.arange(0, B)
    x = tl.load(x_ptr + row * N + c, mask=c < N, other=0.0)
    x = tl.where(c < N, tl.log(x), -float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * N + c, e / tl.sum(e, axis=0), mask=c < N)


def run(kernel, x, y):
    M, N = x.shape
    assert N <= 16, "a row must fit into one block"
    kernel[(M,)](x, y, N, B=16)
    return y


KERNELS = {k: v for k, v in globals().items() if isinstance(v, triton.runtime.JITFunction)}


def scalars(x, name):
    """A number for each row."""
    return run(KERNELS[name], x, torch.empty((x.shape[0],), dtype=torch.float32, device=x.device))


def rows(x, name):
    """A row for each row."""
    return run(KERNELS[name], x, torch.empty_like(x))


def wide(x, name):
    """Sixteen numbers for each row."""
    return run(KERNELS[name], x, torch.empty((x.shape[0], 16), dtype=torch.float32, device=x.device))
