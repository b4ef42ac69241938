"""Terms to Z3: exact floor division, unknown functions as uninterpreted ones, one Z3 expression a term."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import z3

from argus_smt.smt.term import Sort, Term

Expr = Any
"""A Z3 expression; Z3 ships no usable types."""


class Lowering:
    """Translates terms into one Z3 context, memoised for its lifetime.

    A quotient by a symbolic divisor becomes a fresh pair (q, r) whose defining conditions are appended to `side`:
    they only constrain fresh names, hold for every value of the others, and must be asserted (positively) beside any
    formula that uses the translation. Division by zero leaves q and r free, as in the terms.
    """

    def __init__(self, ctx: Any) -> None:
        self.ctx = ctx
        self.side: list[Expr] = []
        self._memo: dict[Term, Expr] = {}
        self._functions: dict[tuple[str, str, int], Any] = {}
        self._divisions: dict[tuple[Term, Term], tuple[Expr, Expr]] = {}
        self._definitions: dict[tuple[Term, Term], tuple[Expr, ...]] = {}

    def term(self, t: Term) -> Expr:
        """The Z3 expression of `t`: an Int for integer terms, a Bool for predicates."""
        stack = [t]
        memo = self._memo
        while stack:
            top = stack[-1]
            if top in memo:
                stack.pop()
                continue
            missing = [a for a in top.args if a not in memo]
            if missing:
                stack.extend(missing)
                continue
            memo[top] = self._node(top, [memo[a] for a in top.args])
            stack.pop()
        return memo[t]

    def definitions(self, terms: Iterable[Term]) -> list[Expr]:
        """The part of `side` that belongs to the quotients occurring in `terms`; lowers them if need be."""
        out: list[Expr] = []
        seen: set[Term] = set()
        stack = list(terms)
        while stack:
            t = stack.pop()
            if t in seen:
                continue
            seen.add(t)
            stack.extend(t.args)
            if t.op in ("div", "mod"):
                self.term(t)
                out.extend(self._definitions.get((t.args[0], t.args[1]), ()))
        return out

    def _int(self, value: int) -> Expr:
        return z3.IntVal(value, self.ctx)

    def _node(self, t: Term, a: list[Expr]) -> Expr:
        match t.op:
            case "const":
                return self._int(t.data)
            case "true" | "false":
                return z3.BoolVal(t.op == "true", self.ctx)
            case "var":
                return z3.Int(t.data, self.ctx)
            case "bvar":
                return z3.Bool(t.data, self.ctx)
            case "add":
                return self._sum(t.data, a)
            case "mul":
                return z3.Product(a)
            case "div":
                return self._divide(t, a)[0]
            case "mod":
                return self._divide(t, a)[1]
            case "min":
                return z3.If(a[0] <= a[1], a[0], a[1])
            case "max":
                return z3.If(a[0] >= a[1], a[0], a[1])
            case "ite" | "bite":
                return z3.If(a[0], a[1], a[2])
            case "app" | "bapp":
                return self._apply(t, a)
            case "nonneg":
                return a[0] >= self._int(0)
            case "zero":
                return a[0] == self._int(0)
            case "not":
                return z3.Not(a[0])
            case "and":
                return z3.And(a)
            case "or":
                return z3.Or(a)
            case op:
                raise AssertionError(f"no such term: {op}")

    def _sum(self, coefficients: tuple[int, ...], monomials: list[Expr]) -> Expr:
        parts = [m if c == 1 else self._int(c) * m for c, m in zip(coefficients[1:], monomials, strict=True)]
        if coefficients[0]:
            parts.append(self._int(coefficients[0]))
        return z3.Sum(parts) if len(parts) > 1 else parts[0]

    def _divide(self, t: Term, a: list[Expr]) -> tuple[Expr, Expr]:
        over, by = t.args
        if by.op == "const" and by.value > 0:
            return a[0] / a[1], a[0] % a[1]
        pair = self._divisions.get((over, by))
        if pair is None:
            pair = self._fresh_division(over, by, a[0], a[1])
            self._divisions[over, by] = pair
        return pair

    def _fresh_division(self, over: Term, by: Term, x: Expr, y: Expr) -> tuple[Expr, Expr]:
        q = z3.FreshInt("q", self.ctx)
        r = z3.FreshInt("r", self.ctx)
        zero = self._int(0)
        conditions = (
            z3.Implies(y != zero, y * q + r == x),
            z3.Implies(y > zero, z3.And(zero <= r, r < y)),
            z3.Implies(y < zero, z3.And(y < r, r <= zero)),
        )
        self.side.extend(conditions)
        self._definitions[over, by] = conditions
        return q, r

    def _apply(self, t: Term, a: list[Expr]) -> Expr:
        key = (t.op, t.data, len(a))
        function = self._functions.get(key)
        if function is None:
            result = z3.IntSort(self.ctx) if t.sort is Sort.INT else z3.BoolSort(self.ctx)
            # Kinds are kept apart by name: an integer and a boolean function, or a variable, may share theirs.
            name = f"{t.op}:{t.data}/{len(a)}"
            if not a:
                function = z3.Const(name, result)
            else:
                function = z3.Function(name, *(z3.IntSort(self.ctx) for _ in a), result)
            self._functions[key] = function
        return function(*a) if a else function
