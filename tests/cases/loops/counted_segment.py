"""The segment of a row is the number of segments that end before it."""

# CALL: launch(bounds: i32[S + 1] in [0, R] nondecreasing, o: f32[S, R]) where bounds[0] == 0, bounds[S] == R
# FAULT: '<= row', '<= row + 1', 'AR302', 'tl.store(o + segment'
# FAULT: 'segment = 0', 'segment = 1', 'AR302', 'tl.store(o + segment'

import triton
import triton.language as tl


@triton.jit
def kernel(bounds, o, S, R):
    row = tl.program_id(0)
    segment = 0
    for s in range(S):
        if tl.load(bounds + s + 1) <= row:
            segment += 1
    tl.store(o + segment * R + row, 1.0)


def launch(bounds, o):
    S, R = o.shape
    kernel[(R,)](bounds, o, S, R)
