"""The divisor may be 0; the write after it is out of bounds for other divisors, and that is found too."""

import triton
import triton.language as tl


@triton.jit
def kernel(o, n, d):
    share = n // d
    tl.store(o + tl.program_id(0) % d + n, share)


def launch(o, d):
    n = o.shape[0]
    kernel[(n,)](o, n, d)
