"""Rewriting of terms by what intervals and facts decide: smaller terms, fewer cases for the solver."""

from __future__ import annotations

from argus_smt.smt import term as T
from argus_smt.smt.congruence import congruence
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
            if decided is None and t.op == "zero" and _never_zero(t.args[0]):
                return T.FALSE
            return t if decided is None else T.boolean(decided)
        case "min" | "max":
            order = bounds.truth(T.le(t.args[0], t.args[1]))
            return t if order is None else t.args[0 if order == (t.op == "min") else 1]
        case "div":
            lo, hi = bounds.of(t)
            return T.const(lo) if lo is not None and lo == hi else t
        case "mod" if _residue(t) is not None:
            return T.const(_residue(t) or 0)
        case "mod":
            small = bounds.truth(T.and_(T.ge(t.args[0], 0), T.lt(t.args[0], t.args[1])))
            return t.args[0] if small else t
        case _:
            return t


def _never_zero(t: Term) -> bool:
    """Whether the congruence of a term excludes 0: no program id times 4 plus 2 is 0."""
    m, r = congruence(t)
    return m > 1 and r != 0


def _residue(t: Term) -> int | None:
    """The remainder by a positive constant, if the dividend's congruence settles it."""
    dividend, divisor = t.args
    if divisor.op != "const" or divisor.data <= 0:
        return None
    m, r = congruence(dividend)
    return r % divisor.data if m % divisor.data == 0 else None
