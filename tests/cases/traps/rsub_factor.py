"""A factor that torch passes by position: the indices are 8 - 3 * i, so -1 where i is 3."""

import torch
import triton
import triton.language as tl


# RIGHT: never proved
@triton.jit
def kernel(i, o, n, B: tl.constexpr):
    offs = tl.program_id(0) * B + tl.arange(0, B)
    m = offs < n
    at = tl.load(i + offs, mask=m, other=0)
    tl.store(o + at, 1.0, mask=m)


def launch(i, o):
    n = i.shape[0]
    kernel[(triton.cdiv(n, 32),)](torch.rsub(i, 8, alpha=3), o, n, B=32)
