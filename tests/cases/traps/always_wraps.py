import torch, triton
import triton.language as tl

# RIGHT: constant wrap p*0: (70000*70000 wraps negative) : AR302 refuted
@triton.jit
def k(o, N, s):
    q = s * s
    if q < 100:
        tl.store(o + N, 1.0)

def launch(o, s):
    k[(1,)](o, o.shape[0], s)
