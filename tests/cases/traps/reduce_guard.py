import torch, triton
import triton.language as tl

# RIGHT: p*s wraps in 32 bits and m < N lets the negative through: limit in warn, refuted with --overflow error
@triton.jit
def k(o, s, N, B: tl.constexpr):
    p = tl.program_id(0)
    offs = p * s + tl.arange(0, B)
    m = tl.min(offs, 0)
    tl.store(o + m, 1.0, mask=m < N)

def launch(o, g, s):
    k[(g,)](o, s, o.shape[0], 16)
