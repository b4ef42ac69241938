"""A constexpr that a heuristic derives from a size."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def double(x, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(x + i, tl.load(x + i) * 2)
    else:
        tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


def launch(x):
    n = x.numel()
    double[(triton.cdiv(n, 64),)](x, n, BLOCK=64)
    return x
