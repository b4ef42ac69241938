"""Order inside the programs of a run: lanes of one store that meet, and threads that meet without a barrier between.

What is assumed of threads: two accesses of as many elements give the same thread to lanes of the same number (row-major),
other lanes belong to other threads. One element is loaded by every thread and stored by one. Triton puts no barrier between
accesses to global memory; `tl.debug_barrier` is one, and so is an atomic of one element, whose result goes to all threads
through shared memory. What combines lanes (a reduction, a scan, a dot product) has all earlier loads behind it, since their
values may go into it; stores may still be on their way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from argus_smt.interp.conflicts import Conflict, Noted, Watch, same_value, unit_of
from argus_smt.interp.lanes import Array

_LANES = 1 << 40
"""More than the lanes of a tile, so that element count and lane make one number."""


def duplicates(watch: Watch) -> Iterator[Conflict]:
    """Lanes of one store that meet at one byte; for each operation two that write different values, if there are such.

    `same` is set where all that meet agree. Values that are not defined count as equal to any.
    """
    for storage, noted in watch.noted.items():
        best: dict[int, Conflict] = {}
        for n in noted:
            known = best.get(id(n.access.op))
            if n.access.kind != "store" or n.at.size < 2 or (known is not None and not known.same):
                continue
            found = _doubled(storage, n)
            if found is not None and (known is None or not found.same):
                best[id(n.access.op)] = found
        yield from best.values()


def _doubled(storage: int, n: Noted) -> Conflict | None:
    """Two lanes of one execution of a store that share a byte, with different values there if possible."""
    raw, defined, size = n.access.raw, n.access.defined, n.access.size
    assert raw is not None
    assert defined is not None
    by_place = np.argsort(n.at, kind="stable")
    gaps = np.diff(n.at[by_place])
    first, second, gap = by_place[:-1], by_place[1:], gaps
    shared = np.flatnonzero(gap < size)
    if not shared.size:
        return None
    first, second, gap = first[shared], second[shared], gap[shared]
    differ = np.zeros(shared.size, np.int64) - 1
    for k in range(size):  # byte k of the second lane is byte k + gap of the first
        both = (k + gap < size) & defined[first] & defined[second] & (differ < 0)
        unlike = both & (raw[first, np.minimum(k + gap, size - 1)] != raw[second, k])
        differ[unlike] = k
    at = int(np.argmax(differ >= 0))
    same = not bool((differ >= 0).any())
    place = int(n.at[second[at]]) + max(int(differ[at]), 0)
    return Conflict("lanes", storage, place, n.touch(int(first[at])), n.touch(int(second[at])), same)


def inside(watch: Watch) -> Iterator[Conflict]:
    """Of each two operations of one program the first meeting of different threads at one byte without an order.

    A store and a later load or store, and a load and a later store. Not reported: one element loaded and then stored, where
    what is stored mostly stems from the load; stores of the same value; two atomics.
    """
    for storage, noted in watch.noted.items():
        if any(n.writes and not n.atomic for n in noted):
            yield from _Threads(storage, noted).conflicts()


@dataclass(slots=True)
class _Last:
    """Of each place who touched it last: the number of the access, the place in it, and the thread."""

    which: Array
    position: Array
    thread: Array

    @staticmethod
    def of(count: int) -> _Last:
        return _Last(np.full(count, -1, np.int64), np.zeros(count, np.int64), np.zeros(count, np.int64))

    def enter(self, at: Array, number: int, thread: Array) -> None:
        self.which[at], self.position[at], self.thread[at] = number, np.arange(at.size), thread


@dataclass(slots=True)
class _Threads:
    """The accesses to one storage, one after the other."""

    storage: int
    noted: list[Noted]
    unit: int = field(init=False)
    """Bytes of a place: all accesses begin and end between places."""
    stores: _Last = field(init=False)
    first_loads: _Last = field(init=False)
    """The thread of the least number that loaded since the threads last met."""
    last_loads: _Last = field(init=False)
    found: dict[tuple[int, int], Conflict] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.unit = unit_of(self.noted)
        top = max(int(n.at.max()) + n.access.size for n in self.noted) // self.unit
        self.stores, self.first_loads, self.last_loads = _Last.of(top), _Last.of(top), _Last.of(top)

    def conflicts(self) -> Iterator[Conflict]:
        passed = [n.access.passed for n in self.noted]
        epochs = [(n.program, p.barriers, p.atomics) for n, p in zip(self.noted, passed, strict=True)]
        numbers = {e: i for i, e in enumerate(dict.fromkeys(epochs))}
        epoch = np.array([numbers[e] for e in epochs])
        met = [(e, p.exchanges) for e, p in zip(epochs, passed, strict=True)]
        meetings = {e: i for i, e in enumerate(dict.fromkeys(met))}
        meeting = np.array([meetings[e] for e in met])
        for number, n in enumerate(self.noted):
            thread = n.lanes + _LANES * n.access.active.size
            for k in range(n.access.size // self.unit):
                at = n.at // self.unit + k
                self._against(number, at, thread, self.stores, epoch)
                if n.writes:
                    for loads in (self.first_loads, self.last_loads):
                        self._against(number, at, thread, loads, meeting)
                    self.stores.enter(at, number, thread)
                else:
                    self._loaded(number, at, thread, meeting)
        yield from self.found.values()

    def _loaded(self, number: int, at: Array, thread: Array, meeting: Array) -> None:
        """Enter a load; of lanes at one byte the least and the greatest are kept."""
        up = np.argsort(thread, kind="stable")
        for loads, way, keeps in ((self.first_loads, up[::-1], np.less_equal), (self.last_loads, up, np.greater_equal)):
            known = loads.which[at]
            stays = (known >= 0) & (meeting[known] == meeting[number]) & keeps(loads.thread[at], thread)
            way = way[~stays[way]]
            loads.which[at[way]], loads.position[at[way]], loads.thread[at[way]] = number, way, thread[way]

    def _against(self, number: int, at: Array, thread: Array, earlier: _Last, epoch: Array) -> None:
        """Meetings of an access with earlier ones of the same epoch by other threads."""
        n = self.noted[number]
        which = earlier.which[at]
        hits = np.flatnonzero((which >= 0) & (epoch[which] == epoch[number]) & (which != number))
        if not hits.size:
            return
        scalar_load = not n.shape and not n.writes
        hits = hits[(earlier.thread[at[hits]] != thread[hits]) | scalar_load]
        for other in np.unique(which[hits]):
            before = self.noted[int(other)]
            key = (id(before.access.op), id(n.access.op))
            if key in self.found or (before.atomic and n.atomic) or not (before.writes or n.writes):
                continue
            for i in hits[which[hits] == other]:
                place, position = int(at[i]) * self.unit, int(earlier.position[at[i]])
                if same_value(before, position, n, int(i), place, self.unit):
                    continue
                self.found[key] = Conflict("inside", self.storage, place, before.touch(position), n.touch(int(i)))
                break
