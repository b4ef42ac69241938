import torch, triton
import triton.language as tl

# RIGHT: with s < 0 the lowered loop runs at 0, s, 2s... : not proved without a duty s > 0
@triton.jit
def k(o, n, s):
    for t in range(0, n, s):
        tl.store(o + t, 1.0)

def launch(o, s):
    k[(1,)](o, o.shape[0], s)
