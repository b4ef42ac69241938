import torch, triton
import triton.language as tl

# RIGHT: AR302 for sums below 1: the first that is kept may come after a negative one
@triton.jit
def k(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(o + tl.cumsum(v, 0) - 1, 1.0, mask=(v > 0) & (i < n))

def launch(x, o):
    k[(1,)](x, o, x.numel(), 16)
