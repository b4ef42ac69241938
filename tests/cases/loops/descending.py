"""A counter that goes down to the first row, and one that skips rows on the way."""

# CALL: launch(x: f32[n], o: f32[n])
# FAULT: 'while at >= 0', 'while at >= -1', 'AR301', 'v = tl.load(x + at)'
# FAULT: 'at = n - 1', 'at = n', 'AR301', 'v = tl.load(x + at)'

import triton
import triton.language as tl


@triton.jit
def kernel(x, o, n):
    for i in tl.range(n - 1, -1, -1):
        tl.store(o + i, tl.load(x + i))
    at = n - 1
    while at >= 0:
        v = tl.load(x + at)
        tl.store(o + at, v)
        at -= tl.where(v > 0.0, 2, 1)


def launch(x, o):
    kernel[(1,)](x, o, x.shape[0])
