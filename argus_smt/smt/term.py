"""Hash-consed integer and boolean terms, kept in polynomial normal form.

Two terms that are equal as polynomials over their atoms are the same object, so equality is identity
and a shared term is stored once. Integers are unbounded; `div` and `mod` round towards minus infinity
(Python's convention), `tdiv` and `trem` towards zero (C's convention, built from the former).
Division by zero is an unspecified value: a duty of its own (AR305) shows that it does not happen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from math import gcd
from typing import Any

from argus_smt.smt.evaluate import evaluate
from argus_smt.smt.polynomial import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Poly,
    Sort,
    Term,
    add,
    boolean,
    bvar,
    const,
    content,
    from_poly,
    lift,
    mul,
    node,
    poly,
    quotient,
    scale,
    var,
)

__all__ = [
    "FALSE", "ONE", "TRUE", "ZERO", "Poly", "Sort", "Term", "add", "and_", "app", "bapp", "boolean", "bvar",
    "conjuncts", "const", "content", "div", "eq", "evaluate", "from_poly", "ge", "gt", "iff", "implies", "ite",
    "le", "lift", "lt", "make", "maximum", "minimum", "mod", "mul", "ne", "nonneg", "not_", "or_", "poly",
    "quotient", "rebuild", "scale", "substitute", "tdiv", "trem", "var", "zero",
]  # fmt: skip

# ---------------------------------------------------------------- division, choice


def div(a: Term, b: Term) -> Term:
    """Floor of `a / b`."""
    if b.op == "const" and b.data:
        return _div_const(a, b.data)
    exact = quotient(a, b) if b is not ZERO else None
    if exact is not None:
        return exact
    split = _split(a, b)
    if split is not None:
        whole, rest = split
        return add(whole, node("div", (rest, b), None, Sort.INT))
    return node("div", (a, b), None, Sort.INT)


def _split(a: Term, b: Term) -> tuple[Term, Term] | None:
    """`(q, r)` with `a == q * b + r`, where q collects the monomials of `a` that `b`'s one monomial divides."""
    if b is ZERO or len(poly(b)) != 1:
        return None
    whole: Poly = {}
    rest: Poly = {}
    for m, c in poly(a).items():
        q = quotient(from_poly({m: c}), b)
        if q is None:
            rest[m] = c
        else:
            for mq, cq in poly(q).items():
                whole[mq] = whole.get(mq, 0) + cq
    return (from_poly(whole), from_poly(rest)) if whole else None


