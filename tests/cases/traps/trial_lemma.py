import torch, triton
import triton.language as tl

# RIGHT: x falls to 0, -1, ...: AR302 not proved (o - 1)
@triton.jit
def k(f, o, n, m):
    x = 1
    for t in range(0, n):
        q = (m * x - m) // 4
        v = tl.load(f + t)
        tl.store(o + x - 1, 1.0, mask=q < 100)
        x = tl.where(v > 0.5, x, x - 1)

def launch(f, o, m):
    k[(1,)](f, o, f.shape[0], m)
