"""Reads signatures: `launch(x: f32[M, K], y: i32[M] in [0, V)) where M % 4 == 0`."""

from __future__ import annotations

import difflib
import math
from functools import cache
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from argus_smt.capture.failure import SignatureError
from argus_smt.capture.grammar import GRAMMAR
from argus_smt.capture.signature import (
    DTYPES,
    Argument,
    Defined,
    Helper,
    Literal,
    Range,
    ScalarType,
    Signature,
    TableType,
    TensorType,
    Type,
    Where,
)  # fmt: skip
from argus_smt.smt import term as T
from argus_smt.smt.term import Term

POWERS = tuple(1 << k for k in range(41))
"""The powers of two that `pow2(…)` and `next_power_of_2` range over."""

_COMPARE = {"==": T.eq, "!=": T.ne, "<": T.lt, "<=": T.le, ">": T.gt, ">=": T.ge}
Node = Any
"""A parse tree of lark, whose children are trees, tokens and None."""

_SCALARS = ("int", "float", "bool", "str", "list", "constexpr")


@cache
def _parser() -> Lark:
    return Lark(GRAMMAR, parser="lalr", propagate_positions=True, maybe_placeholders=True)


def parse_signature(text: str) -> Signature:
    """The signature that `text` writes. Raises SignatureError with the place of the first fault."""
    try:
        tree = _parser().parse(text)
    except UnexpectedInput as error:
        raise SignatureError(_complaint(error), text, _place(error, text)) from None
    return _Reader(text).signature(tree)


def power_of_two(t: Term) -> Term:
    """`t` is 1, 2, 4, …"""
    return T.or_(*(T.eq(t, p) for p in POWERS))


def _place(error: UnexpectedInput, text: str) -> int:
    token = getattr(error, "token", None)
    if error.pos_in_stream is None or (token is not None and token.type == "$END"):
        return len(text.rstrip())
    return error.pos_in_stream


def _complaint(error: UnexpectedInput) -> str:
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        return f"the signature does not parse: unexpected {str(error.token)!r}"
    if isinstance(error, UnexpectedCharacters):
        return f"the signature does not parse: unexpected {error.char!r}"
    return "the signature does not parse: it ends too early"


