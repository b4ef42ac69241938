"""`and` of constexprs gives back an operand in Python, and one bit at run time."""

import triton
import triton.language as tl


# RIGHT: refuted for N > 2000, where element 4 is written.
@triton.jit
def kernel(x, o, N: tl.constexpr):
    off = (N > 2000) and 4
    tl.store(o + off, 1.0)


def launch(x, o):
    kernel[(1,)](x, o, N=x.shape[0])
