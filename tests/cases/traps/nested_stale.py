import torch, triton
import triton.language as tl

# RIGHT: x grows, y = 2x-1 grows: AR302 refuted
@triton.jit
def k(f, o, n, m):
    x = 1
    for t in range(0, n):
        y = x
        for u in range(0, m):
            tl.store(o + y, 1.0)
            g = tl.load(f + u)
            y = tl.where(g > 0.5, y, x + x - 1)
        v = tl.load(f + t)
        x = tl.where(v > 0.5, x, x + 1)

def launch(f, o):
    k[(1,)](f, o, f.shape[0], f.shape[0])
