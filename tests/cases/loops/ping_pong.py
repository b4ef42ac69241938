"""Two buffers that change roles in every trip."""

# CALL: launch(a: f32[n], b: f32[n], steps: int)
# FAULT: 'dst = other', 'dst = other + 1', 'AR302', 'tl.store(dst + offs, x'
# FAULT: 'x, mask=offs < n)', 'x, mask=offs <= n)', 'AR302', 'tl.store(dst + offs, x'

import triton
import triton.language as tl


@triton.jit
def kernel(a, b, n, steps, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = a
    dst = b
    for _ in range(steps):
        x = tl.load(src + offs, mask=offs < n)
        tl.store(dst + offs, x, mask=offs < n)
        other = src
        src = dst
        dst = other


def launch(a, b, steps):
    kernel[(triton.cdiv(a.shape[0], 16),)](a, b, a.shape[0], steps, BLOCK=16)
