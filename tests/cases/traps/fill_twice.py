"""A fill through a view whose rows overlap has as many elements as the allocation, and reaches half of it."""

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


def launch(o):
    n = o.shape[0]
    index = torch.empty((2 * n,), dtype=torch.int32)
    index.as_strided((2, n), (1, 1)).zero_()
    kernel[(triton.cdiv(2 * n, 32),)](index, o, 2 * n, B=32)
