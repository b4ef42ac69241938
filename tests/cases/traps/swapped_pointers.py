import torch, triton
import triton.language as tl

# RIGHT: AR302 refuted: a has 4 elements and is written at p < nb
@triton.jit
def k(a, b, nb):
    p = tl.program_id(0)
    tl.store(a + p, 1.0, mask=p < nb)
    if p % 2 == 0:
        tl.store(a, 1.0)
    else:
        t = a
        a = b
        b = t
    tl.store(a, 1.0)
    tl.store(b, 1.0)

def launch(a, b):
    k[(b.shape[0],)](a, b, b.shape[0])
