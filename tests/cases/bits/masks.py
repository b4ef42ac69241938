"""Indices that are cut, set, flipped and rounded by constant masks."""

# CALL: launch(x: f32[n]) where n % 64 == 0
# FAULT: 'i ^ 21', 'i ^ 85', 'AR302', 'tl.store(x + (i ^ '
# FAULT: 'i | 1)', 'i | 64)', 'AR302', 'tl.store(x + (i | '
# FAULT: 'i > 0)', 'i >= 0)', 'AR302', 'tl.store(x + up'
# FAULT: '(i & (BLOCK - 1))', '((i + n) & (2 * BLOCK - 1))', 'AR302', 'tl.store(x + ((i + n)'
# FAULT: 'lane ^ (1 << s)', 'lane ^ (2 << s)', 'AR302', 'tl.store(x + base'

import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    base = tl.program_id(0) * BLOCK
    i = base + lane
    tl.store(x + (i ^ 21), 1.0)
    tl.store(x + (i | 1), 1.0)
    tl.store(x + (i & (BLOCK - 1)), 1.0)
    up = (i + 31) & ~31
    tl.store(x + up - 32, 1.0, mask=i > 0)
    for s in tl.static_range(6):
        tl.store(x + base + (lane ^ (1 << s)), 1.0)


def launch(x):
    kernel[(x.shape[0] // 64,)](x, x.shape[0], BLOCK=64)
