import torch, triton
import triton.language as tl

# RIGHT: scale is always 0.5: p*0.5 < n/2+1: never refuted
@triton.jit
def k(x, o, scale):
    p = tl.program_id(0)
    a = (p * scale).to(tl.int32)
    tl.store(o + p, tl.load(x + a))

def launch(x, o):
    k[(2 * x.shape[0],)](x, o, 0.5)
