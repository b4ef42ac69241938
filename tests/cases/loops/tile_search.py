"""Nearest entry below each element in a sorted table of a fixed size, all elements of a tile at once."""

# CALL: launch(q: f32[n], table: f32[256], o: f32[n])
# FAULT: 'C - 1, dtype', '4 * C, dtype', 'AR301', 'x = tl.load(table + mid)'
# FAULT: '(lo + hi) // 2', '(lo + hi) // 2 - 128', 'AR301', 'x = tl.load(table + mid)'
# FAULT: 'mask=i < n)\n\n', 'mask=i <= n)\n\n', 'AR302', 'tl.store(o + i'

import triton
import triton.language as tl


@triton.jit
def kernel(q, table, o, n, C: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    wanted = tl.load(q + i, mask=i < n, other=0.0)
    lo = tl.zeros((B,), dtype=tl.int32)
    hi = tl.full((B,), C - 1, dtype=tl.int32)
    for _ in range(8):
        mid = (lo + hi) // 2
        x = tl.load(table + mid)
        above = wanted > x
        lo = tl.where(above, mid, lo)
        hi = tl.where(above, hi, mid)
    tl.store(o + i, tl.load(table + lo), mask=i < n)


def launch(q, table, o):
    kernel[(triton.cdiv(q.shape[0], 128),)](q, table, o, q.shape[0], C=table.shape[0], B=128)
