"""Random numbers seeded with an address: nobody's index depends on the digits that are lost."""

# CALL: launch(seeds: i32[cdiv(n, 16)], o: f32[n])
# FAULT: 'mask=at < n', 'mask=at <= n', 'AR302', 'tl.store(o + at'

import triton
import triton.language as tl


@triton.jit
def kernel(seeds, o, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    seed = (seeds + tl.program_id(0)).to(tl.int64).to(tl.int32)
    tl.store(o + at, tl.rand(seed, at), mask=at < n)


def launch(seeds, o):
    n = o.shape[0]
    kernel[(triton.cdiv(n, 16),)](seeds, o, n, BLOCK=16)
