"""Unsigned comparisons, bytes that wrap, and division by multiplication with the high half of a product."""

# CALL: launch(x: f32[n], s: int in [-50, 50], o: f32[256]) where n >= 3, n <= 1000000
# FAULT: 'moved.to(tl.uint32) < n.to(tl.uint32)', 'moved < n', 'AR302', 'tl.store(x + moved'
# FAULT: 'byte.to(tl.int32)', 'byte.to(tl.int32) + 1', 'AR302', 'tl.store(o + '
# FAULT: 'i - third * 3', 'i - third * 2', 'AR302', 'tl.store(x + rest'

import triton
import triton.language as tl


@triton.jit
def kernel(x, o, s, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    moved = i + s
    tl.store(x + moved, 1.0, mask=moved.to(tl.uint32) < n.to(tl.uint32))
    byte = i.to(tl.uint8)
    tl.store(o + byte.to(tl.int32), 1.0)
    third = (tl.umulhi(i.to(tl.uint32), tl.full((BLOCK,), 0xAAAAAAAB, tl.uint32)) >> 1).to(tl.int32)
    rest = i - third * 3
    tl.store(x + rest, 1.0)


def launch(x, s, o):
    kernel[(triton.cdiv(x.shape[0], 32) + 1,)](x, o, s, x.shape[0], BLOCK=32)
