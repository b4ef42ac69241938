import torch, triton
import triton.language as tl

# RIGHT: AR302 refuted: the descriptor says one row more than there is
@triton.jit
def k(o, M, N, B: tl.constexpr):
    d = tl.make_tensor_descriptor(o, shape=[M + 1, N], strides=[N, 1], block_shape=[B, 8])
    d.store([tl.program_id(0) * B, 0], tl.zeros((B, 8), tl.float32))

def launch(o):
    k[(triton.cdiv(o.shape[0], 4),)](o, o.shape[0], o.shape[1], 4)
