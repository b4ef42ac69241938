"""Happens-before between the programs of one run: vector clocks that atomics carry from release to acquire.

The classical construction (Fidge and Mattern; for data races FastTrack, Flanagan and Freund 2009), with one addition: an
edge is kept twice, as far as it holds, and as far as the author of the kernel will have meant it. A release orders what its
own thread did before it. A program has many threads: what the others did is only ordered if they all met in a barrier before
the release. And an atomic of one element that is relaxed, or whose scope is the program alone, hands over nothing, but will
have been meant to.
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
    """What is known of the past of another program: all up to its tick `last` was meant to be handed over.

    What it did before tick `base` was, all of its threads having met in a barrier. `shapes`: up to which tick accesses of a
    shape were, because the same lanes made the release. `guard` is the atomic at which something is amiss where it was not.
    """

    last: int
    base: int
    shapes: Mapping[Shape, int]
    guard: Op

    def joined(self, other: Seen) -> Seen:
        """Everything that either knows."""
        shapes = dict(self.shapes)
        for shape, tick in other.shapes.items():
            shapes[shape] = max(tick, shapes.get(shape, -1))
        newer = self if self.last >= other.last else other
        return Seen(newer.last, max(self.base, other.base), shapes, newer.guard)

    def only_meant(self, guard: Op) -> Seen:
        """The same, handed over by an atomic that does not order."""
        return Seen(self.last, 0, {}, guard)


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

    MEANT: ordered, had the threads of the first program met in a barrier before it released, and were the atomics between
    the two acquiring and releasing ones of a wide enough scope.
    """

    ORDERED = "ordered"
    MEANT = "meant"
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
    own = max(seen.shapes.values(), default=-1) if not shape and not wrote else seen.shapes.get(shape, -1)
    return Order.ORDERED if first.tick < seen.base or first.tick <= own else Order.MEANT


@dataclass(slots=True)
class _Clock:
    """Where a program is: its tick, the tick at which its threads last met, and what it knows of others."""

    tick: int = 0
    base: int = 0
    known: Known = field(default_factory=dict)


@dataclass(slots=True)
class Clocks:
    """The clocks of all programs, and what each address has to tell to those who acquire it.

    `now` chooses the program that the other methods speak of.
    """

    program: int = -1
    edges: bool = False
    """Whether any program ever learnt of another."""
    _of: dict[int, _Clock] = field(default_factory=dict)
    _told: dict[int, dict[int, Known]] = field(default_factory=dict)

    def now(self, program: int) -> Moment:
        """The present moment of a program."""
        self.program = program
        clock = self._of.setdefault(program, _Clock())
        return Moment(program, clock.tick, clock.known)

    def barrier(self) -> None:
        """All threads of the program have met."""
        clock = self._of[self.program]
        clock.tick += 1
        clock.base = clock.tick

    def plain_store(self, storage: int, offsets: Array) -> None:
        """A store that is no atomic: whoever reads it learns nothing."""
        told = self._told.get(storage)
        if told:
            for offset in np.unique(offsets):
                told.pop(int(offset), None)

    def atomic(self, op: Atomic, storage: int, offsets: Array, wrote: Array, shape: Shape) -> None:
        """Atomic accesses at byte offsets; `wrote` tells which of them changed memory.

        A read-modify-write goes on telling what was told before it, a store does not.
        """
        if isinstance(op, Store):
            self.plain_store(storage, offsets[wrote])
        told = self._told.setdefault(storage, {})
        narrow = op.scope == "cta"
        acquires, releases = op.sem in ACQUIRES and not narrow, op.sem in RELEASES and not narrow
        if acquires or not shape:
            for known in {id(k): k for o in offsets if (k := told.get(int(o))) is not None}.values():
                self._learn(known if acquires else {p: s.only_meant(op) for p, s in known.items()})
        if not wrote.any() or not (releases or not shape):
            return
        clock = self._of[self.program]
        own = Seen(clock.tick, clock.base, {shape: clock.tick}, op)
        news: Known = {**clock.known, self.program: own}
        if not releases:
            news = {p: s.only_meant(op) for p, s in news.items()}
        made: dict[int, Known] = {}
        for offset in offsets[wrote]:
            before = told.get(int(offset))
            key = id(before)
            if key not in made:
                made[key] = news if before is None else _joined(before, news)
            told[int(offset)] = made[key]
        clock.tick += 1

    def _learn(self, known: Known) -> None:
        known = {program: seen for program, seen in known.items() if program != self.program}
        if known:
            self.edges = True
            clock = self._of[self.program]
            clock.known = _joined(clock.known, known)


def _joined(a: Known, b: Known) -> Known:
    out = dict(a)
    for program, seen in b.items():
        out[program] = seen if program not in out else out[program].joined(seen)
    return out
