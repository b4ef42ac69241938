"""A program looks for the segment that its tile belongs to, and writes the tile's rows; tiles of segments are counted on the way."""

# CALL: launch(bounds: i32[S + 1] in [0, R] nondecreasing, o: f32[R])
# FAULT: 'rows < stop', 'rows <= stop', 'AR302', 'tl.store(o + rows'
# FAULT: 'bounds + owner + 1', 'bounds + owner + 2', 'AR301', 'stop = tl.load'
# FAULT: 'first = 0', 'first = -1', 'AR302', 'tl.store(o + rows'

import triton
import triton.language as tl


@triton.jit
def kernel(bounds, o, S, BLOCK: tl.constexpr):
    tile = tl.program_id(0)
    owner = 0
    first = 0
    seen = 0
    for s in range(S):
        low = tl.load(bounds + s)
        tiles = (tl.load(bounds + s + 1) - low + BLOCK - 1) // BLOCK
        mine = (tile >= seen) & (tile < seen + tiles)
        owner = tl.where(mine, s, owner)
        first = tl.where(mine, low + (tile - seen) * BLOCK, first)
        seen += tiles
    stop = tl.load(bounds + owner + 1)
    rows = first + tl.arange(0, BLOCK)
    tl.store(o + rows, 1.0, mask=rows < stop)


def launch(bounds, o):
    segments = bounds.shape[0] - 1
    kernel[(triton.cdiv(o.shape[0], 16) + segments,)](bounds, o, segments, BLOCK=16)
