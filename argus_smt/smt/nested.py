"""Quotients of quotients: x // (d * e) == (x // d) // e for positive d and e.

Code that takes an index apart often divides by a product at one place, and by its factors one after the other at another;
polynomials in normal form no longer show that the former divisor is a product.
"""

from __future__ import annotations

from collections.abc import Iterable

from argus_smt.smt import term as T
from argus_smt.smt.term import Term


def nested_quotients(terms: Iterable[Term]) -> list[Term]:
    """The identity for quotients and remainders that occur in `terms`, as facts."""
    atoms = _divisions(terms)
    by_dividend: dict[Term, list[Term]] = {}
    for a in atoms:
        by_dividend.setdefault(a.args[0], []).append(a)
    out: dict[Term, None] = {}
    for x, group in by_dividend.items():
        divisors = list(dict.fromkeys(a.args[1] for a in group))
        for d in divisors:
            inner = T.div(x, d)
            for e in dict.fromkeys(a.args[1] for a in by_dividend.get(inner, ())):
                product = d * e
                if product in divisors and not product.is_const:
                    same = T.eq(T.div(x, product), T.div(inner, e))
                    out[T.or_(T.le(d, 0), T.le(e, 0), same)] = None
    out.pop(T.TRUE, None)
    return list(out)


def _divisions(terms: Iterable[Term]) -> list[Term]:
    seen: set[Term] = set()
    out: list[Term] = []
    work = list(terms)
    while work:
        t = work.pop()
        if t in seen:
            continue
        seen.add(t)
        if t.op in ("div", "mod"):
            out.append(t)
        work += t.args
    return out
