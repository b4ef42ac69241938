"""Types of the Tile IR from their MLIR text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from argus_smt.capture.ttir.text import split_list
from argus_smt.ir.types import I1, I64, Ptr, Scalar, Tile, Type

_SCALARS = {name: Scalar(name) for name in ("i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64")} | {
    "f8E4M3FN": Scalar("f8e4m3fn"),
    "f8E4M3FNUZ": Scalar("f8e4m3fnuz"),
    "f8E5M2": Scalar("f8e5m2"),
    "f8E5M2FNUZ": Scalar("f8e5m2fnuz"),
    "f8E4M3B11FNUZ": Scalar("f8e4m3b15"),
}
_DIMS = re.compile(r"((?:\d+x)*)")

HANDLE = Ptr(Scalar("i8"))
"""Stands for types that the Tile IR has no word for; only opaque operations use it."""


class UnknownType(ValueError):
    """A type that the Tile IR cannot express."""


@dataclass(frozen=True, slots=True)
class WindowType:
    """A block that is moved over a strided array: a tensor descriptor, or a block pointer, which knows its place too.

    `unsigned` is what a descriptor says of its integers.
    """

    elem: Scalar
    block: tuple[int, ...]
    descriptor: bool
    unsigned: bool = False

    @property
    def parts(self) -> tuple[Type, ...]:
        """Types of what a value of this type consists of.

        Base pointer, shape and strides of the array; then whether padding is NaN (descriptor) or the offsets (block pointer).
        """
        rank = len(self.block)
        return (Ptr(self.elem), *(I64,) * (2 * rank), *((I1,) if self.descriptor else (I64,) * rank))

    def names(self, name: str) -> tuple[str, ...]:
        """What the parts of a value called `name` are called."""
        if not name:
            return ("",) * len(self.parts)
        rank = range(len(self.block))
        array = (name, *(f"{name}.shape.{d}" for d in rank), *(f"{name}.stride.{d}" for d in rank))
        return (*array, f"{name}.padding") if self.descriptor else (*array, *(f"{name}.offset.{d}" for d in rank))


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


_DESCRIPTOR = re.compile(r"(?:!tt\.tensordesc)?<(?:tensor<)?(?P<dims>(?:\d+x)+)(?P<sign>[su]?)(?P<elem>i?[^<>,]*)")
_BLOCK_POINTER = re.compile(r"(?:!tt\.ptr)?<tensor<(?P<dims>(?:\d+x)+)(?P<elem>[^<>,]*)>")


@lru_cache(maxsize=4096)
def parse_window(text: str, bare: bool = False) -> WindowType | None:
    """The type that `text` spells if it is a descriptor or block pointer, else None.

    With `bare` the text is one that an operation prints without its name, `<16x16xf32>`, and means a descriptor.
    """
    descriptor = bare or text.startswith("!tt.tensordesc<")
    m = (_DESCRIPTOR if descriptor else _BLOCK_POINTER).match(text)
    if m is None:
        return None
    sign = m["sign"] if descriptor else ""
    elem = _SCALARS.get(m["elem"]) if not sign or m["elem"].startswith("i") else None
    if elem is None:
        return None
    return WindowType(elem, tuple(int(d) for d in m["dims"].split("x") if d), descriptor, sign == "u")


def expanded(text: str) -> tuple[Type, ...]:
    """Types of the values that stand for one of the type that `text` spells: several for a descriptor or block pointer."""
    window = parse_window(text)
    return window.parts if window else (type_or_handle(text),)


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
