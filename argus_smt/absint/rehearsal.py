"""A loop played through with a few numbers, to see at once that a guess about its carried values is wrong.

Nothing is believed because it passes here; a guess that fails is only not tried any further.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from argus_smt.absint.candidates import Trip
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.term import Term

STARTS = 40
"""Assignments that are tried, of which at most GOOD are used."""
GOOD = 12
TRIPS = 8
REPICKS = 12
"""So often the elements that a trip reads are made up anew, until they are what the signature states of them."""


@dataclass(slots=True)
class _World:
    """Numbers for all that the loop does not change, made up as they are asked for."""

    rng: random.Random
    bounds: Bounds
    names: dict[tuple[str, tuple[int, ...]], int] = field(default_factory=dict)
    cells: frozenset[str] = frozenset()
    """Functions that stand for index tensors, of which something is stated."""

    def read(self, node: Term, args: tuple[int, ...]) -> int:
        key = (node.data, args)
        if key not in self.names:
            self.names[key] = self._pick(node)
        return self.names[key]

    def _pick(self, node: Term) -> int:
        if node.sort is T.Sort.BOOL:
            return self.rng.randrange(2)
        low, high = self.bounds.of(node)
        if node.data in self.cells and self.rng.randrange(2):  # an element that equals another number is likely a fit
            fitting = [v for v in self.names.values() if (low is None or v >= low) and (high is None or v <= high)]
            if fitting:
                return self.rng.choice(fitting)
        if low is None and high is None:
            low, high = -4, 9
        elif low is None:
            assert high is not None
            low = high - 9
        elif high is None:
            high = low + 9
        top = min(high, max(low, 0) + self.rng.choice((1, 3, 9, 40)))
        return self.rng.randint(max(low, min(-2, top)), top)


def plausible(guesses: Sequence[Term], loop: Trip, before: Sequence[Term], bounds: Bounds, seed: int) -> list[Term]:
    """Guesses that no rehearsal refutes; `before` and `bounds` hold where the loop starts."""
    rng = random.Random(seed)
    kept = list(guesses)
    good = 0
    for _ in range(STARTS):
        world = _World(rng, bounds, cells=frozenset(a.data for f in loop.stated for a in f.apps))
        played = _play(world, kept, loop, before)
        if played is None:
            continue
        kept, good = played, good + 1
        if good == GOOD or not kept:
            break
    return kept


def _play(world: _World, guesses: list[Term], loop: Trip, before: Sequence[Term]) -> list[Term] | None:
    """Guesses that hold in each trip of one rehearsal; None if these numbers never get to the loop."""
    try:
        memo: dict[Term, int] = {}
        if not all(T.evaluate(f, world.read, memo) for f in before):
            return None
        now = {u.app: T.evaluate(u.start, world.read, memo) for u in loop.unknowns}
        for k in range(TRIPS):
            if not _fits(world, loop, {**now, loop.trip: k}):
                return guesses if k else None
            memo = {**now, loop.trip: k}
            guesses = [g for g in guesses if T.evaluate(g, world.read, memo)]
            if not all(T.evaluate(f, world.read, memo) for f in loop.path):
                return guesses
            following = (T.evaluate(t, world.read, memo) for t in loop.following)
            now = dict(zip(now, following, strict=True))
    except ZeroDivisionError:
        return guesses
    return guesses


def _fits(world: _World, loop: Trip, memo: dict[Term, int]) -> bool:
    """Whether the elements that a trip reads are what is stated of them, some of them made up anew until they are."""
    known = dict(world.names)
    for _ in range(REPICKS if loop.stated else 1):
        if all(T.evaluate(f, world.read, dict(memo)) for f in loop.stated):
            return True
        world.names = dict(known)
    return False
