"""The phrases that the type rules are made of: each function says what is wrong, or nothing."""

from __future__ import annotations

from collections.abc import Iterator

from argus_smt.ir.ops import Value
from argus_smt.ir.types import FLOAT_BITS, INT_BITS, Ptr, Scalar, Tile, Type, elem_of

Phrases = Iterator[str]


def type_violations(t: Type) -> Phrases:
    """What is wrong with a type in itself."""
    if isinstance(t, Tile):
        if not t.shape or any(n <= 0 for n in t.shape):
            yield f"tile extents of {t} are not all positive"
        yield from type_violations(t.elem)
    elif isinstance(t, Ptr):
        yield from type_violations(t.elem)
    elif t.name not in INT_BITS and t.name not in FLOAT_BITS:
        yield f"no such scalar type: {t.name}"


def is_int(t: Type) -> bool:
    return elem_of(t).is_int


def is_float(t: Type) -> bool:
    e = elem_of(t)
    return isinstance(e, Scalar) and not e.is_int


def is_ptr(t: Type) -> bool:
    return isinstance(elem_of(t), Ptr)


def same(what: str, got: Type, wanted: Type) -> Phrases:
    if got != wanted:
        yield f"{what} is {got}, not {wanted}"


def same_types(what: str, got: tuple[Value, ...], wanted: tuple[Type, ...]) -> Phrases:
    """Equal number and equal types, place by place."""
    if len(got) != len(wanted):
        yield f"{what}: {len(got)} where {len(wanted)} are wanted"
        return
    for i, (v, t) in enumerate(zip(got, wanted, strict=True)):
        yield from same(f"{what} {i}", v.type, t)


def key(what: str, name: str, table: frozenset[str]) -> Phrases:
    if name not in table:
        yield f"no such {what}: {name}"


def axis_within(axis: int, rank: int) -> Phrases:
    if not 0 <= axis < rank:
        yield f"axis {axis} is outside a rank of {rank}"


def types(values: tuple[Value, ...]) -> tuple[Type, ...]:
    return tuple(v.type for v in values)


def optional(what: str, v: Value | None, wanted: Type) -> Phrases:
    if v is not None:
        yield from same(what, v.type, wanted)
