"""Exact limits: up to which sizes no 32-bit result that matters wraps.

The exact result of an operation is grouped by the products of launch symbols in it: Σ S·L with L over program ids, trips
and coordinates. Each L gets its least upper bound among the hypotheses of the lanes that are live; Σ S·bound(L) is then
the largest value that the operation reaches, and its own bound by the width is the limit. The limit is only used when the
prover shows that it is enough; whether it is also necessary shows where the bounds are attained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from argus_smt.absint.values import COORDS
from argus_smt.obligations.obligation import Obligation
from argus_smt.obligations.overflow import Overflow
from argus_smt.prove.discharge import Prover
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.show import show
from argus_smt.smt.term import Term


@dataclass(frozen=True, slots=True)
class Limit:
    """`text` for people. `term` is over launch symbols only, or None where no such bound was found."""

    text: str
    term: Term | None


def find(overflow: Overflow, duties: Sequence[Obligation], prover: Prover, source: str) -> Limit:
    """The limit under which `duties` hold; `source` is the operation's text for where no symbolic one is found."""
    bits = overflow.wrap.bits
    terms: list[Term] = []
    for duty in duties:
        term = _symbolic(overflow, duty, prover)
        if term is None:
            return Limit(f"{source} < 2**{bits - 1}", None)
        terms.append(term)
    term = T.and_(*terms)
    return Limit(show(term), term)


def _symbolic(overflow: Overflow, duty: Obligation, prover: Prover) -> Term | None:
    exact = _exact(overflow, duty)
    if exact is None:
        return None
    bounds = prover.bounds(duty.reach)
    hyps = prover.hypotheses(duty.reach, guards=False)
    for top in _tops(exact, hyps, bounds):
        limit = T.lt(top, 1 << (overflow.wrap.bits - 1))
        if limit is T.FALSE:
            continue
        if prover.refute([*hyps, limit], duty.goal, bounds, "limit", nonlinear=False).status == "unsat":
            return limit
    return None


def _exact(overflow: Overflow, duty: Obligation) -> Term | None:
    """The operation's result in the coordinates of a use, read off the guard there: 0 <= 2**31 - 1 - result."""
    top = (1 << (overflow.wrap.bits - 1)) - 1
    for part in _parts(duty.goal):
        if part.op == "nonneg":
            p = T.poly(part.args[0])
            if p.get((), 0) >= top - (1 << 24) and any(c < 0 for m, c in p.items() if m):
                return T.const(top) - part.args[0]
    return None


def _parts(goal: Term) -> list[Term]:
    return [p for c in T.conjuncts(goal) for p in ([*c.args] if c.op == "or" else [c])]


def _local(t: Term) -> bool:
    return any(v.data.startswith("$") for v in t.free if v.op == "var") or bool(t.apps)


def _tops(exact: Term, hyps: Sequence[Term], bounds: Bounds) -> list[Term]:
    """Candidates for the largest value of `exact`, over symbols only; tightest first."""
    groups: dict[Term, T.Poly] = {}
    for mono, coef in T.poly(exact).items():
        outer = tuple(a for a in mono if not _local(a))
        inner = tuple(a for a in mono if _local(a))
        groups.setdefault(T.from_poly({outer: 1}), {})[inner] = coef
    choices: list[list[Term]] = [[T.ZERO]]
    for symbol, part in groups.items():
        local = T.from_poly(part)
        tops = _upper(local, hyps, bounds) if _local(local) else [local]
        choices = [[*c, symbol * t] for c in choices for t in tops[:3]]
    return [T.add(*c) for c in choices[:9]]


def _upper(local: Term, hyps: Sequence[Term], bounds: Bounds) -> list[Term]:
    """Bounds of a term over local variables by symbols only: from one hypothesis, or variable by variable."""
    found = []
    for h in hyps:
        if h.op == "nonneg":
            top = h.args[0] + local
            if not _local(top):
                found.append(top)
    stepwise = _stepwise(local, hyps, bounds)
    if stepwise is not None:
        found.append(stepwise)
    high = bounds.of(local)[1]
    if high is not None and high < 1 << 40:
        found.append(T.const(high))
    return list(dict.fromkeys(found))


def _stepwise(local: Term, hyps: Sequence[Term], bounds: Bounds) -> Term | None:
    """Replace coordinates by their greatest value, other variables by a hypothesis that bounds them alone."""
    current = local
    for coord in COORDS:
        if coord in current.free:
            current = T.substitute(current, {coord: T.const(bounds.of(coord)[1] or 0)})
    for h in hyps:
        if not _local(current):
            return current
        for v in current.free:
            if v.op == "var" and v.data.startswith("$") and h.op == "nonneg":
                p = T.poly(h.args[0])
                scale = -p.get((v,), 0)
                rest = T.from_poly({m: c for m, c in p.items() if m != (v,)})
                mine = T.poly(current).get((v,), 0)
                if scale > 0 and mine > 0 and mine % scale == 0 and not _local(rest):
                    others = T.from_poly({m: c for m, c in T.poly(current).items() if m != (v,)})
                    current = others + rest * (mine // scale)
                    break
    return None if _local(current) else current


def prune(limits: Sequence[Limit], facts: Sequence[Term], prover: Prover) -> list[Limit]:
    """Limits without those that another one implies."""
    kept = list({x.text: x for x in limits}.values())
    for one in list(kept):
        others = [x.term for x in kept if x is not one and x.term is not None]
        if one.term is None or not others:
            continue
        bounds = prover.facts.bounds.copy()
        bounds.learn([*facts, *others])
        if prover.refute([*facts, *others], one.term, bounds, "limits", nonlinear=False).status == "unsat":
            kept.remove(one)
    return kept
