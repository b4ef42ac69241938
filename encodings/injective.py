"""Theorem: in a view whose strides dominate each other, different indices have different addresses.

Order the dimensions from the outermost in. If every stride is greater than the farthest that all dimensions further in can
reach together, s_d > Σ_{e further in} (n_e - 1)·s_e, then Σ i_d·s_d with 0 <= i_d < n_d determines every i_d: the outermost
index on which two indices differ moves the sum by more than the others can bring it back. Contiguous tensors meet this with
equality to the least such stride, row-major tensors with padded rows too, in whatever order the dimensions come.
A dimension of one element needs no stride.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from argus_smt.encodings.span import Dimension
from argus_smt.smt import term as T
from argus_smt.smt.term import Term

MAX_ORDERS = 24


def conditions(dims: Sequence[Dimension]) -> Iterator[tuple[Term, ...]]:
    """For each order of the dimensions, likely ones first, what makes the map from index to address injective."""
    ranked = sorted(dims, key=_rank, reverse=True)
    for n, order in enumerate(permutations(ranked)):
        if n >= MAX_ORDERS:
            return
        yield _dominates(order)


def _dominates(order: Sequence[Dimension]) -> tuple[Term, ...]:
    out = []
    reach = T.ZERO
    for d in reversed(order):
        needed = T.gt(d.stride, reach)
        if needed is not T.TRUE:
            out.append(T.or_(T.le(d.extent, 1), needed))
        reach = reach + (d.extent - 1) * d.stride
    return tuple(c for c in out if c is not T.TRUE)


def _rank(d: Dimension) -> tuple[int, int]:
    """Strides of higher degree are further out, then larger coefficients."""
    p = T.poly(d.stride)
    return max((len(m) for m in p), default=0), max((abs(c) for c in p.values()), default=0)
