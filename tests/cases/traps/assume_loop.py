import torch, triton
import triton.language as tl

# RIGHT: AR306 refuted (k reaches 8 when n > 8)
@triton.jit
def k(o, n):
    for k in range(0, n):
        tl.assume(k < 8)
        tl.store(o + k, 1.0)

def launch(o, n):
    k[(1,)](o, n)
