"""With V = 0 the table has no entry that it could have; reading the next one is a fault all the same."""

import triton
import triton.language as tl


@triton.jit
def kernel(table, o, T, V):
    kept = 0
    for t in range(T + 1):
        entry = tl.load(table + t)
        kept = tl.where(entry > kept, entry, kept)
    tl.store(o + kept, 1.0)


def launch(table, o):
    T, V = table.shape[0], o.shape[0] - 1
    kernel[(1,)](table, o, T, V)
