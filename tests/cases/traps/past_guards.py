import torch, triton
import triton.language as tl

# RIGHT: x = t*s wraps, y follows: limit in warn, refuted with --overflow error
@triton.jit
def k(o, n, s, N):
    x = 0
    y = 0
    for t in range(0, n):
        tl.store(o + y, 1.0, mask=y < N)
        y = x
        x = x + s

def launch(o, n, s):
    k[(1,)](o, n, s, o.shape[0])
