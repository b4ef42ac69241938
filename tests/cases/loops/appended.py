"""Each entry says how many elements to append; one counter runs through both loops."""

# CALL: launch(counts: i32[m] in [0, 3], x: f32[3 * m])
# FAULT: 'range(count)', 'range(count + 1)', 'AR302', 'tl.store(x + at'
# FAULT: 'at = 0', 'at = 1', 'AR302', 'tl.store(x + at'

import triton
import triton.language as tl


@triton.jit
def kernel(counts, x, m):
    at = 0
    for i in range(m):
        count = tl.load(counts + i)
        for _ in range(count):
            tl.store(x + at, 1.0)
            at += 1


def launch(counts, x):
    kernel[(1,)](counts, x, counts.shape[0])