class _Reader:
    """Tree to data, for one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.used: dict[str, int] = {}
        self.bound: frozenset[str] = frozenset()
        self.elements = False

    def fail(self, message: str, at: Any) -> SignatureError:
        return SignatureError(message, self.text, _start(at))

    def signature(self, tree: Node) -> Signature:
        name, args, grid, *clauses = tree.children
        arguments = tuple(self.argument(a) for a in _kids(args))
        for i, a in enumerate(arguments):
            if any(b.name == a.name for b in arguments[:i]):
                raise self.fail(f"argument `{a.name}` is written twice", a.position)
        declared = {a.name for a in arguments if isinstance(a.type, ScalarType) and a.type.kind in ("int", "constexpr")}
        parts = [self.clause(c) for c in clauses if isinstance(c, Tree)]
        helpers = tuple(p for p in parts if isinstance(p, Helper))
        declared |= self.dims_of([a.type for a in arguments] + [r for h in helpers for r in h.results])
        where = tuple(w for p in parts if isinstance(p, tuple) for w in p)
        entries = tuple(self.expr(e) for e in _kids(grid.children[0])) if isinstance(grid, Tree) else None
        self.check_names(declared, arguments)
        return Signature(
            str(name), arguments, entries, where, helpers, tuple(p for p in parts if isinstance(p, Defined)), self.text
        )

    def dims_of(self, types: list[Type]) -> set[str]:
        """Names that dims and strides introduce."""
        out: set[str] = set()
        for t in types:
            t = t.item if isinstance(t, TableType) else t
            if isinstance(t, TensorType):
                out |= {str(v.data) for e in (*t.dims, *(t.strides or ())) for v in e.free}
        return out

    def check_names(self, declared: set[str], arguments: tuple[Argument, ...]) -> None:
        for name, position in self.used.items():
            if name in declared:
                continue
            about = next((a for a in arguments if a.name == name), None)
            if about is not None:
                raise self.fail(f"`{name}` is not an integer", position)
            near = difflib.get_close_matches(name, declared, 1)
            hint = f"; did you mean `{near[0]}`?" if near else " by a dimension, a stride or an integer argument"
            raise self.fail(f"`{name}` is not declared{hint}", position)

    def argument(self, tree: Node) -> Argument:
        name = str(tree.children[0])
        if tree.data == "untyped":
            return Argument(name, ScalarType("constexpr"), True, self.value(tree.children[1]), _start(tree))
        type_ = self.type(tree.children[1])
        value = tree.children[2]
        if value is None and tree.children[1].data == "list_type":
            value = tree.children[1].children[0]
            if value is None or value.data != "listed":
                raise self.fail(f"a list needs its items: `{name}: list of [1, 2]`", tree)
        if value is None:
            return Argument(name, type_, position=_start(tree))
        if isinstance(type_, TensorType):
            raise self.fail("a tensor cannot be pinned to a value", value)
        return Argument(name, type_, True, self.value(value), _start(tree))

    def type(self, tree: Node) -> Type:
        match tree.data:
            case "tensor":
                return self.tensor(tree)
            case "table":
                return TableType(self.tensor(tree.children[0]))
            case "list_type":
                return ScalarType("list")
            case _:
                return self.scalar(tree)

    def scalar(self, tree: Node) -> ScalarType:
        name, inside = tree.children
        if name in DTYPES and name != "bool":
            raise self.fail(f"`{name}` needs its dimensions, as in `{name}[M, N]`", name)
        if name not in _SCALARS:
            raise self.fail(f"unknown type `{name}`; known are {', '.join((*_SCALARS[:4], 'list'))} and the element "
                            f"types {', '.join(DTYPES)} with dimensions", name)  # fmt: skip
        if inside is None:
            return ScalarType(str(name))
        if name not in ("int", "float"):
            raise self.fail(f"`{name}` takes no range", inside)
        text = self.text[inside.meta.start_pos : inside.meta.end_pos]
        if name == "float":
            return self.real(inside.children[0], text)
        return ScalarType(str(name), self.range(inside.children[0]), text)

    def real(self, tree: Node, text: str) -> ScalarType:
        """A float with a range; its bounds are numbers."""
        parts = [self.value(v) for v in (_kids(tree.children[0]) if tree.data == "set" else tree.children)]
        numbers = [float(v) for v in parts if isinstance(v, int | float) and not isinstance(v, bool)]
        if len(numbers) != len(parts) or not numbers:
            raise self.fail("the range of a float is made of numbers", tree)
        if tree.data == "set":
            return ScalarType("float", None, text, (min(numbers), max(numbers)), tuple(numbers))
        low, high = numbers
        high = math.nextafter(high, -math.inf) if tree.data == "half_open" else high
        if low > high:
            raise self.fail("no number is in the range", tree)
        return ScalarType("float", None, text, (low, high))

    def tensor(self, tree: Node) -> TensorType:
        dtype, dims, layout, *quals = tree.children
        if dtype not in DTYPES:
            near = difflib.get_close_matches(str(dtype), DTYPES, 1, 0.5)
            hint = f" (did you mean `{near[0]}`?)" if near else ""
            raise self.fail(f"unknown dtype `{dtype}`{hint}; known are {', '.join(DTYPES)}", dtype)
        strides = None
        if layout is not None and layout.data == "strides":
            strides = tuple(self.expr(e, uses=False) for e in _kids(layout.children[0]))
            if len(strides) != len(_kids(dims)):
                raise self.fail(f"{len(_kids(dims))} dimensions but {len(strides)} strides", layout)
        fields: dict[str, Any] = {}
        for q in quals:
            self.qualifier(q, str(dtype), fields)
        return TensorType(
            str(dtype), tuple(self.expr(d, uses=False) for d in _kids(dims)), strides,
            layout is not None and layout.data == "strided", **fields,
        )  # fmt: skip

    def qualifier(self, q: Node, dtype: str, fields: dict[str, Any]) -> None:
        if q.data != "q_role" and not DTYPES[dtype].startswith("i"):
            raise self.fail(f"only integer tensors take this qualifier, not {dtype}", q)
        match q.data:
            case "q_range":
                fields["range"] = self.range(q.children[0].children[0])
            case "q_distinct":
                fields["distinct"] = True
                fields["distinct_except"] = None if q.children[0] is None else self.expr(q.children[0])
            case "q_nondecreasing":
                fields["nondecreasing"] = True
            case "q_steps":
                fields["steps"] = self.range(q.children[0].children[0])
            case "q_covering":
                fields["covering"] = self.range(q.children[0])
            case _:
                fields["role"] = str(q.children[0])

    def range(self, tree: Node) -> Range:
        if tree.data == "set":
            values = [self.value(v) for v in _kids(tree.children[0])]
            if not all(type(v) is int for v in values):
                raise self.fail("a set lists integers", tree)
            return Range(values=tuple(sorted(v for v in values if isinstance(v, int))))
        lower, upper = (self.expr(b) for b in tree.children)
        return Range(lower, upper - 1 if tree.data == "half_open" else upper)

    def clause(self, tree: Node) -> Helper | Defined | tuple[Where, ...]:
        match tree.data:
            case "where":
                return tuple(self.condition(c) for c in _kids(tree.children[0]))
            case "helper":
                name, params, types = tree.children
                return Helper(str(name), tuple(map(str, _kids(params))), tuple(self.type(t) for t in _kids(types)), _start(tree))
            case _:
                name, names, conds = tree.children
                index = tuple(map(str, _kids(names)))
                self.bound = frozenset(index)
                conditions = tuple(self.condition(c).term for c in _kids(conds))
                self.bound = frozenset()
                return Defined(str(name), index, conditions, _start(tree))

    def condition(self, tree: Node) -> Where:
        text = self.text[tree.meta.start_pos : tree.meta.end_pos]
        if tree.data == "pow2":
            return Where(power_of_two(self.expr(tree.children[0])), text, _start(tree))
        first = tree.children[0]
        if isinstance(first, Tree) and first.data == "element":
            if len(tree.children) != 3 or tree.children[1] != "==":
                raise self.fail("a fact about an element is written name[index] == value", tree)
            index = tuple(self.expr(e) for e in _kids(first.children[1]))
            return Where(self.expr(tree.children[2]), text, _start(tree), str(first.children[0]), index)
        sides = [self.expr(e) for e in tree.children[::2]]
        relations = [_COMPARE[str(o)] for o in tree.children[1::2]]
        parts = (r(a, b) for r, a, b in zip(relations, sides, sides[1:], strict=False))
        if len(sides) == 2 and tree.children[1] == "==" and sides[0].op == "var":
            return Where(T.and_(*parts), text, _start(tree), defines=str(sides[0].data), other=sides[1])
        return Where(T.and_(*parts), text, _start(tree))

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
                return tuple(self.value(v) for v in _kids(tree.children[0]))
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
                    self.used.setdefault(str(kids[0]), _start(tree))
                return T.var(str(kids[0]))
            case "neg":
                return -self.expr(kids[0], uses)
            case "power":
                return self.power(self.expr(kids[0], uses), int(kids[1]), tree)
            case "add" | "sub" | "mul" | "floordiv" | "mod":
                return self.arithmetic(tree, self.expr(kids[0], uses), self.expr(kids[1], uses))
            case "call":
                return self.call(tree, [self.expr(e, uses) for e in _kids(kids[1])])
            case "element":
                raise self.fail("elements of tensors are only allowed in `where name[index] == value`", tree)
            case _:
                raise self.fail("an integer expression is wanted here", tree)

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


def _kids(tree: Any) -> list[Any]:
    return [] if tree is None else [c for c in tree.children if c is not None]


def _start(at: Any) -> int:
    if isinstance(at, int):
        return at
    if isinstance(at, Token):
        return at.start_pos or 0
    return 0 if at.meta.empty else int(at.meta.start_pos)
