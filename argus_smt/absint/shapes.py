"""Transfer functions of operations that only move elements: compositions of index maps."""

from __future__ import annotations

from collections.abc import Sequence

from argus_smt.absint.facts import Arithmetic
from argus_smt.absint.state import State
from argus_smt.absint.values import COORDS, AbsValue, choose, map_terms
from argus_smt.ir.ops import Broadcast, ExpandDims, Gather, Join, Reshape, Splat, Split, Trans, Unsplat
from argus_smt.ir.types import shape_of
from argus_smt.smt import term as T
from argus_smt.smt.term import Term


def _at(state: State, value: AbsValue, index: Sequence[Term]) -> AbsValue:
    """`value` seen through an index map: element (i0, …) of the result is element `index` of the operand."""
    mapping = {c: t for c, t in zip(COORDS, index, strict=False) if c is not t}
    return map_terms(value, mapping) if mapping else value


def flatten(index: Sequence[Term], shape: Sequence[int]) -> Term:
    """Row-major number of an element."""
    out = T.ZERO
    for t, n in zip(index, shape, strict=True):
        out = out * n + t
    return out


def unflatten(state: State, number: Term, shape: Sequence[int]) -> list[Term]:
    """Inverse of `flatten`."""
    out: list[Term] = []
    for n in reversed(shape):
        out.append(state.simp(T.mod(number, T.const(n))))
        number = state.simp(T.div(number, T.const(n)))
    return out[::-1]


def move(state: State, op: Splat | ExpandDims | Broadcast | Reshape | Trans | Unsplat) -> AbsValue:
    """The operand under another index map."""
    value = state.get(op.operand)
    old, new = shape_of(op.operand.type), shape_of(op.result.type)
    match op:
        case Splat():
            return value
        case Unsplat():
            return _at(state, value, [T.ZERO] * len(old))
        case ExpandDims(axis=axis):
            return _at(state, value, [c for d, c in enumerate(COORDS[: len(new)]) if d != axis])
        case Broadcast():
            return _at(state, value, [T.ZERO if n == 1 else c for n, c in zip(old, COORDS, strict=False)])
        case Trans(order=order):
            index = [T.ZERO] * len(old)
            for position, source in enumerate(order):
                index[source] = COORDS[position]
            return _at(state, value, index)
        case Reshape():
            number = flatten(COORDS[: len(new)], new)
            return _at(state, value, unflatten(state, number, old))


def join(state: State, op: Join) -> AbsValue:
    """Element (…, 0) from the left, (…, 1) from the right."""
    last = COORDS[len(shape_of(op.result.type)) - 1]
    return choose(T.eq(last, 0), state.get(op.lhs), state.get(op.rhs))


def split(state: State, op: Split) -> tuple[AbsValue, AbsValue]:
    """The two halves of the last dimension."""
    rank = len(shape_of(op.operand.type))
    value = state.get(op.operand)
    last = COORDS[rank - 1]
    return map_terms(value, {last: T.ZERO}), map_terms(value, {last: T.ONE})


def gather(state: State, op: Gather) -> AbsValue:
    """Element picked along one axis by an index tile, which must stay inside the tile."""
    value = state.get(op.operand)
    index = state.integer(op.index)
    coords: list[Term] = list(COORDS[: len(shape_of(op.result.type))])
    coords[op.axis] = index.term
    extent = shape_of(op.operand.type)[op.axis]
    inside = state.simp(T.and_(T.ge(index.term, 0), T.lt(index.term, extent)))
    if state.recording and inside is not T.TRUE:
        shape = shape_of(op.result.type)
        state.facts.arithmetic.append(Arithmetic(state.site(op), op, inside, shape, index.guards, state.scope()))
    outside = state.unknown(op.result.type, state.site(op), "a gather with an index outside of the tile")
    return choose(inside, _at(state, value, coords), outside, index.guards)
