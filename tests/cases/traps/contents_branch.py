import torch, triton
import triton.language as tl

# RIGHT: AR302 refuted: i[0] may be V-1 >= 16 while o has 16 elements
@triton.jit
def k(i, o, z, V):
    a = tl.load(i)
    tl.store(o + a, 1.0)
    if V <= 16:
        b = tl.load(i + 1)
        tl.store(z, b)

def launch(i, o, z, V):
    k[(1,)](i, o, z, V)
