"""Tiles of groups of different length, handed out to few programs."""

# CALL: launch(sizes: i32[G] in [0, N], o: f32[G, N])
# FAULT: 'mask=offs < m', 'mask=offs <= m', 'AR302', 'tl.store(o + g * N'
# FAULT: '(tile - done) * BLOCK', '(tile - done - 1) * BLOCK', 'AR302', 'tl.store(o + g * N'

import triton
import triton.language as tl


@triton.jit
def kernel(sizes, o, G, N, PROGRAMS, BLOCK: tl.constexpr):
    tile = tl.program_id(0)
    done = 0
    for g in range(G):
        m = tl.load(sizes + g)
        tiles = tl.cdiv(m, BLOCK)
        while tile >= done and tile < done + tiles:
            offs = (tile - done) * BLOCK + tl.arange(0, BLOCK)
            tl.store(o + g * N + offs, 1.0, mask=offs < m)
            tile += PROGRAMS
        done += tiles


def launch(sizes, o):
    kernel[(4,)](sizes, o, sizes.shape[0], o.shape[1], 4, BLOCK=16)
