"""Decides by brute force which accesses of one run of a launch conflict: vector clocks over programs, byte by byte.

What orders programs: a scalar atomic that releases hands over everything that its program did before its last barrier;
one that acquires a cell takes over what was released into it. Scope `cta` orders nobody, and neither does an atomic
on a whole tile. A second, lenient clock takes any scalar atomic for both, with no barrier needed: conflicts that only it
orders are faulty hand-overs (`handover`), others have no synchronisation at all.

Inside a program, lanes are threads: accesses of one address by lanes of other numbers need a barrier between them.
A scalar is stored by one thread and loaded by all, so that a load after a store needs a barrier too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Clock = dict[int, int]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two accesses that may not stand as they do; `first` and `second` are lines of the kernel, the smaller one first.

    `kind`: ww (two programs write), rw (one reads), lane (lanes of one store, different values), hazard (lanes of one
    program), handover (ordered only by a faulty synchronisation), ww_same (two programs write the same value).
    """

    kind: str
    first: int
    second: int
    tensor: str


@dataclass(frozen=True, slots=True)
class Step:
    """One access of one program, with the bytes of the lanes that take part."""

    program: int
    kind: str
    """load, store or atomic"""
    line: int
    region: int
    offsets: Array
    lanes: Array
    item: int
    values: Array | None = None
    """Bytes that a store writes, a row a lane."""
    wide: bool = True


@dataclass(frozen=True, slots=True)
class _Seen:
    kind: str
    program: int
    line: int
    strict: int
    lenient: int
    lane: int
    """-1 for a scalar access."""
    start: int
    """Where the element begins."""
    value: bytes
    """What a store leaves in the whole element."""
    step: int


@dataclass(slots=True)
class _Cell:
    strict: Clock = field(default_factory=dict)
    lenient: Clock = field(default_factory=dict)


class HappensBefore:
    """Takes the steps of all programs in the order in which they happened; `conflicts` grows."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.conflicts: set[Conflict] = set()
        self._strict: dict[int, Clock] = {}
        self._lenient: dict[int, Clock] = {}
        self._barriers: dict[int, int] = {}
        self._releases: dict[int, int] = {}
        self._bytes: dict[tuple[int, int], dict[_Seen, None]] = {}
        self._steps = 0
        self._cells: dict[tuple[int, int], _Cell] = {}

    def barrier(self, program: int) -> None:
        """All threads of the program wait for each other."""
        self._barriers[program] = self._barriers.get(program, 1) + 1

    def synchronise(self, program: int, cell: tuple[int, int], sem: str, scope: str, wrote: bool) -> None:
        """A scalar atomic on a cell; `wrote` is false for a compare-and-swap that failed."""
        state = self._cells.setdefault(cell, _Cell())
        strict, lenient = self._strict.setdefault(program, {}), self._lenient.setdefault(program, {})
        works = scope != "cta"
        _join(lenient, state.lenient)
        if works and sem in ("acquire", "acq_rel"):
            _join(strict, state.strict)
        if not wrote:
            return
        releases = self._releases.get(program, 1)
        _join(state.lenient, {**lenient, program: releases})
        self._releases[program] = releases + 1
        if works and sem in ("release", "acq_rel"):
            _join(state.strict, {**strict, program: self._barriers.get(program, 1) - 1})

    def access(self, step: Step) -> None:
        """Compare an access with all earlier ones of the same bytes, and remember it."""
        if step.kind == "store":
            self._lanes(step)
        self._steps += 1
        p = step.program
        strict, lenient = self._barriers.get(p, 1), self._releases.get(p, 1)
        for number, (offset, lane) in enumerate(zip(step.offsets.tolist(), step.lanes.tolist(), strict=True)):
            value = b"" if step.values is None else step.values[number].tobytes()
            place = lane if step.wide else -1
            seen = _Seen(step.kind, p, step.line, strict, lenient, place, offset, value, self._steps)
            for byte in range(step.item):
                earlier = self._bytes.setdefault((step.region, offset + byte), {})
                for other in earlier:
                    for kind in self._kinds(other, seen):
                        self._add(kind, other.line, seen.line, step.region)
                earlier[seen] = None

    def _kinds(self, a: _Seen, b: _Seen) -> Iterator[str]:
        if (a.kind == b.kind == "load") or (a.kind == b.kind == "atomic"):
            return
        if a.program == b.program:
            by_all = b.kind == "load" and b.lane < 0
            if a.strict == b.strict and (a.lane != b.lane or by_all) and a.step != b.step:
                yield "hazard"
            return
        if self._strict.get(b.program, {}).get(a.program, 0) >= a.strict:
            return
        if self._lenient.get(b.program, {}).get(a.program, 0) >= a.lenient:
            yield "handover"
        elif "load" in (a.kind, b.kind):
            yield "rw"
        else:
            same = a.kind == b.kind and (a.start, a.value) == (b.start, b.value)
            yield "ww_same" if same else "ww"

    def _lanes(self, step: Step) -> None:
        assert step.values is not None
        first: dict[int, bytes] = {}
        for number, offset in enumerate(step.offsets.tolist()):
            value = step.values[number].tobytes()
            if first.setdefault(offset, value) != value:
                self._add("lane", step.line, step.line, step.region)
                return

    def _add(self, kind: str, a: int, b: int, region: int) -> None:
        self.conflicts.add(Conflict(kind, min(a, b), max(a, b), self.names[region]))


def _join(clock: Clock, other: Clock) -> None:
    for program, time in other.items():
        clock[program] = max(clock.get(program, 0), time)


def bytes_of(values: Array) -> Array:
    """The bytes of flat values, a row an element."""
    flat = np.ascontiguousarray(values).reshape(-1)
    return flat.view(np.uint8).reshape(-1, flat.dtype.itemsize)