def _div_const(a: Term, d: int) -> Term:
    if d < 0:
        return _div_const(-a, -d)
    if d == 1:
        return a
    if a.op == "const":
        return const(a.data // d)
    whole: Poly = {}
    rest: Poly = {}
    for m, c in poly(a).items():
        if m == ():
            whole[m], rest[m] = c // d, c % d
        elif c % d == 0:
            whole[m] = c // d
        else:
            rest[m] = c
    r = from_poly(rest)
    if r.op == "const":
        return add(from_poly(whole), const(r.data // d))
    g = gcd(content(add(r, const(-rest.get((), 0)))), d)
    if g > 1:  # floor((g*x + c) / (g*e)) == floor((x + floor(c/g)) / e)
        inner = {m: c // g for m, c in poly(r).items()}
        return add(from_poly(whole), _div_const(from_poly(inner), d // g))
    if r.op == "div" and r.args[1].op == "const" and r.args[1].data > 0:
        return add(from_poly(whole), _div_const(r.args[0], r.args[1].data * d))
    return add(from_poly(whole), node("div", (r, const(d)), None, Sort.INT))


def mod(a: Term, b: Term) -> Term:
    """Remainder of the floor division; takes the sign of `b`."""
    if b.op == "const" and b.data:
        d = b.data
        if abs(d) == 1:
            return ZERO
        if a.op == "const":
            return const(a.data % d)
        if d > 0:
            a = from_poly({m: c % d if m == () else c for m, c in poly(a).items() if c % d})
            if a.op == "const":
                return a
            if a.op == "mod" and a.args[1].op == "const" and a.args[1].data % d == 0:
                return mod(a.args[0], b)
        return node("mod", (a, b), None, Sort.INT)
    if b is not ZERO and quotient(a, b) is not None:
        return ZERO
    split = _split(a, b)
    if split is not None:
        a = split[1]
    return node("mod", (a, b), None, Sort.INT)


def tdiv(a: Term, b: Term) -> Term:
    """`a / b` rounded towards zero, as C, MLIR `arith.divsi` and the hardware do."""
    up = ite(ge(a, ZERO), div(a, b), -div(-a, b))
    if b.op == "const":
        return up if b.data >= 0 else -tdiv(a, -b)
    down = ite(ge(a, ZERO), -div(a, -b), div(-a, -b))
    return ite(ge(b, ZERO), up, down)


def trem(a: Term, b: Term) -> Term:
    """Remainder of `tdiv`; takes the sign of `a`."""
    return a - b * tdiv(a, b)


def minimum(a: Term, b: Term) -> Term:
    return _extreme("min", a, b)


def maximum(a: Term, b: Term) -> Term:
    return _extreme("max", a, b)


def _extreme(op: str, a: Term, b: Term) -> Term:
    gap = b - a
    if gap.op == "const":
        return a if (gap.data >= 0) == (op == "min") else b
    if a.ident > b.ident:
        a, b = b, a
    return node(op, (a, b), None, Sort.INT)


def ite(cond: Term, a: Term, b: Term) -> Term:
    """`a` if `cond` else `b`, of either sort."""
    if cond is TRUE or a is b:
        return a
    if cond is FALSE:
        return b
    if cond.op == "not":
        cond, a, b = cond.args[0], b, a
    if a.sort is Sort.INT:
        return node("ite", (cond, a, b), None, Sort.INT)
    if a.is_const or b.is_const:
        return or_(and_(cond, a), and_(not_(cond), b))
    return node("bite", (cond, a, b), None, Sort.BOOL)


def app(name: str, *args: Term) -> Term:
    """The unknown integer function `name` at `args`."""
    return node("app", args, name, Sort.INT)


def bapp(name: str, *args: Term) -> Term:
    """The unknown boolean function `name` at `args`."""
    return node("bapp", args, name, Sort.BOOL)


# ---------------------------------------------------------------- predicates


def nonneg(t: Term) -> Term:
    """`0 <= t`."""
    if t.op == "const":
        return boolean(t.data >= 0)
    p = poly(t)
    g = 0
    for m, c in p.items():
        if m:
            g = gcd(g, c)
    if g > 1:  # integers: 0 <= g*x + c  iff  0 <= x + floor(c/g)
        t = from_poly({m: c // g for m, c in p.items()})
    return node("nonneg", (t,), None, Sort.BOOL)


def zero(t: Term) -> Term:
    """`0 == t`."""
    if t.op == "const":
        return boolean(t.data == 0)
    p = poly(t)
    g = 0
    for m, c in p.items():
        if m:
            g = gcd(g, c)
    if p.get((), 0) % g:
        return FALSE
    lead = next(iter(sorted((m for m in p if m), key=lambda m: tuple(a.ident for a in m))))
    if p[lead] < 0:
        g = -g
    return node("zero", (from_poly({m: c // g for m, c in p.items()}),), None, Sort.BOOL)


def le(a: Term | int, b: Term | int) -> Term:
    return nonneg(lift(b) - lift(a))


def lt(a: Term | int, b: Term | int) -> Term:
    return nonneg(lift(b) - lift(a) - ONE)


def ge(a: Term | int, b: Term | int) -> Term:
    return le(b, a)


def gt(a: Term | int, b: Term | int) -> Term:
    return lt(b, a)


def eq(a: Term | int, b: Term | int) -> Term:
    return zero(lift(a) - lift(b))


def ne(a: Term | int, b: Term | int) -> Term:
    return not_(eq(a, b))


def not_(t: Term) -> Term:
    match t.op:
        case "true" | "false":
            return boolean(t.op == "false")
        case "not":
            return t.args[0]
        case "nonneg":  # not 0 <= x  iff  0 <= -x - 1
            return nonneg(-t.args[0] - ONE)
        case _:
            return node("not", (t,), None, Sort.BOOL)


def and_(*terms: Term) -> Term:
    return _junction("and", FALSE, TRUE, terms)


def or_(*terms: Term) -> Term:
    return _junction("or", TRUE, FALSE, terms)


def implies(a: Term, b: Term) -> Term:
    return or_(not_(a), b)


def iff(a: Term, b: Term) -> Term:
    return or_(and_(a, b), and_(not_(a), not_(b)))


def _junction(op: str, absorbing: Term, neutral: Term, terms: Iterable[Term]) -> Term:
    seen: dict[int, Term] = {}
    for t in terms:
        for part in t.args if t.op == op else (t,):
            if part is absorbing or not_(part).ident in seen:
                return absorbing
            if part is not neutral:
                seen[part.ident] = part
    if not seen:
        return neutral
    parts = tuple(seen[i] for i in sorted(seen))
    return parts[0] if len(parts) == 1 else node(op, parts, None, Sort.BOOL)


def conjuncts(t: Term) -> tuple[Term, ...]:
    """Parts of a conjunction; `t` alone otherwise."""
    return t.args if t.op == "and" else (() if t is TRUE else (t,))


# ---------------------------------------------------------------- rebuilding

_BUILD: dict[str, Callable[..., Term]] = {
    "div": div, "mod": mod, "min": minimum, "max": maximum, "ite": ite, "bite": ite,
    "nonneg": nonneg, "zero": zero, "not": not_, "and": and_, "or": or_,
}  # fmt: skip


def make(op: str, args: tuple[Term, ...], data: Any = None) -> Term:
    """The term of a node's three parts, normalised again.

    Raises ValueError for an unknown `op`.
    """
    match op:
        case "const":
            return const(data)
        case "var":
            return var(data)
        case "bvar":
            return bvar(data)
        case "true" | "false":
            return boolean(op == "true")
        case "app":
            return app(data, *args)
        case "bapp":
            return bapp(data, *args)
        case "add":
            return add(const(data[0]), *(scale(a, c) for a, c in zip(args, data[1:], strict=True)))
        case "mul":
            return reduce(mul, args)
    if op not in _BUILD:
        raise ValueError(f"no such kind of term: {op}")
    return _BUILD[op](*args)


def rebuild(t: Term, args: tuple[Term, ...]) -> Term:
    """`t` over other children, normalised again."""
    return make(t.op, args, t.data)


def substitute(t: Term, mapping: Mapping[Term, Term], memo: dict[Term, Term] | None = None) -> Term:
    """`t` with variables or applications replaced at once; pass one `memo` for several terms.

    Raises nothing; terms without a mapped part come back as the same object.
    """
    memo = {} if memo is None else memo
    found = mapping.get(t) or memo.get(t)
    if found is not None:
        return found
    if not t.args:
        return t
    args = tuple(substitute(a, mapping, memo) for a in t.args)
    out = t if all(x is y for x, y in zip(args, t.args, strict=True)) else rebuild(t, args)
    out = mapping.get(out, out) if out.op in ("app", "bapp") else out
    memo[t] = out
    return out


def poly_atoms(t: Term) -> frozenset[Term]:
    """Atoms of the monomials of `t`, not looking into them."""
    return frozenset(a for m in poly(t) for a in m)
