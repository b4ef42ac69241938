"""Operations that only move lanes, for values that are described by cases."""

from __future__ import annotations

from argus_smt.absint.pieces import Piece, Pieces, conjoin, merged, moved
from argus_smt.absint.shapes import flatten
from argus_smt.absint.values import COORDS
from argus_smt.ir.ops import Broadcast, ExpandDims, Reshape, Splat, Trans, Unsplat
from argus_smt.ir.types import shape_of
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.simplify import simplify
from argus_smt.smt.term import Term


def move(op: Splat | ExpandDims | Broadcast | Reshape | Trans | Unsplat, value: Pieces, bounds: Bounds) -> Pieces:
    """The operand under another index map."""
    old, new = shape_of(op.operand.type), shape_of(op.result.type)
    rank = len(new)
    match op:
        case Splat():
            return value
        case Unsplat():
            return moved(value, dict.fromkeys(COORDS[: len(old)], T.ZERO), lambda axes: frozenset())
        case ExpandDims(axis=axis):
            places = [d for d in range(rank) if d != axis]
            return moved(value, _to(places), lambda axes: frozenset(places[a] for a in axes))
        case Broadcast():
            single = [d for d, n in enumerate(old) if n == 1]
            return moved(value, {COORDS[d]: T.ZERO for d in single}, lambda axes: axes - set(single))
        case Trans(order=order):
            places = [order.index(d) for d in range(rank)]
            return moved(value, _to(places), lambda axes: frozenset(places[a] for a in axes))
        case Reshape(reorder=True):
            return anywhere(value)
        case Reshape():
            inside = bounds.copy()
            for d, n in enumerate(new):
                inside.narrow(COORDS[d], (0, n - 1))
            number = flatten(COORDS[:rank], new)
            mapping: dict[Term, Term] = {}
            for d in reversed(range(len(old))):
                mapping[COORDS[d]] = simplify(T.mod(number, T.const(old[d])), inside)
                number = simplify(T.div(number, T.const(old[d])), inside)
            wide = frozenset(d for d, n in enumerate(new) if n > 1)
            return moved(value, mapping, lambda axes: wide if axes else axes)


def _to(places: list[int]) -> dict[Term, Term]:
    return {COORDS[d]: COORDS[p] for d, p in enumerate(places) if d != p}


def join(a: Pieces, b: Pieces, rank: int) -> Pieces:
    """Two values side by side in a new last dimension."""
    last = COORDS[rank - 1]
    sides = ((T.eq(last, 0), a), (T.eq(last, 1), b))
    return merged(Piece(conjoin(here, p.cond), p.lane) for here, value in sides for p in value)


def half(value: Pieces, rank: int, which: int) -> Pieces:
    """One half of a last dimension of extent 2."""
    return merged(moved(value, {COORDS[rank - 1]: T.const(which)}, lambda axes: axes - {rank - 1}))


def picked(value: Pieces, axis: int, index: Term) -> Pieces:
    """Lanes at another place along one axis."""
    return merged(moved(value, {COORDS[axis]: index}, lambda axes: axes))


def anywhere(value: Pieces) -> Pieces:
    """The same lanes in any order."""
    wide = frozenset(range(len(COORDS)))
    out = [Piece(T.TRUE, p.lane) for p in value]
    return merged(moved(tuple(out), {}, lambda axes: wide if axes else axes))
