"""Truth values of constexprs are numbers to add in Python, and single bits at run time."""

import triton
import triton.language as tl


# RIGHT: refuted for N > 2000, where element 2 is written.
@triton.jit
def kernel(x, o, N: tl.constexpr):
    off = tl.cast((N > 2000) + (N > 1500), tl.int32)
    tl.store(o + off, 1.0)


def launch(x, o):
    kernel[(1,)](x, o, N=x.shape[0])
