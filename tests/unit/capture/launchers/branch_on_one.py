"""A kernel that is compiled differently where `flag` is 1: the argument becomes a constant of another width."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def shift(x, flag, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    far = flag * 65536 * 65536
    tl.store(x + i, far.to(tl.float32), mask=i < 1)


def launch(x, flag):
    shift[(1,)](x, flag, BLOCK=16)
