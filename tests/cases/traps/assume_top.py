import torch, triton
import triton.language as tl

# RIGHT: AR306 refuted (n can exceed 8), AR302 refuted or conditional on it -- never all proved
@triton.jit
def k(o, n):
    tl.assume(n <= 8)
    i = tl.program_id(0)
    tl.store(o + i, 1.0)

def launch(o, n):
    k[(n,)](o, n)
