"""Expressions of signatures: integers, names, elements of integer tensors, and literal values."""

from __future__ import annotations

from typing import Any

from lark import Token

from argus_smt.capture.failure import SignatureError
from argus_smt.capture.signature import Literal
from argus_smt.smt import term as T
from argus_smt.smt.term import Term

POWERS = tuple(1 << k for k in range(41))
"""The powers of two that `pow2(…)` and `next_power_of_2` range over."""

Node = Any
"""A parse tree of lark, whose children are trees, tokens and None."""


def power_of_two(t: Term) -> Term:
    """`t` is 1, 2, 4, …"""
    return T.or_(*(T.eq(t, p) for p in POWERS))


def introduced(t: Term) -> frozenset[Term]:
    """Names in an expression that are not in the index of an element."""
    return T.substitute(t, {a: T.var("") for a in t.apps}).free - {T.var("")}


class Expressions:
    """Reads expressions of one text, and notes which names and elements they use."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.used: dict[str, int] = {}
        """Names that must be declared somewhere, with the place of their first use."""
        self.elements: dict[Term, int] = {}
        """Elements of tensors that are used, with the place of their first use."""
        self.bound: frozenset[str] = frozenset()
        """Names that an index binds here."""
        self.open = False
        """Whether elements of tensors are allowed here."""

    def fail(self, message: str, at: Any) -> SignatureError:
        """The error for a fault at a node or a position."""
        return SignatureError(message, self.text, start_of(at))

    def value(self, tree: Any) -> Literal | Term:
        """A literal, or the term of an expression with names."""
        match tree.data:
            case "number":
                return float(tree.children[0])
            case "negated":
                return -float(tree.children[0])
            case "string":
                return str(tree.children[0])[1:-1]
            case "listed":
                return tuple(self.value(v) for v in children_of(tree.children[0]))
            case "tupled":
                return tuple(self.value(v) for v in (tree.children[0], *children_of(tree.children[1])))
            case "name" if tree.children[0] in ("True", "False", "None"):
                return {"True": True, "False": False, "None": None}[str(tree.children[0])]
            case _:
                t = self.expr(tree)
                return t.value if t.is_const else t

    def expr(self, tree: Any, uses: bool = True) -> Term:
        """The term of an expression; with `uses` its names must be declared somewhere."""
        kids = tree.children
        match tree.data:
            case "integer":
                return T.const(int(kids[0]))
            case "name":
                if uses and kids[0] not in self.bound:
                    self.used.setdefault(str(kids[0]), start_of(tree))
                return T.var(str(kids[0]))
            case "neg":
                return -self.expr(kids[0], uses)
            case "power":
                return self.power(self.expr(kids[0], uses), int(kids[1]), tree)
            case "add" | "sub" | "mul" | "floordiv" | "mod":
                return self.arithmetic(tree, self.expr(kids[0], uses), self.expr(kids[1], uses))
            case "call":
                return self.call(tree, [self.expr(e, uses) for e in children_of(kids[1])])
            case "element":
                return self.element(tree)
            case _:
                raise self.fail("an integer expression is wanted here", tree)

    def element(self, tree: Node) -> Term:
        """`name[index]` as an unknown function of its index."""
        if not self.open:
            raise self.fail(
                "elements of tensors are only allowed in tables, in `defined` clauses and in `where name[index] == value`; "
                "give the size a name of its own, and say `where name[index] == size`", tree,
            )  # fmt: skip
        out = T.app(str(tree.children[0]), *(self.expr(e) for e in children_of(tree.children[1])))
        self.elements.setdefault(out, start_of(tree))
        return out

    def power(self, base: Term, exponent: int, tree: Node) -> Term:
        if exponent > 64:
            raise self.fail("exponents go up to 64", tree)
        out = T.ONE
        for _ in range(exponent):
            out = out * base
        return out

    def arithmetic(self, tree: Node, a: Term, b: Term) -> Term:
        match tree.data:
            case "add":
                return a + b
            case "sub":
                return a - b
            case "mul":
                return a * b
        if b is T.ZERO:
            raise self.fail("division by zero", tree)
        return T.div(a, b) if tree.data == "floordiv" else T.mod(a, b)

    def call(self, tree: Node, args: list[Term]) -> Term:
        name = str(tree.children[0])
        if name == "cdiv" and len(args) == 2:
            return T.div(args[0] + args[1] - 1, args[1])
        if name in ("min", "max") and len(args) >= 2:
            out = args[0]
            for a in args[1:]:
                out = T.minimum(out, a) if name == "min" else T.maximum(out, a)
            return out
        if name == "pow2":
            raise self.fail("pow2(…) is a condition of its own: `where pow2(N)`", tree)
        raise self.fail(f"no such function `{name}`; there are cdiv(a, b), min(…) and max(…)", tree)


def children_of(tree: Any) -> list[Any]:
    """Children that are there."""
    return [] if tree is None else [c for c in tree.children if c is not None]


def start_of(at: Any) -> int:
    """Offset of a node in its text."""
    if isinstance(at, int):
        return at
    if isinstance(at, Token):
        return at.start_pos or 0
    return 0 if at.meta.empty else int(at.meta.start_pos)
