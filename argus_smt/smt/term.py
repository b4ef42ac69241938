"""Hash-consed integer and boolean terms, kept in polynomial normal form.

Two terms that are equal as polynomials over their atoms are the same object, so equality is identity
and a shared term is stored once. Integers are unbounded; `div` and `mod` round towards minus infinity
(Python's convention), `tdiv` and `trem` towards zero (C's convention, built from the former).
Division by zero is an unspecified value: a duty of its own (AR305) shows that it does not happen.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import cached_property, reduce
from math import gcd
from typing import Any


class Sort(Enum):
    """The two sorts of terms."""

    INT = "int"
    BOOL = "bool"


class Term:
    """One node; make terms with the functions of this module only.

    `op` is one of
      int:  const var add mul div mod min max ite app
      bool: true false bvar bapp nonneg zero not and or bite
    `add` holds monomials in `args` and, in `data`, the constant followed by one coefficient a monomial;
    `mul` holds two or more atoms; `app`/`bapp` apply the function named in `data` to integer terms;
    `nonneg` means `0 <= args[0]`, `zero` means `0 == args[0]`.
    """

    __slots__ = ("__dict__", "__weakref__", "args", "data", "ident", "op", "sort")
    op: str
    args: tuple[Term, ...]
    data: Any
    sort: Sort
    ident: int

    @cached_property
    def free(self) -> frozenset[Term]:
        """Variables (`var` and `bvar`) that occur in the term."""
        if self.op in ("var", "bvar"):
            return frozenset((self,))
        return frozenset().union(*(a.free for a in self.args)) if self.args else frozenset()

    @cached_property
    def apps(self) -> frozenset[Term]:
        """Applications of unknown functions that occur in the term."""
        inner: frozenset[Term] = frozenset().union(*(a.apps for a in self.args)) if self.args else frozenset()
        return inner | {self} if self.op in ("app", "bapp") else inner

    @property
    def is_const(self) -> bool:
        return self.op in ("const", "true", "false")

    @property
    def value(self) -> int:
        """Value of a constant integer or boolean term."""
        if self.op == "const":
            assert isinstance(self.data, int)
            return self.data
        assert self.op in ("true", "false"), self
        return self.op == "true"

    def __add__(self, other: Term | int) -> Term:
        return add(self, lift(other))

    __radd__ = __add__

    def __sub__(self, other: Term | int) -> Term:
        return add(self, scale(lift(other), -1))

    def __rsub__(self, other: int) -> Term:
        return add(lift(other), scale(self, -1))

    def __neg__(self) -> Term:
        return scale(self, -1)

    def __mul__(self, other: Term | int) -> Term:
        return mul(self, lift(other))

    __rmul__ = __mul__

    def __str__(self) -> str:
        from argus_smt.smt.show import show

        return show(self)

    __repr__ = __str__


_table: weakref.WeakValueDictionary[tuple[Any, ...], Term] = weakref.WeakValueDictionary()
_serial = [0]


def _node(op: str, args: tuple[Term, ...], data: Any, sort: Sort) -> Term:
    key = (op, data, *(a.ident for a in args))
    found = _table.get(key)
    if found is None:
        found = Term()
        found.op, found.args, found.data, found.sort = op, args, data, sort
        _serial[0] += 1
        found.ident = _serial[0]
        _table[key] = found
    return found


def const(value: int) -> Term:
    """The integer `value`."""
    return _node("const", (), int(value), Sort.INT)


def var(name: str) -> Term:
    """The integer variable `name`."""
    return _node("var", (), name, Sort.INT)


def bvar(name: str) -> Term:
    """The boolean variable `name`."""
    return _node("bvar", (), name, Sort.BOOL)


TRUE = _node("true", (), None, Sort.BOOL)
FALSE = _node("false", (), None, Sort.BOOL)
ZERO = const(0)
ONE = const(1)


def lift(value: Term | int) -> Term:
    return value if isinstance(value, Term) else const(value)


def boolean(value: bool) -> Term:
    return TRUE if value else FALSE


# ---------------------------------------------------------------- polynomials

Poly = dict[tuple[Term, ...], int]


def poly(t: Term) -> Poly:
    """Monomials of `t`: atoms sorted by age → coefficient; the empty tuple stands for the constant."""
    if t.op == "const":
        return {(): t.data} if t.data else {}
    if t.op == "add":
        out: Poly = {(): t.data[0]} if t.data[0] else {}
        for mono, coef in zip(t.args, t.data[1:], strict=True):
            out[mono.args if mono.op == "mul" else (mono,)] = coef
        return out
    return {t.args if t.op == "mul" else (t,): 1}


def from_poly(p: Mapping[tuple[Term, ...], int]) -> Term:
    """The term of a polynomial; inverse of `poly`."""
    offset = p.get((), 0)
    items = sorted(
        ((m, c) for m, c in p.items() if m and c), key=lambda mc: tuple(a.ident for a in mc[0])
    )
    if not items:
        return const(offset)
    monos = tuple(m[0] if len(m) == 1 else _node("mul", m, None, Sort.INT) for m, _ in items)
    if len(items) == 1 and not offset and items[0][1] == 1:
        return monos[0]
    return _node("add", monos, (offset, *(c for _, c in items)), Sort.INT)


def add(*terms: Term) -> Term:
    out: Poly = {}
    for t in terms:
        for m, c in poly(t).items():
            out[m] = out.get(m, 0) + c
    return from_poly(out)


def scale(t: Term, k: int) -> Term:
    return from_poly({m: c * k for m, c in poly(t).items()})


def mul(a: Term, b: Term) -> Term:
    out: Poly = {}
    pb = poly(b)
    for m1, c1 in poly(a).items():
        for m2, c2 in pb.items():
            m = tuple(sorted(m1 + m2, key=lambda x: x.ident))
            out[m] = out.get(m, 0) + c1 * c2
    return from_poly(out)


def content(t: Term) -> int:
    """Greatest common divisor of the coefficients of `t`, constant included; 0 for the zero term."""
    g = 0
    for c in poly(t).values():
        g = gcd(g, c)
    return g


def quotient(t: Term, by: Term) -> Term | None:
    """`q` with `t == q * by` as polynomials, for a `by` with a single monomial; None if there is none."""
    divisor = poly(by)
    if len(divisor) != 1:
        return ONE if t is by else None
    ((mono, coef),) = divisor.items()
    out: Poly = {}
    for m, c in poly(t).items():
        rest = list(m)
        for atom in mono:
            if atom not in rest:
                return None
            rest.remove(atom)
        if c % coef:
            return None
        out[tuple(rest)] = c // coef
    return from_poly(out)


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
        return add(whole, _node("div", (rest, b), None, Sort.INT))
    return _node("div", (a, b), None, Sort.INT)


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
    return add(from_poly(whole), _node("div", (r, const(d)), None, Sort.INT))


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
        return _node("mod", (a, b), None, Sort.INT)
    if b is not ZERO and quotient(a, b) is not None:
        return ZERO
    split = _split(a, b)
    if split is not None:
        a = split[1]
    return _node("mod", (a, b), None, Sort.INT)


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
    return _node(op, (a, b), None, Sort.INT)


def ite(cond: Term, a: Term, b: Term) -> Term:
    """`a` if `cond` else `b`, of either sort."""
    if cond is TRUE or a is b:
        return a
    if cond is FALSE:
        return b
    if cond.op == "not":
        cond, a, b = cond.args[0], b, a
    if a.sort is Sort.INT:
        return _node("ite", (cond, a, b), None, Sort.INT)
    if a.is_const or b.is_const:
        return or_(and_(cond, a), and_(not_(cond), b))
    return _node("bite", (cond, a, b), None, Sort.BOOL)


def app(name: str, *args: Term) -> Term:
    """The unknown integer function `name` at `args`."""
    return _node("app", args, name, Sort.INT)


def bapp(name: str, *args: Term) -> Term:
    """The unknown boolean function `name` at `args`."""
    return _node("bapp", args, name, Sort.BOOL)


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
    return _node("nonneg", (t,), None, Sort.BOOL)


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
    return _node("zero", (from_poly({m: c // g for m, c in p.items()}),), None, Sort.BOOL)


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
            return _node("not", (t,), None, Sort.BOOL)


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
    return parts[0] if len(parts) == 1 else _node(op, parts, None, Sort.BOOL)


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


def evaluate(t: Term, env: Callable[[Term, tuple[int, ...]], int], memo: dict[Term, int] | None = None) -> int:
    """Value of `t` where `env(node, args)` gives variables (no args) and applications.

    Raises ZeroDivisionError where the term divides by zero on the branch that is taken.
    """
    memo = {} if memo is None else memo
    if t in memo:
        return memo[t]
    if t.op in ("ite", "bite"):
        out = evaluate(t.args[1] if evaluate(t.args[0], env, memo) else t.args[2], env, memo)
    elif t.op == "and":
        out = int(all(evaluate(a, env, memo) for a in t.args))
    elif t.op == "or":
        out = int(any(evaluate(a, env, memo) for a in t.args))
    else:
        out = _apply(t, tuple(evaluate(a, env, memo) for a in t.args), env)
    memo[t] = out
    return out


def _apply(t: Term, v: tuple[int, ...], env: Callable[[Term, tuple[int, ...]], int]) -> int:
    match t.op:
        case "const" | "true" | "false":
            return t.value
        case "add":
            return int(t.data[0]) + sum(c * x for c, x in zip(t.data[1:], v, strict=True))
        case "mul":
            out = 1
            for x in v:
                out *= x
            return out
        case "div":
            return v[0] // v[1]
        case "mod":
            return v[0] % v[1]
        case "min":
            return min(v)
        case "max":
            return max(v)
        case "nonneg":
            return int(v[0] >= 0)
        case "zero":
            return int(v[0] == 0)
        case "not":
            return int(not v[0])
        case _:
            return env(t, v)
