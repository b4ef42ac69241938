import torch, triton
import triton.language as tl

# RIGHT: AR302 refuted: o + p*100 with o of 8 elements
@triton.jit
def k(o, x, B: tl.constexpr):
    p = tl.program_id(0)
    j = 0
    if (x > 50) & (x < 3):
        j = tl.max(x + tl.arange(0, B), 0)
    tl.store(o + p * 100 + j, 1.0)

def launch(o, x):
    k[(10,)](o, x, 16)
