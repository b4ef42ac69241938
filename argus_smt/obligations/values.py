"""Duties of arithmetic and of promises to the compiler (AR305, AR306)."""

from __future__ import annotations

from collections.abc import Iterator

from argus_smt.absint.facts import Facts
from argus_smt.ir.ops import Binary, For, Gather, Op
from argus_smt.obligations.obligation import Obligation, Reach
from argus_smt.smt import term as T


def arithmetic(facts: Facts) -> Iterator[Obligation]:
    """Divisors are not 0 and shifts stay below the width, at every element (masked or not)."""
    for a in facts.arithmetic:
        subject = _subject(a.op)
        yield Obligation("AR305", a.site, a.op, Reach(a.scope, a.shape, (), a.guards | a.scope.guards), a.goal, subject)


def _subject(op: Op) -> str:
    if isinstance(op, For):
        return "step"
    if isinstance(op, Gather):
        return "gather index"
    return "shift amount" if isinstance(op, Binary) and op.fn in ("shl", "ashr", "lshr") else "divisor"


def promises(facts: Facts) -> Iterator[Obligation]:
    """What was assumed, asserted or hinted holds."""
    for p in facts.promises:
        reach = Reach(p.scope, p.shape, T.conjuncts(p.where), p.guards | p.scope.guards)
        yield Obligation("AR306", p.site, p.op, reach, p.goal, p.what)
