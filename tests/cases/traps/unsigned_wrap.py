import torch, triton
import triton.language as tl

# RIGHT: 128 - 1 is 127 in u8, which does not wrap; the offset is read as unsigned : not refuted
@triton.jit
def k(i, o):
    r = tl.arange(0, 16)
    v = tl.load(i + r)
    tl.store(o + (v - 1), 1.0)

def launch(i, o):
    k[(1,)](i, o)
