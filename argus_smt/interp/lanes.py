"""What a Tile IR value is while it runs: a NumPy array and, lane by lane, what is known about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Lanes:
    """A scalar (shape ()) or a tile.

    `data`: integers as int64 in the signed range of their width (i1 as 0 and 1), floats in their own NumPy type,
    pointers as int64 byte offsets into the storage of their view. `view`: for pointers, the index into the table of
    views. `undef` and `wrapped`: per lane 0, or the number of the operation that left the lane undefined, or whose
    exact result did not fit; None where no lane is marked.
    """

    data: Array
    view: Array | None = None
    undef: Array | None = None
    wrapped: Array | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.data.shape)

    def map(self, move: Callable[[Array], Array]) -> Lanes:
        """The same lanes in other places: `move` must pick lanes without looking at them."""
        return Lanes(move(self.data), _maybe(move, self.view), _maybe(move, self.undef), _maybe(move, self.wrapped))

    def marked(self, undef: Array | None, wrapped: Array | None) -> Lanes:
        """The same data with other marks."""
        return Lanes(self.data, self.view, undef, wrapped)


def _maybe(move: Callable[[Array], Array], part: Array | None) -> Array | None:
    return None if part is None else move(part)


def both(move: Callable[[Array, Array], Array], a: Lanes, b: Lanes) -> Lanes:
    """Lanes of two values of one shape brought together by `move`, which must not look at them."""

    def part(x: Array | None, y: Array | None) -> Array | None:
        if x is None and y is None:
            return None
        return move(_or_zeros(x, a.shape), _or_zeros(y, b.shape))

    return Lanes(move(a.data, b.data), part(a.view, b.view), part(a.undef, b.undef), part(a.wrapped, b.wrapped))


def choose(cond: Array, a: Lanes, b: Lanes) -> Lanes:
    """`a` where `cond` (a boolean array), else `b`, marks included."""
    return both(lambda x, y: np.where(cond, x, y), a, b)


def _or_zeros(part: Array | None, shape: tuple[int, ...]) -> Array:
    return np.zeros(shape, np.int32) if part is None else part


def merge(*marks: Array | None) -> Array | None:
    """The first mark of each lane, from left to right; arrays broadcast against each other."""
    result: Array | None = None
    for mark in marks:
        if mark is not None:
            result = mark if result is None else np.where(result != 0, result, mark)
    return result


def mark_where(hits: Array, number: int) -> Array | None:
    """Marks with `number` where `hits`; None if nowhere."""
    return np.where(hits, np.int32(number), np.int32(0)) if hits.any() else None


def keep_where(mark: Array | None, kept: Array) -> Array | None:
    """Marks only where `kept`."""
    return None if mark is None else np.where(kept, mark, np.int32(0))


def is_marked(mark: Array | None, shape: tuple[int, ...]) -> Array:
    """A boolean array of `shape`: true where there is a mark."""
    return np.zeros(shape, bool) if mark is None else np.broadcast_to(mark != 0, shape)
