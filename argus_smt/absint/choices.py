"""Choices between values that are described by cases."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from argus_smt.absint import content as C
from argus_smt.absint.content import Content
from argus_smt.absint.pieces import Lane, Piece, Pieces, conjoin, deny, merged
from argus_smt.ir import ops as I
from argus_smt.ir.types import Scalar, elem_of, shape_of
from argus_smt.smt import term as T

if TYPE_CHECKING:
    from argus_smt.absint.padding import Padding


def select(p: Padding, op: I.Select) -> Pieces:
    """The lanes that are taken, each where it is; a constant in the place of padding is padding."""
    sides = (*p.get(op.a), *p.get(op.b))
    matters = len(sides) > 2 or any(x.lane.padding or x.lane.bad for x in sides)
    term = p.condition(op, op.cond) if matters else None
    shape = shape_of(op.result.type)
    wide = frozenset(d for d, n in enumerate(shape) if n > 1)
    out: list[Piece] = []
    for c in p.get(op.cond):
        known = c.lane.content.number
        for a in p.get(op.a):
            for b in p.get(op.b):
                base = conjoin(c.cond, a.cond, b.cond)
                told = _told(p, op, a.lane.content, b.lane.content)
                for holds, chosen, other in ((1, a.lane, b.lane), (0, b.lane, a.lane)):
                    if known not in (None, holds) or told not in (None, holds):
                        continue
                    here = T.TRUE if term is None or known is not None else term if holds else deny(term)
                    out.append(Piece(conjoin(base, here), _picked(c.lane, chosen, other, wide)))
    return merged(out)


def _told(p: Padding, op: I.Select, a: Content, b: Content) -> int | None:
    """What the condition is where the sides hold what they do, if it compares one of them with a constant: 0 or 1."""
    test = p.made_by.get(op.cond.number)
    if not isinstance(test, I.Cmp):
        return None
    elem = elem_of(test.lhs.type)
    for side, content in ((op.a, a), (op.b, b)):
        if isinstance(elem, Scalar) and side.number in (test.lhs.number, test.rhs.number):
            first = test.lhs.number == side.number
            against = p.get(test.rhs if first else test.lhs)
            if len(against) == 1 and against[0].lane.content.number is not None:
                pair = (content, against[0].lane.content)
                number = C.compare(test.pred, *(pair if first else pair[::-1]), elem).number
                return None if number is None else int(number)
    return None


def _picked(cond: Lane, chosen: Lane, other: Lane, wide: frozenset[int]) -> Lane:
    """A lane that a choice takes: a constant put in the place of padding is padding still, numbers from memory are not."""
    replaced = other.padding and not wide <= chosen.data
    padding = chosen.padding or replaced or cond.padding
    return Lane(replace(chosen.content, given=not padding), padding, chosen.bad | cond.bad, chosen.data)
