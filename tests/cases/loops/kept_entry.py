"""The entry of a table with the greatest weight is kept, and written to."""

# CALL: launch(table: i32[T] in [0, V), weights: f32[T], o: f32[V])
# FAULT: 'entry, kept)', 'entry + 1, kept)', 'AR302', 'tl.store(o + kept'

import triton
import triton.language as tl


@triton.jit
def kernel(table, weights, o, T):
    kept = 0
    most = float("-inf")
    for t in range(T):
        entry = tl.load(table + t)
        weight = tl.load(weights + t)
        better = weight > most
        kept = tl.where(better, entry, kept)
        most = tl.where(better, weight, most)
    tl.store(o + kept, 1.0)


def launch(table, weights, o):
    kernel[(1,)](table, weights, o, table.shape[0])
