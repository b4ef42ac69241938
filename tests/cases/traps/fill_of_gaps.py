"""A fill of every second element: what lies between was never written, so it may be any index."""

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
    index = torch.empty_strided((n,), (2,), dtype=torch.int32)
    index.fill_(0)
    kernel[(triton.cdiv(n, 32),)](index, o, n, B=32)
