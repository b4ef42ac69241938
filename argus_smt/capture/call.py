"""Reads signatures: `launch(x: f32[M, K], y: i32[M] in [0, V)) where M % 4 == 0`."""

from __future__ import annotations

import difflib
import math
from functools import cache
from typing import Any

from lark import Lark, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from argus_smt.capture.expressions import Expressions, Node, children_of, introduced, power_of_two, start_of
from argus_smt.capture.failure import SignatureError
from argus_smt.capture.grammar import GRAMMAR
from argus_smt.capture.signature import (
    DTYPES,
    Argument,
    Defined,
    Helper,
    Range,
    ScalarType,
    SequenceType,
    Signature,
    TableType,
    TensorType,
    Type,
    Where,
)  # fmt: skip
from argus_smt.smt import term as T

_COMPARE = {"==": T.eq, "!=": T.ne, "<": T.lt, "<=": T.le, ">": T.gt, ">=": T.ge}
MOST_VALUES = 256
"""So many values a union of ranges may have."""
_SCALARS = ("int", "float", "bool", "str", "constexpr")


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


class _Reader(Expressions):
    """Tree to data, for one text."""

    def signature(self, tree: Node) -> Signature:
        name, args, grid, *clauses = tree.children
        arguments = tuple(self.argument(a) for a in children_of(args))
        for i, a in enumerate(arguments):
            if any(b.name == a.name for b in arguments[:i]):
                raise self.fail(f"argument `{a.name}` is written twice", a.position)
        leaves = tuple(leaf for a in arguments for leaf in a.leaves)
        self.check_unique(arguments, leaves)
        declared = {a.name for a in leaves if isinstance(a.type, ScalarType) and a.type.kind in ("int", "constexpr")}
        parts = [self.clause(c) for c in clauses if isinstance(c, Tree)]
        helpers = tuple(p for p in parts if isinstance(p, Helper))
        results = tuple(r for h in helpers for r in h.leaves)
        declared |= _dims_of([a.type for a in (*leaves, *results)])
        where = tuple(w for p in parts if isinstance(p, tuple) for w in p)
        entries = tuple(self.expr(e) for e in children_of(grid.children[0])) if isinstance(grid, Tree) else None
        self.check_names(declared, leaves)
        known = {a.name: a.type for a in (*leaves, *results) if isinstance(a.type, TensorType)}
        for element, position in self.elements.items():
            if not self.tensor_of(element.data, len(element.args), known, position).is_int:
                raise self.fail(f"`{element.data}` holds no integers", position)
        defined = tuple(p for p in parts if isinstance(p, Defined))
        for d in defined:
            self.tensor_of(d.tensor, len(d.index), known, d.position)
        return Signature(".".join(map(str, name.children)), arguments, entries, where, helpers, defined, self.text)

    def check_unique(self, arguments: tuple[Argument, ...], leaves: tuple[Argument, ...]) -> None:
        """Items of lists have names of their own, which no other argument may have."""
        for a in arguments:
            clash = next((leaf.name for leaf in a.leaves if leaf is not a and any(b.name == leaf.name for b in arguments)), "")
            if clash:
                raise self.fail(f"an item of `{a.name}` would be called `{clash}`, as another argument is", a.position)
        if len({leaf.name for leaf in leaves}) < len(leaves):
            raise self.fail("items of two arguments would have the same name", arguments[-1].position)

    def tensor_of(self, name: str, rank: int, known: dict[str, TensorType], position: int) -> TensorType:
        """The tensor of the call that an element with `rank` indices belongs to."""
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            raise self.fail(f"`{name}` is not a tensor of the call{hint}", position)
        if len(known[name].dims) != rank:
            raise self.fail(f"`{name}` has {len(known[name].dims)} dimensions, not {rank}", position)
        return known[name]

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
            return Argument(name, ScalarType("constexpr"), True, self.value(tree.children[1]), start_of(tree))
        type_ = self.type(tree.children[1])
        or_none, value = tree.children[2:]
        literals = tree.children[1] if tree.children[1].data == "literals" else None
        if or_none is not None and not isinstance(type_, TensorType):
            raise self.fail("`or None` stands after the type of a tensor; state two signatures instead", or_none)
        if isinstance(type_, TensorType | SequenceType | TableType):
            if value is not None:
                raise self.fail("a tensor cannot be pinned to a value", value)
            return Argument(name, type_, position=start_of(tree), optional=or_none is not None)
        if literals is not None:
            if value is not None:
                raise self.fail("the items are written twice", value)
            return Argument(name, type_, True, tuple(self.value(v) for v in children_of(literals.children[1])), start_of(tree))
        if value is None:
            return Argument(name, type_, position=start_of(tree))
        return Argument(name, type_, True, self.value(value), start_of(tree))

    def type(self, tree: Node) -> Type:
        match tree.data:
            case "tensor":
                return self.tensor(tree)
            case "table":
                return self.table(tree)
            case "plain" | "literals":
                return ScalarType(str(tree.children[0]))
            case "unsized":
                kind = tree.children[0]
                raise self.fail(f"a {kind} needs its length, as in `{kind}[3] of f32[N]`, or its items, `{kind} of [1, 2]`", tree)
            case "repeated":
                kind, count, item = tree.children
                if not 1 <= int(count) <= 64:
                    raise self.fail("a list or tuple of tensors has 1 to 64 items", count)
                return SequenceType(str(kind), (self.type(item),) * int(count))
            case "several":
                return SequenceType(str(tree.children[0]), tuple(self.type(t) for t in children_of(tree.children[1])))
            case _:
                return self.scalar(tree)

    def table(self, tree: Node) -> TableType:
        index, count, item = tree.children
        if index is None:
            return TableType(self.tensor(item))
        size = self.expr(count, uses=False)
        self.bound, self.open = frozenset([str(index)]), True
        pointee = self.tensor(item)
        self.bound, self.open = frozenset(), False
        return TableType(pointee, str(index), size)

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
            if len(inside.children) > 1:
                raise self.fail("a float has one range", inside.children[1])
            return self.real(inside.children[0], text)
        return ScalarType(str(name), self.ranges(inside), text)

    def ranges(self, tree: Node) -> Range:
        """One range, or the values of several."""
        parts = [self.range(r) for r in tree.children]
        if len(parts) == 1:
            return parts[0]
        values: set[int] = set()
        for part, node in zip(parts, tree.children, strict=True):
            values |= set(part.values)
            if part.lower is not None and part.upper is not None:
                if not (part.lower.is_const and part.upper.is_const):
                    raise self.fail("ranges that `or` joins have numbers for ends", node)
                values |= set(range(part.lower.value, min(part.upper.value, part.lower.value + MOST_VALUES) + 1))
        if not 0 < len(values) <= MOST_VALUES:
            raise self.fail(f"ranges that `or` joins have 1 to {MOST_VALUES} values together", tree)
        return Range(values=tuple(sorted(values)))

    def real(self, tree: Node, text: str) -> ScalarType:
        """A float with a range; its bounds are numbers."""
        parts = [self.value(v) for v in (children_of(tree.children[0]) if tree.data == "set" else tree.children)]
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
            strides = tuple(self.expr(e, uses=False) for e in children_of(layout.children[0]))
            if len(strides) != len(children_of(dims)):
                raise self.fail(f"{len(children_of(dims))} dimensions but {len(strides)} strides", layout)
        fields: dict[str, Any] = {}
        for q in quals:
            self.qualifier(q, str(dtype), fields)
        return TensorType(
            str(dtype), tuple(self.expr(d, uses=False) for d in children_of(dims)), strides,
            layout is not None and layout.data == "strided", **fields,
        )  # fmt: skip

    def qualifier(self, q: Node, dtype: str, fields: dict[str, Any]) -> None:
        if q.data != "q_role" and not DTYPES[dtype].startswith("i"):
            raise self.fail(f"only integer tensors take this qualifier, not {dtype}", q)
        match q.data:
            case "q_range":
                fields["range"] = self.ranges(q.children[0])
            case "q_distinct":
                fields["distinct"] = True
                fields["distinct_except"] = None if q.children[0] is None else self.expr(q.children[0])
            case "q_nondecreasing":
                fields["nondecreasing"] = True
            case "q_steps":
                if len(q.children[0].children) > 1:
                    raise self.fail("steps are in one range", q)
                fields["steps"] = self.range(q.children[0].children[0])
            case "q_covering":
                fields["covering"] = self.range(q.children[0])
            case _:
                fields["role"] = str(q.children[0])

    def range(self, tree: Node) -> Range:
        if tree.data == "set":
            values = [self.value(v) for v in children_of(tree.children[0])]
            if not all(type(v) is int for v in values):
                raise self.fail("a set lists integers", tree)
            return Range(values=tuple(sorted(v for v in values if isinstance(v, int))))
        lower, upper = (self.expr(b) for b in tree.children)
        return Range(lower, upper - 1 if tree.data == "half_open" else upper)

    def clause(self, tree: Node) -> Helper | Defined | tuple[Where, ...]:
        match tree.data:
            case "where":
                return tuple(self.condition(c) for c in children_of(tree.children[0]))
            case "helper":
                name, params, types = tree.children
                path = ".".join(map(str, name.children))
                results = tuple(self.type(t) for t in children_of(types))
                return Helper(path, tuple(map(str, children_of(params))), results, start_of(tree), self.text_of(tree))
            case _:
                name, names, conds = tree.children
                index = tuple(map(str, children_of(names)))
                self.bound, self.open = frozenset(index), True
                conditions = tuple(self.condition(c).term for c in children_of(conds))
                self.bound, self.open = frozenset(), False
                return Defined(str(name), index, conditions, start_of(tree), self.text_of(tree))

    def text_of(self, tree: Node) -> str:
        """The clause as written, without its first word."""
        return " ".join(self.text[tree.meta.start_pos : tree.meta.end_pos].split()).partition(" ")[2]

    def condition(self, tree: Node) -> Where:
        text = self.text[tree.meta.start_pos : tree.meta.end_pos]
        if tree.data == "pow2":
            return Where(power_of_two(self.expr(tree.children[0])), text, start_of(tree))
        first = tree.children[0]
        if isinstance(first, Tree) and first.data == "element" and not self.open:
            if len(tree.children) != 3 or tree.children[1] != "==":
                raise self.fail("a fact about an element is written name[index] == value", tree)
            index = tuple(self.expr(e) for e in children_of(first.children[1]))
            return Where(self.expr(tree.children[2]), text, start_of(tree), str(first.children[0]), index)
        sides = [self.expr(e) for e in tree.children[::2]]
        relations = [_COMPARE[str(o)] for o in tree.children[1::2]]
        parts = (r(a, b) for r, a, b in zip(relations, sides, sides[1:], strict=False))
        if len(sides) == 2 and tree.children[1] == "==" and sides[0].op == "var":
            return Where(T.and_(*parts), text, start_of(tree), defines=str(sides[0].data), other=sides[1])
        return Where(T.and_(*parts), text, start_of(tree))


def _dims_of(types: list[Type]) -> set[str]:
    """Names that dims and strides introduce."""
    out: set[str] = set()
    for t in types:
        if isinstance(t, TableType):
            inner = {str(v.data) for e in (*t.item.dims, *(t.item.strides or ())) for v in introduced(e)}
            out |= (inner - {t.index}) | ({str(v.data) for v in t.count.free} if t.count is not None else set())
        elif isinstance(t, TensorType):
            out |= {str(v.data) for e in (*t.dims, *(t.strides or ())) for v in e.free}
    return out
