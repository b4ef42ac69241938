"""Strides that double until the end, and a span that is halved until it is empty."""

# CALL: launch(x: f32[n], o: f32[n])
# FAULT: 'while up < n:', 'while up <= n:', 'AR301', 'tl.load(x + up)'
# FAULT: 'while down > 0', 'while down >= 1 - 1 * (n < 2)', 'AR302', 'tl.store(o + down - 1, 1.0)'

import triton
import triton.language as tl


@triton.jit
def kernel(x, o, n):
    up = 1
    while up < n:
        tl.store(o + up - 1, tl.load(x + up))
        up *= 2
    down = n // 2
    while down > 0:
        tl.store(o + down - 1, 1.0)
        down >>= 1


def launch(x, o):
    kernel[(1,)](x, o, x.shape[0])
