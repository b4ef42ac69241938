import torch, triton
import triton.language as tl

# RIGHT: AR301 refuted: a u8 index reaches 255, x has 128 elements
@triton.jit
def k(i, x, o):
    p = tl.program_id(0)
    a = tl.load(i + p).to(tl.int32)
    tl.store(o + p, tl.load(x + a))

def launch(i, x, o):
    k[(i.shape[0],)](i, x, o)
