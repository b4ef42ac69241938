import torch, triton
import triton.language as tl

# RIGHT: s is 1.0 everywhere: index 0: never refuted
@triton.jit
def k(s, x, o):
    p = tl.program_id(0)
    v = tl.load(s + p)
    a = v.to(tl.int32) - 1
    tl.store(o + p, tl.load(x + a))

def launch(x, o):
    n = o.shape[0]
    s = torch.ones((n,), dtype=torch.float32)
    k[(n,)](s, x, o)
