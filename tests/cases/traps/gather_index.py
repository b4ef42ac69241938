import torch, triton
import triton.language as tl

# RIGHT: tl.gather index up to 99 in a source of 16: undefined element: not proved
@triton.jit
def k(i, o):
    r = tl.arange(0, 16)
    a = tl.load(i + r)
    g = tl.gather(r, a, 0)
    tl.store(o + g, 1.0)

def launch(i, o):
    k[(1,)](i, o)
