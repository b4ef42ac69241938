"""Case splits: extremes and choices inside products, divisors or the denied goal are resolved before linear arithmetic.

Each side of a choice then is a fact of its own, which products can be formed with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.saturate import interval_facts
from argus_smt.smt.simplify import simplify
from argus_smt.smt.term import Term

MAX_SPLITS = 6


def cases(facts: Sequence[Term], bounds: Bounds, splits: int = MAX_SPLITS) -> Iterator[tuple[Term, ...]]:
    """Sets of facts whose disjunction is equal to `facts`, each with fewer extremes and choices in places that matter.

    The denied goal is the last of the facts.
    """
    flat = tuple(p for f in facts for p in T.conjuncts(f))
    if T.FALSE in flat:
        return
    atom = _candidate(flat) if splits else None
    if atom is None:
        yield flat
        return
    for cond, value in _sides(atom):
        local = bounds.copy()
        local.learn([*flat, cond])
        if local.truth(cond) is False:
            continue
        memo: dict[Term, Term] = {}
        kept = interval_facts(atom, bounds) if atom in bounds.env else []  # what was learnt of the atom goes with it
        chosen = [cond, *(T.substitute(f, {atom: value}, memo) for f in (*kept, *flat))]
        resolved = tuple(_settle(f, _of_unknowns(local)) for f in chosen)
        if T.FALSE not in resolved:
            yield from cases(resolved, bounds, splits - 1)


def _of_unknowns(bounds: Bounds) -> Bounds:
    """The intervals of variables and applications alone: a fact about a quotient must not fold that quotient away."""
    return Bounds({t: ends for t, ends in bounds.env.items() if t.op in ("var", "app")}, bounds.functions)


def _settle(fact: Term, bounds: Bounds) -> Term:
    """Simplify the inside of a fact, but never fold the fact itself away: the bounds were learned from it."""
    if fact.op in ("nonneg", "zero"):
        inner = simplify(fact.args[0], bounds)
        return T.nonneg(inner) if fact.op == "nonneg" else T.zero(inner)
    return fact


def _sides(atom: Term) -> list[tuple[Term, Term]]:
    match atom.op:
        case "min":
            a, b = atom.args
            return [(T.le(a, b), a), (T.lt(b, a), b)]
        case "max":
            a, b = atom.args
            return [(T.ge(a, b), a), (T.gt(b, a), b)]
        case _:
            c, a, b = atom.args
            return [(c, a), (T.not_(c), b)]


def _candidate(facts: Sequence[Term]) -> Term | None:
    """An innermost extreme or choice that occurs in a product, a divisor, or a dividend by a symbol."""
    seen: set[Term] = set()
    stack = list(facts)
    while stack:
        t = stack.pop()
        if t in seen:
            continue
        seen.add(t)
        stack.extend(t.args)
        hard = t.op == "mul" or (t.op in ("div", "mod") and t.args[1].op != "const")
        if hard:
            for a in t.args:
                inner = _innermost(a)
                if inner is not None:
                    return inner
    return _innermost(facts[-1]) if facts else None


def _innermost(t: Term) -> Term | None:
    for a in t.args:
        inner = _innermost(a)
        if inner is not None:
            return inner
    return t if t.op in ("min", "max", "ite") else None
