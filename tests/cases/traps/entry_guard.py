import torch, triton
import triton.language as tl

# RIGHT: x = p*s wraps negative, x < N lets it through: needs a limit on p*s
@triton.jit
def k(f, o, n, s, N):
    x = tl.program_id(0) * s
    for t in range(0, n):
        v = tl.load(f + t)
        tl.store(o + x, 1.0, mask=x < N)
        x = tl.where(v > 0.5, x, x // 2)

def launch(f, o, s, g):
    k[(g,)](f, o, f.shape[0], s, o.shape[0])
