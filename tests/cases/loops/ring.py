"""A ring of slots that a counter goes around in."""

# CALL: launch(x: f32[n], o: f32[3])
# FAULT: '% STAGES', '% (STAGES + 1)', 'AR302', 'tl.store(o + slot'
# FAULT: 'slot = 0', 'slot = 3', 'AR302', 'tl.store(o + slot'

import triton
import triton.language as tl


@triton.jit
def kernel(x, o, n, STAGES: tl.constexpr):
    slot = 0
    for i in range(n):
        tl.store(o + slot, tl.load(x + i))
        slot = (slot + 1) % STAGES


def launch(x, o):
    kernel[(1,)](x, o, x.shape[0], STAGES=3)
