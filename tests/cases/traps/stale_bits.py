import torch, triton
import triton.language as tl

# RIGHT: x goes negative so x | 3 is negative: AR302 refuted
@triton.jit
def k(f, o, n):
    x = 0
    for t in range(0, n):
        j = x | 3
        tl.store(o + j, 1.0)
        v = tl.load(f + t)
        x = tl.where(v > 0.5, x - 4, x)

def launch(f, o):
    k[(1,)](f, o, f.shape[0])
