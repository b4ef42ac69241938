"""A pointer that only some trips advance."""

# CALL: launch(x: i32[n], o: i32[2 * n])
# FAULT: 'place += 2', 'place += 3', 'AR302', 'tl.store(place + 1, -a)'
# FAULT: 'place = o', 'place = o + 1', 'AR302', 'tl.store(place + 1, -a)'

import triton
import triton.language as tl


@triton.jit
def kernel(x, o, n):
    place = o
    for i in range(n):
        a = tl.load(x + i)
        if a > 0:
            tl.store(place, a)
            tl.store(place + 1, -a)
            place += 2


def launch(x, o):
    kernel[(1,)](x, o, x.shape[0])
