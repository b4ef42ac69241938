"""A tile walks down to the start, as long as one of its lanes is inside; rows stop at the last of their places."""

# CALL: launch(x: f32[n], o: f32[m, n])
# FAULT: 'mask=at >= 0', 'mask=at >= -1', 'AR302', 'tl.store(x + at'
# FAULT: '2 * BLOCK - 1', 'BLOCK - 1', 'AR302', 'tl.store(x + last'
# FAULT: 'rows < m', 'rows <= m', 'AR302', 'tl.store(o + ends'

import triton
import triton.language as tl


@triton.jit
def kernel(x, o, n, m, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    at = n - 1 - tl.arange(0, BLOCK)
    while tl.max(at, 0) >= 0:
        tl.store(x + at, 1.0, mask=at >= 0)
        at -= BLOCK
    last = tl.min(at, 0) + 2 * BLOCK - 1
    tl.store(x + last, 1.0, mask=last < n)
    rows = tl.arange(0, ROWS)
    places = rows[:, None] * n - tl.arange(0, BLOCK)[None, :]
    ends = tl.max(places, 1)
    tl.store(o + ends, 1.0, mask=rows < m)


def launch(x, o):
    kernel[(1,)](x, o, x.shape[0], o.shape[0], BLOCK=16, ROWS=4)
