"""Nested shape:stride layouts, `(4,(2,3)):(1,(8,16))`: an index is taken apart into digits, the first fastest, and each
digit times its stride is added up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from argus_smt.layout.error import LayoutError

Nested: TypeAlias = "int | tuple[Nested, ...]"


@dataclass(frozen=True, slots=True)
class Layout:
    """A function from 0 … size − 1 to integers. Shape and stride are nested alike; sizes are positive."""

    shape: Nested
    stride: Nested

    def __post_init__(self) -> None:
        _check_alike(self.shape, self.stride)
        if any(s < 1 for s in leaves(self.shape)):
            raise LayoutError(f"a size in {_text(self.shape)} is not positive")

    @property
    def modes(self) -> tuple[tuple[int, int], ...]:
        """(size, stride) of every digit, fastest first."""
        return tuple(zip(leaves(self.shape), leaves(self.stride), strict=True))

    @property
    def size(self) -> int:
        """How many indices there are."""
        return prod(leaves(self.shape))

    @property
    def cosize(self) -> int:
        """One more than the largest value."""
        return 1 + sum((s - 1) * d for s, d in self.modes if d > 0)

    def __call__(self, index: int) -> int:
        """Value at an index."""
        if not 0 <= index < self.size:
            raise LayoutError(f"index {index} is outside a layout of size {self.size}")
        value = 0
        for size, stride in self.modes:
            value, index = value + index % size * stride, index // size
        return value

    def at(self, coordinates: Nested) -> int:
        """Value at coordinates that are nested as the shape is, or less deeply: an integer counts through what it stands for."""
        return _at(self.shape, self.stride, coordinates)

    def __len__(self) -> int:
        """How many modes the layout has at its top."""
        return len(self.shape) if isinstance(self.shape, tuple) else 1

    def __getitem__(self, i: int) -> Layout:
        """One mode of the top."""
        if isinstance(self.shape, tuple) and isinstance(self.stride, tuple):
            return Layout(self.shape[i], self.stride[i])
        return (self,)[i]

    def __str__(self) -> str:
        return f"{_text(self.shape)}:{_text(self.stride)}"


def leaves(nested: Nested) -> Iterator[int]:
    """The integers of a nested tuple, from left to right."""
    if isinstance(nested, int):
        yield nested
    else:
        for item in nested:
            yield from leaves(item)


def _check_alike(shape: Nested, stride: Nested) -> None:
    if isinstance(shape, int) != isinstance(stride, int) or (
        isinstance(shape, tuple) and isinstance(stride, tuple) and len(shape) != len(stride)
    ):
        raise LayoutError(f"shape {_text(shape)} and stride {_text(stride)} are not nested alike")
    if isinstance(shape, tuple) and isinstance(stride, tuple):
        for s, d in zip(shape, stride, strict=True):
            _check_alike(s, d)


def _text(nested: Nested) -> str:
    return str(nested) if isinstance(nested, int) else f"({','.join(map(_text, nested))})"


def _at(shape: Nested, stride: Nested, coordinates: Nested) -> int:
    if isinstance(coordinates, int):
        return Layout(shape, stride)(coordinates)
    if isinstance(shape, int) or isinstance(stride, int) or len(shape) != len(coordinates):
        raise LayoutError(f"coordinates {_text(coordinates)} do not fit shape {_text(shape)}")
    return sum(_at(s, d, c) for s, d, c in zip(shape, stride, coordinates, strict=True))


def flat(modes: Iterable[tuple[int, int]]) -> Layout:
    """A layout from its digits, (size, stride), fastest first; a single one is not put into a tuple."""
    listed = list(modes) or [(1, 0)]
    if len(listed) == 1:
        return Layout(*listed[0])
    return Layout(tuple(s for s, _ in listed), tuple(d for _, d in listed))


def concatenate(*parts: Layout) -> Layout:
    """The parts as modes of one layout, the first fastest."""
    return Layout(tuple(p.shape for p in parts), tuple(p.stride for p in parts))


def compact(shape: Nested) -> Layout:
    """The layout of this shape whose value is the index itself."""
    sizes, strides = list(leaves(shape)), []
    for i in range(len(sizes)):
        strides.append(prod(sizes[:i]))
    source = iter(strides)

    def filled(nested: Nested) -> Nested:
        return next(source) if isinstance(nested, int) else tuple([filled(item) for item in nested])

    return Layout(shape, filled(shape))


def parse(text: str) -> Layout:
    """Reads `(4,(2,3)):(1,(8,16))`; raises `LayoutError` with the place of what is wrong."""
    tokens = [(m.start(), m[0]) for m in re.finditer(r"-?\d+|\S", text)]
    shape, rest = _nested(text, tokens)
    if not rest or rest[0][1] != ":":
        raise LayoutError(f"expected `:` after the shape in `{text}`")
    stride, rest = _nested(text, rest[1:])
    if rest:
        raise LayoutError(f"unexpected `{rest[0][1]}` at column {rest[0][0] + 1} of `{text}`")
    return Layout(shape, stride)


def _nested(text: str, tokens: list[tuple[int, str]]) -> tuple[Nested, list[tuple[int, str]]]:
    if not tokens:
        raise LayoutError(f"`{text}` ends where an integer or `(` should stand")
    (place, token), rest = tokens[0], tokens[1:]
    if re.fullmatch(r"-?\d+", token):
        return int(token), rest
    if token != "(":
        raise LayoutError(f"expected an integer or `(`, not `{token}`, at column {place + 1} of `{text}`")
    items: list[Nested] = []
    while not items or (rest and rest[0][1] == ","):
        item, rest = _nested(text, rest[1:] if items else rest)
        items.append(item)
    if not rest or rest[0][1] != ")":
        raise LayoutError(f"`(` at column {place + 1} of `{text}` is not closed")
    return tuple(items), rest[1:]
