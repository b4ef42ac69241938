"""Rewriting of terms by what intervals and facts decide: smaller terms, fewer cases for the solver."""

from __future__ import annotations

from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.term import Term


def simplify(t: Term, bounds: Bounds, memo: dict[Term, Term] | None = None) -> Term:
    """An equal term under the bounds: decided conditions folded, divisions and extremes that do nothing removed."""
    memo = {} if memo is None else memo
    found = memo.get(t)
    if found is None:
        if not t.args:
            found = t
        else:
            args = tuple(simplify(a, bounds, memo) for a in t.args)
            same = all(x is y for x, y in zip(args, t.args, strict=True))
            found = _fold(t if same else T.rebuild(t, args), bounds)
        memo[t] = found
    return found


def _fold(t: Term, bounds: Bounds) -> Term:
    match t.op:
        case "ite" | "bite":
            known = bounds.truth(t.args[0])
            return t if known is None else t.args[1 if known else 2]
        case "nonneg" | "zero" | "and" | "or" | "not":
            decided = bounds.truth(t)
            return t if decided is None else T.boolean(decided)
        case "min" | "max":
            order = bounds.truth(T.le(t.args[0], t.args[1]))
            return t if order is None else t.args[0 if order == (t.op == "min") else 1]
        case "div":
            lo, hi = bounds.of(t)
            return T.const(lo) if lo is not None and lo == hi else t
        case "mod":
            small = bounds.truth(T.and_(T.ge(t.args[0], 0), T.lt(t.args[0], t.args[1])))
            return t.args[0] if small else t
        case _:
            return t
