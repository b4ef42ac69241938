import torch, triton
import triton.language as tl

# RIGHT: int32 read at a byte offset of 1: arbitrary value although each element is in [0, 4)
@triton.jit
def k(i, x, o):
    b = (i.to(tl.pointer_type(tl.int8)) + 1).to(tl.pointer_type(tl.int32))
    a = tl.load(b)
    tl.store(o, tl.load(x + a))

def launch(i, x, o):
    k[(1,)](i, x, o)
