import torch, triton
import triton.language as tl

# RIGHT: AR302 refuted: b written with a's extent
@triton.jit
def k(a, b, na, nb):
    p = tl.program_id(0)
    if p % 2 == 0:
        q = a
        n = na
    else:
        q = b
        n = na
    if p < n:
        tl.store(q + p, 1.0)

def launch(a, b):
    k[(a.shape[0] + b.shape[0],)](a, b, a.shape[0], b.shape[0])
