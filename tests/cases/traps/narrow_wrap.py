import torch, triton
import triton.language as tl

# RIGHT: AR302 refuted: int8 of 128.. is negative
@triton.jit
def k(o):
    p = tl.program_id(0)
    q = p.to(tl.int8)
    tl.store(o + q, 1.0)

def launch(o):
    k[(o.shape[0],)](o)
