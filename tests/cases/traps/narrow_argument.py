import torch, triton
import triton.language as tl

# RIGHT: an int8 parameter n receives 300 -> truncated or error
@triton.jit
def k(o, n: tl.int8):
    if n < 100:
        tl.store(o + n, 1.0)

def launch(o, n):
    k[(1,)](o, n)
