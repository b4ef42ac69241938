"""Happens-before between the programs of one run: vector clocks that atomics carry from release to acquire.

The classical construction (Fidge and Mattern; for data races FastTrack, Flanagan and Freund 2009), with one addition. A
release orders what its own thread did before it. A program has many threads: what the others did is only ordered if they
all met in a barrier before the release. So an edge is kept twice, as far as barriers vouch for it, and as far as the author
of the kernel will have meant it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from argus_smt.interp.lanes import Array
from argus_smt.ir.ops import AtomicCAS, AtomicRMW, Load, Op, Store

ACQUIRES = frozenset(["acquire", "acq_rel"])
RELEASES = frozenset(["release", "acq_rel"])
Shape = tuple[int, ...]
Atomic = AtomicRMW | AtomicCAS | Load | Store


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of the past of another program: all up to its tick `last`, by order of its own threads alone.

    What it did before tick `base` was ordered by a barrier for all of its threads. `shapes`: up to which tick accesses of
    a shape are ordered because the same lanes made the release. `release` is the latest of the atomics that told.
    """

    last: int
    base: int
    shapes: Mapping[Shape, int]
    release: Op

    def joined(self, other: Seen) -> Seen:
        """Everything that either knows."""
        shapes = dict(self.shapes)
        for shape, tick in other.shapes.items():
            shapes[shape] = max(tick, shapes.get(shape, -1))
        newer = self if self.last >= other.last else other
        return Seen(newer.last, max(self.base, other.base), shapes, newer.release)


Known = Mapping[int, Seen]
"""What a program knows of others, by program number."""


@dataclass(frozen=True, slots=True)
class Moment:
    """When something happened: in which program, at which tick of it, and what that program knew of others by then."""

    program: int
    tick: int
    known: Known


class Order(Enum):
    """How two accesses of different programs stand to each other.

    UNFENCED: ordered, had the threads of the first program met in a barrier before it released.
    """

    ORDERED = "ordered"
    UNFENCED = "unfenced"
    NONE = "none"


def order(first: Moment, shape: Shape, wrote: bool, second: Moment) -> Order:
    """Whether `first`, an access of a tile of `shape` that ran earlier, happens before `second`.

    A read by all threads of one element counts as made by the thread that releases.
    """
    if first.program == second.program:
        return Order.ORDERED
    seen = second.known.get(first.program)
    if seen is None or seen.last < first.tick:
        return Order.NONE
    if first.tick < seen.base or seen.shapes.get(shape, -1) >= first.tick or (not shape and not wrote):
        return Order.ORDERED
    return Order.UNFENCED


@dataclass(slots=True)
class Clocks:
    """The clock of the program that runs now, and what each address has to tell to those who acquire it."""

    program: int = -1
    tick: int = 0
    base: int = 0
    known: Known = field(default_factory=dict)
    edges: bool = False
    """Whether any program ever learnt of another."""
    _told: dict[int, dict[int, Known]] = field(default_factory=dict)

    def now(self, program: int) -> Moment:
        """The present moment of a program; one that did not run just before starts afresh."""
        if program != self.program:
            self.program, self.tick, self.base, self.known = program, 0, 0, {}
        return Moment(program, self.tick, self.known)

    def barrier(self) -> None:
        """All threads of the program have met."""
        self.tick += 1
        self.base = self.tick

    def plain_store(self, storage: int, offsets: Array) -> None:
        """A store that is no atomic: whoever reads it learns nothing."""
        told = self._told.get(storage)
        if told:
            for offset in np.unique(offsets):
                told.pop(int(offset), None)

    def atomic(self, op: Atomic, storage: int, offsets: Array, wrote: Array, shape: Shape) -> None:
        """Atomic accesses at byte offsets; `wrote` tells which of them changed memory.

        Those of scope `cta` order nothing between programs. A read-modify-write goes on telling what was told before it,
        a store does not.
        """
        if isinstance(op, Store):
            self.plain_store(storage, offsets[wrote])
        if op.scope == "cta":
            self.plain_store(storage, offsets[wrote])
            return
        told = self._told.setdefault(storage, {})
        if op.sem in ACQUIRES:
            for known in {id(k): k for o in offsets if (k := told.get(int(o))) is not None}.values():
                self._learn(known)
        if op.sem in RELEASES and wrote.any():
            own = Seen(self.tick, self.base, {shape: self.tick}, op)
            news: Known = {**self.known, self.program: own}
            made: dict[int, Known] = {}
            for offset in offsets[wrote]:
                before = told.get(int(offset))
                key = id(before)
                if key not in made:
                    made[key] = news if before is None else _joined(before, news)
                told[int(offset)] = made[key]
            self.tick += 1

    def _learn(self, known: Known) -> None:
        known = {program: seen for program, seen in known.items() if program != self.program}
        if known:
            self.edges = True
            self.known = _joined(self.known, known)


def _joined(a: Known, b: Known) -> Known:
    out = dict(a)
    for program, seen in b.items():
        out[program] = seen if program not in out else out[program].joined(seen)
    return out
