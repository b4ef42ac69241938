"""Pointer arguments, the views that pointers derive from, and the map between pointers and integer addresses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from argus_smt.interp.lanes import Array, Lanes
from argus_smt.interp.memory import Memory

NULL_VIEW = 0


@dataclass(frozen=True, slots=True)
class PointerValue:
    """A pointer argument: `offset` bytes into `storage`; accesses may touch bytes [lower, upper) of the storage."""

    storage: int
    offset: int
    lower: int
    upper: int


class Views:
    """All views of a launch, one column each. View 0 is for wild pointers: it allows nothing, offsets are addresses.

    A pointer made from an integer address belongs to the storage nearest to it, and gets that storage's hull: the span
    that covers the views given as arguments, or all of the storage where there are none.
    """

    def __init__(self, memory: Memory, args: Sequence[PointerValue]) -> None:
        self.memory = memory
        self._rows: list[tuple[int, int, int, int]] = [(-1, 0, 0, 0)]
        self._numbers: dict[tuple[int, int, int], int] = {}
        for arg in args:
            self._add(arg.storage, arg.lower, arg.upper)
        self._hulls = {region.storage: self._hull(region.storage, region.nbytes) for region in memory.regions}
        columns = np.array(self._rows, np.int64).T
        self.storage, self.lower, self.upper, self.base = columns[0], columns[1], columns[2], columns[3]

    def _add(self, storage: int, lower: int, upper: int) -> int:
        key = (storage, lower, upper)
        if key not in self._numbers:
            nbytes = self.memory.region(storage).nbytes
            self._numbers[key] = len(self._rows)
            self._rows.append((storage, max(lower, 0), min(upper, nbytes), self.memory.base(storage)))
        return self._numbers[key]

    def _hull(self, storage: int, nbytes: int) -> int:
        spans = [(lower, upper) for owner, lower, upper in self._numbers if owner == storage]
        lower, upper = (min(s[0] for s in spans), max(s[1] for s in spans)) if spans else (0, nbytes)
        return self._add(storage, lower, upper)

    def pointer(self, arg: PointerValue) -> Lanes:
        """The value of a pointer argument."""
        view = self._numbers[(arg.storage, arg.lower, arg.upper)]
        return Lanes(np.asarray(arg.offset, np.int64), np.asarray(view, np.int32))

    def views_of(self, pointer: Lanes) -> Array:
        """The view number of each lane."""
        return np.zeros(pointer.shape, np.int32) if pointer.view is None else pointer.view

    def addresses(self, pointer: Lanes) -> Array:
        """Integer addresses, modulo 2**64."""
        return np.asarray(self.base[self.views_of(pointer)] + pointer.data)

    def from_addresses(self, addresses: Array) -> tuple[Array, Array]:
        """Offsets and views of integer addresses."""
        view = np.zeros(addresses.shape, np.int32)
        for address in np.unique(addresses):
            owner = self.memory.owner(int(address))
            if owner is not None:
                view[addresses == address] = self._hulls[owner]
        return np.asarray(addresses - self.base[view]), view
