"""Theorem: an offset that splits into in-range indices stays inside the span of its view.

A view with extents n_d >= 1 and strides s_d >= 0 (elements) spans the elements 0 … Σ (n_d - 1)·s_d. If an offset equals
Σ i_d·s_d with 0 <= i_d < n_d for every d, it lies in that span, since each summand lies between 0 and (n_d - 1)·s_d.
So a bound over products of symbols (i_d·s_d) follows from one linear bound a dimension. The converse does not hold: an
offset outside of every such split may still be inside; then nothing is concluded from here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from argus_smt.smt import term as T
from argus_smt.smt.term import Poly, Term


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension of a view as an access uses it: `index` should lie in [0, extent); `axes` are the tensor's."""

    index: Term
    extent: Term
    stride: Term
    axes: tuple[int, ...]


def split(offset: Term, item: int, shape: Sequence[Term], strides: Sequence[Term]) -> tuple[Dimension, ...]:
    """Indices of a byte offset, one a dimension or group of merged dimensions; () if the offset does not split.

    Monomials go to the dimension with the largest stride that divides them. Dimensions that get no index and are
    contiguous with the next are merged with it, so a kernel that walks a tensor as if flattened is split as it walks.
    """
    elements = T.quotient(offset, T.const(item)) if item > 1 else offset
    if elements is None:
        return ()
    dims = [Dimension(T.ZERO, n, s, (d,)) for d, (n, s) in enumerate(zip(shape, strides, strict=True))]
    dims = [d for d in dims if d.extent is not T.ONE] or dims[-1:]
    while dims:
        found = _assign(elements, dims)
        if found is None:
            return ()
        merged = _merge_idle(found)
        if len(merged) == len(found):
            return tuple(found)
        dims = merged
    return ()


def _assign(elements: Term, dims: list[Dimension]) -> list[Dimension] | None:
    order = sorted(range(len(dims)), key=lambda i: _weight(dims[i].stride), reverse=True)
    parts: list[Poly] = [{} for _ in dims]
    for mono, coef in T.poly(elements).items():
        for i in order:
            q = T.quotient(T.from_poly({mono: coef}), dims[i].stride) if dims[i].stride is not T.ZERO else None
            if q is not None:
                for m, c in T.poly(q).items():
                    parts[i][m] = parts[i].get(m, 0) + c
                break
        else:
            return None
    return [Dimension(T.from_poly(p), d.extent, d.stride, d.axes) for p, d in zip(parts, dims, strict=True)]


def _weight(stride: Term) -> tuple[int, int]:
    """Strides with more symbols first, then by coefficient."""
    p = T.poly(stride)
    degree = max((len(m) for m in p), default=0)
    return degree, max((abs(c) for c in p.values()), default=0)


def _merge_idle(dims: list[Dimension]) -> list[Dimension]:
    for i, (a, b) in enumerate(pairwise(dims)):
        if a.index is T.ZERO and a.stride is b.extent * b.stride:
            both = Dimension(T.ZERO, a.extent * b.extent, b.stride, a.axes + b.axes)
            return [*dims[:i], both, *dims[i + 2 :]]
    return dims
