"""Work cut into even spans that start and end within tiles."""

# CALL: launch(x: f32[L], o: f32[T], per: int) where per >= 1, T >= 1, L == T * 4
# FAULT: 'tl.minimum(start + per, total)', 'start + per', 'AR301', 'tl.load(x + k)'
# FAULT: 'tile = start // iters', 'tile = end // iters', 'AR302', 'tl.store(o + tile, acc)'

import triton
import triton.language as tl


@triton.jit
def kernel(x, o, total, per, iters):
    start = tl.program_id(0) * per
    last = tl.minimum(start + per, total)
    while start < last:
        end = tl.minimum(start + (iters - start % iters), last)
        tile = start // iters
        acc = 0.0
        for k in range(start, end):
            acc += tl.load(x + k)
        tl.store(o + tile, acc)
        start = end


def launch(x, o, per):
    kernel[(triton.cdiv(x.shape[0], per),)](x, o, x.shape[0], per, 4)
