"""Positive elements moved to the front, counted one by one."""

# CALL: launch(x: i32[n], o: i32[n])
# FAULT: 'count = 0', 'count = 1', 'AR302', 'tl.store(o + count, a)'
# FAULT: 'count += 1', 'count += 2', 'AR302', 'tl.store(o + count, a)'

import triton
import triton.language as tl


@triton.jit
def kernel(x, o, n):
    count = 0
    for i in range(n):
        a = tl.load(x + i)
        if a > 0:
            tl.store(o + count, a)
            count += 1


def launch(x, o):
    kernel[(1,)](x, o, x.shape[0])
