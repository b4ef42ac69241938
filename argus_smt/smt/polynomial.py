"""Nodes of terms, hash-consed, and the polynomial normal form of integers; `term.py` is what others import."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from enum import Enum
from functools import cached_property
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

    def __hash__(self) -> int:
        # not the address: sets of terms are to be walked in the same order in every run
        return self.ident

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

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and unpickled terms go through the constructors, so that they are the one object again."""
        from argus_smt.smt.term import make

        return make, (self.op, self.args, self.data)

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


def node(op: str, args: tuple[Term, ...], data: Any, sort: Sort) -> Term:
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
    return node("const", (), int(value), Sort.INT)


def var(name: str) -> Term:
    """The integer variable `name`."""
    return node("var", (), name, Sort.INT)


def bvar(name: str) -> Term:
    """The boolean variable `name`."""
    return node("bvar", (), name, Sort.BOOL)


TRUE = node("true", (), None, Sort.BOOL)
FALSE = node("false", (), None, Sort.BOOL)
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
    items = sorted(((m, c) for m, c in p.items() if m and c), key=lambda mc: tuple(a.ident for a in mc[0]))
    if not items:
        return const(offset)
    monos = tuple(m[0] if len(m) == 1 else node("mul", m, None, Sort.INT) for m, _ in items)
    if len(items) == 1 and not offset and items[0][1] == 1:
        return monos[0]
    return node("add", monos, (offset, *(c for _, c in items)), Sort.INT)


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
