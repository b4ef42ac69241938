import torch, triton
import triton.language as tl

# RIGHT: full(-0.0) viewed as int32 is -2**31: not proved
@triton.jit
def k(i, x, o):
    a = tl.load(i)
    tl.store(o, tl.load(x + a))

def launch(x, o):
    i = torch.full((4,), -0.0, dtype=torch.float32)
    k[(1,)](i.view(torch.int32), x, o)
