"""Triton's layouts of LDS as data, with the map from an element's place in LDS to its tile coordinates, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from argus_smt.layout.distributed import dimension
from argus_smt.layout.error import LayoutError, bits_of
from argus_smt.layout.linear import LinearLayout, linear


@dataclass(frozen=True, slots=True)
class Swizzled:
    """Rows of a tile whose groups of `vec` elements are xored with the row: `(row / per_phase) % max_phase`."""

    vec: int
    per_phase: int
    max_phase: int
    order: tuple[int, ...]

    def offset_map(self, shape: Sequence[int]) -> LinearLayout:
        """Offset in elements → coordinates."""
        for what in ("vec", "per_phase", "max_phase"):
            bits_of(getattr(self, what), what)
        rank = len(self.order)
        if len(shape) != rank:
            raise LayoutError(f"the layout has {rank} axes, the tile {len(shape)}")
        bases = []
        for place, axis in enumerate(self.order):
            for i in range(bits_of(shape[axis], f"size of axis {axis}")):
                basis = [0] * rank
                basis[axis] = 1 << i
                if place == 1:
                    columns = shape[self.order[0]]
                    basis[self.order[0]] = self.vec * ((1 << i) // self.per_phase % self.max_phase) % columns
                bases.append(basis)
        return linear({"offset": bases}, {dimension(i): size for i, size in enumerate(shape)})

    def address(self, shape: Sequence[int], coordinates: Sequence[int]) -> int:
        """Offset in elements of one element."""
        inverse = self.offset_map(shape).invert()
        return inverse(**{dimension(i): c for i, c in enumerate(coordinates)})[0]


@dataclass(frozen=True, slots=True)
class Padded:
    """A linear order of elements, with `padding` unused elements after each `interval`; several paddings add up."""

    paddings: tuple[tuple[int, int], ...]
    """(interval, padding), in elements, powers of two."""
    bases: tuple[tuple[int, ...], ...]
    """For each bit of the offset before padding the coordinates that it contributes."""

    def offset_map(self, shape: Sequence[int]) -> LinearLayout:
        """Offset before padding, in elements → coordinates."""
        return linear({"offset": self.bases}, {dimension(i): size for i, size in enumerate(shape)})

    def placed(self, offset: int) -> int:
        """Where an offset lies once the padding is put in."""
        return offset + sum(offset // interval * padding for interval, padding in self.paddings)

    def address(self, shape: Sequence[int], coordinates: Sequence[int]) -> int:
        """Offset in elements of one element, padding counted."""
        inverse = self.offset_map(shape).invert()
        return self.placed(inverse(**{dimension(i): c for i, c in enumerate(coordinates)})[0])


def padded_rows(paddings: Sequence[tuple[int, int]], shape: Sequence[int], order: Sequence[int]) -> Padded:
    """A padded layout whose elements are in plain order, the first axis of `order` fastest."""
    bases = []
    for axis in order:
        for i in range(bits_of(shape[axis], f"size of axis {axis}")):
            bases.append(tuple(1 << i if a == axis else 0 for a in range(len(shape))))
    for interval, padding in paddings:
        bits_of(interval, "interval")
        bits_of(padding, "padding")
    return Padded(tuple(paddings), tuple(bases))


Shared: TypeAlias = Swizzled | Padded
