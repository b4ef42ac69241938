"""An address is hashed: as numbers its digits may be lost, as an index of the table they may not leave it."""

import triton
import triton.language as tl


@triton.jit
def kernel(seeds, o, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    seed = (seeds + tl.program_id(0)).to(tl.int64).to(tl.int32)
    tl.store(o + at, tl.rand(seed, at), mask=at < n)
    tl.store(o + seed // 64, 0.0)


def launch(seeds, o):
    n = o.shape[0]
    kernel[(triton.cdiv(n, 16),)](seeds, o, n, BLOCK=16)
