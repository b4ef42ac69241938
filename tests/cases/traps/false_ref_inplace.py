import torch, triton
import triton.language as tl

# RIGHT: idx >= 1 always, so x + i - 1 is in bounds: proved or unknown, never refuted
@triton.jit
def k(i, x, o):
    p = tl.program_id(0)
    a = tl.load(i + p)
    tl.store(i + p, a)
    tl.store(o + p, tl.load(x + a - 1))

def launch(x, o):
    n = x.shape[0]
    i = torch.arange(1, n + 1, dtype=torch.int32)
    k[(n,)](i, x, o)
