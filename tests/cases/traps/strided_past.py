import torch, triton
import triton.language as tl

# RIGHT: torch refuses the view of 4 elements from 5 on where x has 8; with 9 the fifth store is outside : n >= 9
@triton.jit
def k(v):
    tl.store(v + tl.arange(0, 8), 1.0, mask=tl.arange(0, 8) < 5)

def launch(x):
    k[(1,)](torch.as_strided(x, (4,), (1,), 5))
