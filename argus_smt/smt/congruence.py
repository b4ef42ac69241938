"""Congruences of integer terms: `t ≡ r (mod m)`, read off the term's shape without any fact."""

from __future__ import annotations

from math import gcd

from argus_smt.smt.term import Term

Class = tuple[int, int]
"""`(m, r)`: the value is r plus a multiple of m; m = 0 is exactly r, m = 1 says nothing. 0 <= r < m where m > 0."""
ANY: Class = (1, 0)


def _class(m: int, r: int) -> Class:
    return (m, r % m) if m else (0, r)


def _join(a: Class, b: Class) -> Class:
    m = gcd(gcd(a[0], b[0]), a[1] - b[1])
    return _class(m, a[1])


def congruence(t: Term, memo: dict[Term, Class] | None = None) -> Class:
    """The finest class that the structure of `t` shows."""
    memo = {} if memo is None else memo
    found = memo.get(t)
    if found is None:
        found = memo[t] = _compute(t, memo)
    return found


def _compute(t: Term, memo: dict[Term, Class]) -> Class:
    match t.op:
        case "const":
            return (0, t.data)
        case "add":
            m, r = 0, t.data[0]
            for mono, coef in zip(t.args, t.data[1:], strict=True):
                cm, cr = congruence(mono, memo)
                m, r = gcd(m, cm * abs(coef)), r + cr * coef
            return _class(m, r)
        case "mul":
            m, r = 0, 1
            for atom in t.args:
                am, ar = congruence(atom, memo)
                m, r = gcd(gcd(m * am, m * ar), am * r), r * ar
            return _class(m, r)
        case "mod":  # a - b * q
            am, ar = congruence(t.args[0], memo)
            bm, br = congruence(t.args[1], memo)
            return _class(gcd(am, gcd(bm, br)), ar)
        case "min" | "max":
            return _join(congruence(t.args[0], memo), congruence(t.args[1], memo))
        case "ite":
            return _join(congruence(t.args[1], memo), congruence(t.args[2], memo))
        case _:
            return ANY
