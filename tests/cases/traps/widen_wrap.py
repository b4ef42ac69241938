import torch, triton
import triton.language as tl

# RIGHT: x = 2**(t+1)-1 wraps to -1 at t=31: AR302 refuted (or a limit); never proved outright
@triton.jit
def k(o, n, N):
    x = 1
    for t in range(0, n):
        tl.store(o + x, 1.0, mask=x < N)
        x = x * 2 + 1

def launch(o, n):
    k[(1,)](o, n, o.shape[0])
