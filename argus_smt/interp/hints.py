"""Whether the promises of multiple_of, max_contiguous and max_constancy hold for concrete values.

Along dimension d a tile is seen as groups of neighbouring lanes. `contiguity` c: in each aligned group of c lanes each
is one more than the one before. `constancy` c: in each such group all are equal. `divisibility` v: the *first lane of
each contiguous group* is a multiple of v, which is how the compiler uses it; the groups are the longest aligned ones,
of a power of two lanes, that are contiguous in the values at hand. So a tile `base + arange` needs `base` alone to be
a multiple, while values that do not follow each other must all be. This is the weakest reading: what fails here is
false in every reading.
Pointers count in bytes for divisibility and in elements for contiguity.
"""

from __future__ import annotations

import numpy as np

from argus_smt.interp.lanes import Array


def broken_lanes(kind: str, values: tuple[int, ...], numbers: Array, stride: int) -> Array:
    """The lanes at which a hint is false: a boolean array.

    `numbers`: integers or addresses; `stride`: by how much neighbours of a contiguous group differ (1, or the bytes of
    an element).
    """
    if numbers.ndim == 0:
        return np.asarray(numbers % values[0] != 0) if kind == "divisibility" else np.zeros((), bool)
    broken = np.zeros(numbers.shape, bool)
    for axis, value in enumerate(values[: numbers.ndim]):
        extent = numbers.shape[axis]
        match kind:
            case "contiguity":
                broken |= ~_follows(numbers, axis, min(value, extent), stride)
            case "constancy":
                broken |= ~_follows(numbers, axis, min(value, extent), 0)
            case "divisibility":
                group = _contiguity(numbers, axis, stride)
                broken |= _is_first(numbers, axis, group) & (numbers % value != 0)
            case _:
                raise ValueError(f"unknown hint `{kind}`")
    return broken


def _place(numbers: Array, axis: int) -> Array:
    """Index along the axis, shaped to broadcast."""
    shape = [1] * numbers.ndim
    shape[axis] = numbers.shape[axis]
    return np.arange(numbers.shape[axis]).reshape(shape)


def _is_first(numbers: Array, axis: int, group: int) -> Array:
    return np.broadcast_to(_place(numbers, axis) % group == 0, numbers.shape)


def _follows(numbers: Array, axis: int, group: int, stride: int) -> Array:
    """Lanes that are `stride` more than the lane before in their group; the first of a group always is."""
    before = np.roll(numbers, 1, axis=axis)
    return np.asarray(_is_first(numbers, axis, group) | (numbers - before == stride))


def _contiguity(numbers: Array, axis: int, stride: int) -> int:
    """Length of the longest aligned groups, a power of two that divides the extent, that are contiguous."""
    group = 1
    while numbers.shape[axis] % (2 * group) == 0 and _follows(numbers, axis, 2 * group, stride).all():
        group *= 2
    return group
