"""Compares a kernel that Triton compiled for an argument of 1 with the general kernel where that argument is 1.

Both are written in a canonical form: the parameter replaced, integer constants folded, dead pure operations dropped,
values numbered in order of use, places and names left out. Equal forms mean equal behaviour and equal duties, except
for duties over what was folded, and those the general kernel states for every value of the argument.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from argus_smt.ir import ops as O
from argus_smt.ir.ops import Block, Kernel, Op, Value
from argus_smt.ir.types import INT_BITS, Type, elem_of

_PURE = (
    O.Const, O.Undef, O.Range, O.ProgramId, O.NumPrograms, O.Unary, O.Binary, O.Fma, O.Cmp, O.Select, O.Cast,
    O.Splat, O.ExpandDims, O.Broadcast, O.Reshape, O.Trans, O.Join, O.Split, O.Cat, O.Unsplat, O.AddPtr,
)  # fmt: skip
SMALL = 4
"""Integers up to here are exact in every float format."""
_EXACT = {"f64": 1 << 53, "f32": 1 << 24, "f16": 1 << 11, "bf16": 1 << 8}
"""Integers up to here are exact in these formats."""
_MAY_TRAP = ("sdiv", "udiv", "srem", "urem")


def same_for_ones(general: Kernel, special: Kernel, ones: Iterable[str]) -> bool:
    """Whether `special`, which lacks the parameters `ones`, is `general` with each of them equal to 1."""
    return same_with(general, special, dict.fromkeys(ones, 1))


def same_with(general: Kernel, special: Kernel, values: Mapping[str, int]) -> bool:
    """Whether `special`, which lacks the parameters that `values` names, is `general` with these values for them."""
    if special.params != tuple(p for p in general.params if p not in values):
        return False
    constants = {v: values[name] for name, v in zip(general.params, general.body.params, strict=True) if name in values}
    if any(elem_of(v.type).is_int is False for v in constants):
        return False
    left = _Canonical(constants).kernel(general, frozenset(values))
    return bool(left == _Canonical({}).kernel(special, frozenset()))


class _Canonical:
    """Canonical form of one kernel, as nested tuples."""

    def __init__(self, constants: dict[Value, int]) -> None:
        self.constants: dict[Value, int | float] = dict(constants)
        self.same: dict[Value, Value] = {}
        self.numbers: dict[Value, int] = {}

    def kernel(self, k: Kernel, without: frozenset[str]) -> Any:
        for name, v in zip(k.params, k.body.params, strict=True):
            if name not in without:
                self.number(v)
        ops = self.fold(k.body.ops)
        live = _live(ops, [self.resolve(v) for v in k.body.yields], self)
        return tuple(self.op(o, live) for o in ops if self.kept(o, live))

    # ------------------------------------------------------------ folding

    def resolve(self, v: Value) -> Value:
        while v in self.same:
            v = self.same[v]
        return v

    def fold(self, ops: Iterable[Op]) -> list[Op]:
        """Operations left when constants are known; branches on constants are replaced by the one taken."""
        out: list[Op] = []
        for op in ops:
            if isinstance(op, O.If) and self.constant(op.cond) is not None:
                taken = op.then if self.constant(op.cond) else op.orelse
                out.extend(self.fold(taken.ops))
                self.same.update(zip(op.results, taken.yields, strict=True))
                continue
            value = self.value(op)
            if value is not None:
                self.constants[op.result] = value  # type: ignore[union-attr]
            else:
                out.append(self.nested(op))
        return out

    def nested(self, op: Op) -> Op:
        """The operation with its blocks folded."""
        changes: dict[str, Any] = {
            f.name: dataclasses.replace(b, ops=tuple(self.fold(b.ops)))
            for f in dataclasses.fields(op)
            if isinstance(b := getattr(op, f.name), Block)
        }
        return dataclasses.replace(op, **changes) if changes else op

    def constant(self, v: Value) -> int | float | None:
        return self.constants.get(self.resolve(v))

    def value(self, op: Op) -> int | float | None:
        """The constant that an operation yields (in every element, for a tile)."""
        match op:
            case O.Const(value=value):
                return value
            case O.Splat() | O.Broadcast() | O.ExpandDims() | O.Reshape() | O.Trans() | O.Unsplat():
                return self.constant(op.operand)
            case O.Binary(fn=fn, lhs=a, rhs=b, result=r):
                return self._binary(fn, self.constant(a), self.constant(b), r.type)
            case O.Cmp(pred=pred, lhs=a, rhs=b):
                return _compare(pred, self.constant(a), self.constant(b), a.type)
            case O.Cast(kind=kind, operand=x, result=r):
                return _cast(kind, self.constant(x), x.type, r.type)
            case O.Select(cond=c, a=a, b=b) if (chosen := self.constant(c)) is not None:
                return self.constant(a if chosen else b)
        return None

    def _binary(self, fn: str, a: int | float | None, b: int | float | None, t: Type) -> int | None:
        if not isinstance(a, int) or not isinstance(b, int) or not elem_of(t).is_int:
            return None
        bits = _bits(t)
        match fn:
            case "add" | "sub" | "mul":
                return _wrap({"add": a + b, "sub": a - b, "mul": a * b}[fn], bits)
            case "sdiv" | "srem" if b not in (0, -1):
                q = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
                return q if fn == "sdiv" else a - b * q
            case "smin" | "smax":
                return min(a, b) if fn == "smin" else max(a, b)
            case "and" | "or" | "xor":
                return _wrap({"and": a & b, "or": a | b, "xor": a ^ b}[fn], bits)
            case _:
                return None

    # ------------------------------------------------------------ writing

    def kept(self, op: Op, live: set[Value]) -> bool:
        if not isinstance(op, _PURE):
            return True
        if isinstance(op, O.Binary) and op.fn in _MAY_TRAP and self.constant(op.rhs) in (None, 0):
            return True
        return any(r in live for r in _results(op))

    def number(self, v: Value) -> int:
        return self.numbers.setdefault(v, len(self.numbers))

    def use(self, v: Value) -> Any:
        v = self.resolve(v)
        if v in self.constants:
            return ("constant", repr(self.constants[v]), str(v.type))
        return ("value", self.number(v), str(v.type))

    def op(self, op: Op, live: set[Value]) -> Any:
        out: list[Any] = [type(op).__name__]
        for f in dataclasses.fields(op):
            if f.name != "span":
                out.append(self.field(getattr(op, f.name), live))
        return tuple(out)

    def field(self, value: Any, live: set[Value]) -> Any:
        match value:
            case Value():
                return self.use(value)
            case Block(params=params, ops=ops, yields=yields):
                for p in params:
                    self.number(p)
                inner = tuple(self.op(o, live) for o in ops if self.kept(o, live))
                return (tuple(map(self.use, params)), inner, tuple(map(self.use, yields)))
            case tuple():
                return tuple(self.field(v, live) for v in value)
            case _:
                return repr(value)


def _results(op: Op) -> tuple[Value, ...]:
    many = getattr(op, "results", None)
    if many is not None:
        return tuple(many)
    one = getattr(op, "result", None)
    return () if one is None else (one,)


def _live(ops: Iterable[Op], roots: Iterable[Value], form: _Canonical) -> set[Value]:
    """Values that something other than a dead pure operation uses."""
    live = set(roots)
    everything = list(_flatten(ops))
    changed = True
    while changed:
        before = len(live)
        for op in reversed(everything):
            if form.kept(op, live):
                live.update(form.resolve(v) for v in _operands(op))
        changed = len(live) != before
    return live


def _flatten(ops: Iterable[Op]) -> Iterable[Op]:
    for op in ops:
        yield op
        for f in dataclasses.fields(op):
            b = getattr(op, f.name)
            if isinstance(b, Block):
                yield from _flatten(b.ops)


def _operands(op: Op) -> Iterable[Value]:
    results = set(_results(op))
    for f in dataclasses.fields(op):
        value = getattr(op, f.name)
        candidates = value.yields if isinstance(value, Block) else value if isinstance(value, tuple) else (value,)
        yield from (v for v in candidates if isinstance(v, Value) and v not in results)


def _bits(t: Type) -> int:
    return INT_BITS[str(elem_of(t))]


def _wrap(value: int, bits: int) -> int:
    if bits == 1:
        return value & 1
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


_SIGNED = {
    "eq": int.__eq__, "ne": int.__ne__, "slt": int.__lt__, "sle": int.__le__, "sgt": int.__gt__, "sge": int.__ge__,
}  # fmt: skip


def _compare(pred: str, a: int | float | None, b: int | float | None, t: Type) -> int | None:
    if not isinstance(a, int) or not isinstance(b, int) or pred not in _SIGNED or not elem_of(t).is_int:
        return None
    return int(_SIGNED[pred](a, b))


def _cast(kind: str, x: int | float | None, source: Type, target: Type) -> int | float | None:
    exact = _EXACT.get(str(elem_of(target)), SMALL)
    if kind == "sitofp" and isinstance(x, int) and _bits(source) > 1 and abs(x) <= exact:
        return float(x)
    if not isinstance(x, int) or not elem_of(source).is_int or not elem_of(target).is_int:
        return None
    match kind:
        case "sext" | "same":
            return -x if kind == "sext" and _bits(source) == 1 else x
        case "zext":
            return x & ((1 << _bits(source)) - 1)
        case "trunc":
            return _wrap(x, _bits(target))
        case _:
            return None
