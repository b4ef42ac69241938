import torch, triton
import triton.language as tl

# RIGHT: AR302 refuted: 12 bytes are three elements, two are masked
@triton.jit
def k(o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    p = (o.to(tl.int64) + 12).to(tl.pointer_type(tl.float32))
    tl.store(p + i, 1.0, mask=i < n - 2)

def launch(o):
    k[(triton.cdiv(o.numel(), 64),)](o, o.numel(), 64)
