"""Products of two sums inside a fact: `a*b - a*c - 8*d*b + 8*d*c` is `(a - 8*d) * (b - c)`.

Linear arithmetic takes each product for an unknown of its own. What it can show of the two sums, that they are at least 0 or 1,
says something of their product.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import gcd

from argus_smt.smt import term as T
from argus_smt.smt.term import Term


def factors(fact: Term) -> tuple[Term, Term] | None:
    """Two sums whose product holds all products in a fact `0 <= …`; None if there are none such.

    Each is made of atoms that only occur in products with atoms of the other one.
    """
    if fact.op != "nonneg":
        return None
    pairs = {m: c for m, c in T.poly(fact.args[0]).items() if len(m) > 1}
    if len(pairs) < 2 or any(len(m) != 2 for m in pairs):
        return None
    sides = _sides(pairs)
    if sides is None:
        return None
    rows, columns = sides
    table = {}
    for (a, b), c in pairs.items():
        table[(a, b) if a in rows else (b, a)] = c
    first = next(iter(rows))
    lead = {y: table.get((first, y), 0) for y in columns}
    scale = {}
    for x in rows:
        ratios = {Fraction(table.get((x, y), 0), lead[y]) for y in columns if lead[y]}
        if len(ratios) != 1 or any(table.get((x, y), 0) for y in columns if not lead[y]):
            return None
        (scale[x],) = ratios
    unit = gcd(*lead.values())
    whole = [scale[x] * unit for x in rows]
    if any(w.denominator != 1 for w in whole):
        return None
    left = T.add(T.ZERO, *(T.scale(x, int(w)) for x, w in zip(rows, whole, strict=True)))
    right = T.add(T.ZERO, *(T.scale(y, c // unit) for y, c in lead.items()))
    return left, right


def _sides(pairs: dict[tuple[Term, ...], int]) -> tuple[list[Term], list[Term]] | None:
    """The atoms in two groups, of which each product takes one each; None if that cannot be."""
    side: dict[Term, int] = {}
    work = list(pairs)
    side[work[0][0]] = 0
    changed = True
    while changed:
        changed = False
        for a, b in work:
            for x, y in ((a, b), (b, a)):
                if x in side and y not in side:
                    side[y] = 1 - side[x]
                    changed = True
                elif x in side and side[x] == side.get(y):
                    return None
    if any(a not in side for m in work for a in m):
        return None
    return [a for a, s in side.items() if s == 0], [a for a, s in side.items() if s == 1]


def signed(pair: tuple[Term, Term]) -> Iterator[tuple[Term, Term]]:
    """The two sums with either sign each: what is known of the signed product says as much."""
    left, right = pair
    yield from ((left, right), (left, -right), (-left, right), (-left, -right))
