"""Types of the Tile IR from their MLIR text."""

from __future__ import annotations

import re
from functools import lru_cache

from argus_smt.capture.ttir.text import split_list
from argus_smt.ir.types import Ptr, Scalar, Tile, Type

_SCALARS = {name: Scalar(name) for name in ("i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64")} | {
    "f8E4M3FN": Scalar("f8e4m3fn"),
    "f8E4M3FNUZ": Scalar("f8e4m3fnuz"),
    "f8E5M2": Scalar("f8e5m2"),
    "f8E5M2FNUZ": Scalar("f8e5m2fnuz"),
    "f8E4M3B11FNUZ": Scalar("f8e4m3b15"),
}
_DIMS = re.compile(r"((?:\d+x)*)")

HANDLE = Ptr(Scalar("i8"))
"""Stands for types that the Tile IR has no word for (descriptors, block pointers); only opaque operations use it."""


class UnknownType(ValueError):
    """A type that the Tile IR cannot express."""


@lru_cache(maxsize=4096)
def parse_type(text: str) -> Type:
    """The type that `text` spells. Raises UnknownType."""
    scalar = _SCALARS.get(text)
    if scalar is not None:
        return scalar
    if text.startswith("!tt.ptr<") and text.endswith(">"):
        elem = parse_type(split_list(text[len("!tt.ptr<") : -1])[0])
        if not isinstance(elem, Tile):
            return Ptr(elem)
    elif text.startswith("tensor<") and text.endswith(">"):
        body = split_list(text[len("tensor<") : -1])[0]
        dims = _DIMS.match(body)
        assert dims is not None  # the pattern matches the empty text
        elem = parse_type(body[dims.end() :])
        shape = tuple(int(d) for d in dims.group(1).split("x") if d)
        if not isinstance(elem, Tile):
            return Tile(shape, elem) if shape else elem
    raise UnknownType(f"type `{text}` has no meaning here")


def type_or_handle(text: str) -> Type:
    """The type that `text` spells, or `HANDLE`."""
    try:
        return parse_type(text)
    except UnknownType:
        return HANDLE


def type_list(text: str) -> tuple[str, ...]:
    """Texts of the types in `A`, `A, B` or `(A, B)`; () for `()`."""
    text = text.strip()
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1]
    return split_list(text)


def result_texts(text: str) -> tuple[str, ...]:
    """Texts of the types right of ` -> ` or ` to `, or of all types if there is neither."""
    for arrow in (" -> ", " to "):
        _, found, right = text.rpartition(arrow)
        if found:
            return type_list(right)
    return type_list(text)
