"""A sign that is spread over all digits, a mask of conditions, and an index that is flipped by an argument."""

# CALL: launch(x: f32[n], s: int, m: int in [0, 31]) where n % 32 == 0
# FAULT: 's & ~(s >> 31)', 's & (s >> 31)', 'AR302', 'tl.store(x + tl.minimum(natural'
# FAULT: '(i ^ m)', '(i ^ (m + 1))', 'AR302', 'tl.store(x + (i'
# FAULT: '~out', 'out', 'AR302', 'tl.store(x + far'

import triton
import triton.language as tl


@triton.jit
def kernel(x, s, m, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    natural = s & ~(s >> 31)
    tl.store(x + tl.minimum(natural, n - 1), 1.0)
    tl.store(x + (i ^ m), 1.0)
    far = 2 * i
    out = far >= n
    tl.store(x + far, 1.0, mask=~out)


def launch(x, s, m):
    kernel[(x.shape[0] // 32,)](x, s, m, x.shape[0], BLOCK=32)
