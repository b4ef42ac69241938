"""First element of a sorted table that is not below each query."""

# CALL: launch(v: i32[n], q: i32[m], o: i32[m])
# FAULT: 'while lo < hi:', 'while lo <= hi:', 'AR301', 'x = tl.load(v + mid)'
# FAULT: 'hi = n\n', 'hi = n + 1\n', 'AR301', 'x = tl.load(v + mid)'
# FAULT: 'mask=lo < n', 'mask=lo <= n', 'AR301', 'found = tl.load'

import triton
import triton.language as tl


@triton.jit
def kernel(v, q, o, n):
    i = tl.program_id(0)
    wanted = tl.load(q + i)
    lo = 0
    hi = n
    while lo < hi:
        mid = (lo + hi) // 2
        x = tl.load(v + mid)
        if x < wanted:
            lo = mid + 1
        else:
            hi = mid
    found = tl.load(v + lo, mask=lo < n, other=0)
    tl.store(o + i, found)


def launch(v, q, o):
    kernel[(q.shape[0],)](v, q, o, v.shape[0])
