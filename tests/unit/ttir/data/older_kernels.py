"""Kernels whose IR of Triton 3.6 is recorded next to this file; `record.py` writes it again."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def vector_add(x, y, o, n, B: tl.constexpr):
    i = tl.program_id(axis=0) * B + tl.arange(0, B)
    m = i < n
    a = tl.load(x + i, mask=m, cache_modifier=".cg", eviction_policy="evict_last")
    tl.store(o + i, a + tl.load(y + i, mask=m, other=-float("inf")), mask=m, cache_modifier=".wt")


@triton.jit
def row_softmax(x, o, n, stride, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * stride + c, mask=c < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(o + row * stride + c, e / tl.sum(e, axis=0), mask=c < n)


@triton.jit
def matmul(a, b, c, M, N, K, sa, sb, sc, B: tl.constexpr):
    rm = tl.program_id(0) * B + tl.arange(0, B)
    rn = tl.program_id(1) * B + tl.arange(0, B)
    rk = tl.arange(0, B)
    pa = a + rm[:, None] * sa + rk[None, :]
    pb = b + rk[:, None] * sb + rn[None, :]
    acc = tl.zeros((B, B), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, B)):  # noqa: PIE808
        left = tl.load(pa, mask=rk[None, :] < K - k * B, other=0.0)
        right = tl.load(pb, mask=rk[:, None] < K - k * B, other=0.0)
        acc = tl.dot(left, right, acc)
        pa += B
        pb += B * sb
    inside = (rm[:, None] < M) & (rn[None, :] < N)
    tl.store(c + rm[:, None] * sc + rn[None, :], acc.to(tl.float16), mask=inside)


@triton.jit
def pick(v, n):
    if n > 5:
        return v + 1
    if n > 3:
        return v * 2
    return v


@triton.jit
def mixture(p, lock, n, B: tl.constexpr):
    if tl.program_id(0) >= n:
        return
    i = tl.max_contiguous(tl.multiple_of(tl.arange(0, B), 4), 8)
    while tl.atomic_cas(lock, 0, 1, sem="acquire") == 1:
        pass
    v = tl.load(p + i, volatile=True)
    for j in tl.range(n, 0, -1, num_stages=2):
        v = pick(v, j)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0, sem="release", scope="sys")
    tl.assume(n > 0)
    tl.device_assert(n < 100, "n is small")
    tl.store(p + i, tl.sort(v) + tl.cumsum(v, 0) + tl.flip(v, 0) + tl.trans(tl.join(v, v)).sum() + tl.argmax(v, 0))


@triton.jit
def block_pointer(p, n, B: tl.constexpr):
    at = tl.make_block_ptr(p, shape=(n, n), strides=(n, 1), offsets=(0, 0), block_shape=(B, B), order=(1, 0))
    for _ in range(3):
        v = tl.load(at, boundary_check=(0, 1), padding_option="zero")
        tl.store(at, v, boundary_check=(0, 1))
        at = tl.advance(at, (0, B))


_I32 = {"n": "i32", "B": "constexpr"}
SIGNATURES = {
    "vector_add": {"x": "*fp32", "y": "*bf16", "o": "*fp32", **_I32},
    "row_softmax": {"x": "*fp16", "o": "*fp32", "n": "i32", "stride": "i64", "B": "constexpr"},
    "matmul": dict.fromkeys("abc", "*fp16") | dict.fromkeys(("M", "N", "K", "sa", "sb", "sc"), "i32") | {"B": "constexpr"},
    "mixture": {"p": "*fp32", "lock": "*i32", **_I32},
    "block_pointer": {"p": "*fp32", **_I32},
}
