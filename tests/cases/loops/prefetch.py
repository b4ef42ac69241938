"""The next block is read one trip ahead of its use."""

# CALL: launch(x: f32[n], o: f32[n])
# FAULT: 'mask=following < n', 'mask=here < n', 'AR301', 'ahead = tl.load(x + following'
# FAULT: 'now, mask=here < n', 'now, mask=here <= n', 'AR302', 'tl.store(o + here, now'

import triton
import triton.language as tl


@triton.jit
def kernel(x, o, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    here = offs
    ahead = tl.load(x + here, mask=here < n)
    for i in range(tl.cdiv(n, BLOCK)):
        now = ahead
        following = here + BLOCK
        ahead = tl.load(x + following, mask=following < n)
        tl.store(o + here, now, mask=here < n)
        here = following


def launch(x, o):
    kernel[(1,)](x, o, x.shape[0], BLOCK=16)
