"""One block a row, as wide as the next power of two."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def double(x, stride, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    p = x + tl.program_id(0) * stride + i
    tl.store(p, tl.load(p, mask=i < n) * 2, mask=i < n)


def launch(x):
    M, N = x.shape
    double[(M,)](
        x, x.stride(0), N,
        BLOCK=triton.next_power_of_2(N),
    )  # fmt: skip
    return x
