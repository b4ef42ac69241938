"""Rows of a lower triangle, packed one after the other."""

# CALL: launch(o: f32[L], n: int) where n >= 1, n < 30000, L == n * (n + 1) // 2
# FAULT: 'range(i + 1)', 'range(i + 2)', 'AR302', 'tl.store(row + j'
# FAULT: 'row += i + 1', 'row += i + 2', 'AR302', 'tl.store(row + j'

import triton
import triton.language as tl


@triton.jit
def kernel(o, n):
    row = o
    for i in range(n):
        for j in range(i + 1):
            tl.store(row + j, 1.0)
        row += i + 1


def launch(o, n):
    kernel[(1,)](o, n)
