import torch, triton
import triton.language as tl

# RIGHT: ones(float32) viewed as int32 is 1065353216: AR301 refuted/unknown
@triton.jit
def k(i, x, o):
    a = tl.load(i)
    tl.store(o, tl.load(x + a))

def launch(x, o):
    i = torch.ones((4,), dtype=torch.float32)
    k[(1,)](i.view(torch.int32), x, o)
