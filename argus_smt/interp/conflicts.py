"""Conflicts of one launch that was run: what its programs, and the lanes of each, do to one byte without an order.

Pure bookkeeping on NumPy arrays over the accesses of a run, no solver. It judges the run that it was shown: a race that is
reported is one that happens-before leaves unordered in a real execution, since programs that run one after the other are one
of the schedules that the machine may choose. Other schedules may hold more races; show it the programs in another order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import gcd

import numpy as np

from argus_smt.interp.clocks import Clocks, Moment, Order, order
from argus_smt.interp.events import Access
from argus_smt.interp.lanes import Array
from argus_smt.ir.ops import AtomicCAS, AtomicRMW, Kernel, Load, Op, Store
from argus_smt.ir.types import shape_of
from argus_smt.ir.walk import blocks, operands, walk

MAX_LANES = 6_000_000
"""Lanes of one run that are remembered."""
SAMPLED = 64
"""Places of two operations that are looked at one by one where they meet at more."""
PAIRS = 256


@dataclass(frozen=True, slots=True)
class Touch:
    """One lane of one execution of an operation; `lane` is its index in the tile, `kind` load, store or atomic."""

    op: Op
    kind: str
    program: tuple[int, int, int]
    lane: tuple[int, ...]
    iteration: tuple[int, ...]
    address: int
    size: int


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two touches of byte `address` of a storage, in the order in which they ran.

    `kind`: `write_write` and `read_write` between programs (an atomic counts as a write whether it changed memory or not);
    `lanes` of one store; `inside` a program, between threads; `hand_over` between programs that atomics were meant to order,
    where it is `guard` that does not do so. `same`: both are stores of the same value, or of values that are not known to
    differ.
    """

    kind: str
    storage: int
    address: int
    first: Touch
    second: Touch
    same: bool = False
    guard: Op | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Noted:
    """Lanes of an access, flat: `at` their byte offsets, `lanes` their numbers in the tile in row-major order.

    `atomic`: it does not race with other atomics.
    """

    access: Access
    at: Array
    lanes: Array
    writes: bool
    atomic: bool
    program: int
    moment: Moment

    @property
    def shape(self) -> tuple[int, ...]:
        return _shape(self.access)

    def touch(self, position: int) -> Touch:
        """The lane at a position of `at`."""
        a = self.access
        lane = tuple(int(i) for i in np.unravel_index(int(self.lanes[position]), a.active.shape)) if a.active.shape else ()
        return Touch(a.op, a.kind, a.program, lane, a.iteration, int(self.at[position]), a.size)

    def byte(self, position: int, address: int) -> int | None:
        """What it stores at an address that the lane covers; None if that is not known."""
        raw, defined = self.access.raw, self.access.defined
        if raw is None or defined is None or not defined[position]:
            return None
        return int(raw[position, address - int(self.at[position])])


@dataclass(slots=True)
class Watch:
    """Remembers the accesses of one launch of `kernel`: hand `note` to its run as `on_access`."""

    kernel: Kernel
    grid: tuple[int, int, int]
    noted: dict[int, list[Noted]] = field(default_factory=dict)
    """By storage, in the order of the run."""
    clocks: Clocks = field(default_factory=Clocks)
    full: bool = False
    """Whether accesses were left out for their number."""
    _count: int = 0
    _barriers: dict[int, int] = field(default_factory=dict)
    _used: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        body = self.kernel.body
        ends = [b.yields for op in walk(body) for b in blocks(op)]
        self._used = frozenset(v.number for vs in (*(operands(op) for op in walk(body)), *ends) for v in vs)

    def note(self, access: Access) -> None:
        """One access, in the order of the run."""
        x, y, z = access.program
        program = x + self.grid[0] * (y + self.grid[1] * z)
        moment = self.clocks.now(program)
        if access.passed.barriers != self._barriers.get(program, 0):
            self._barriers[program] = access.passed.barriers
            self.clocks.barrier()
            moment = self.clocks.now(program)
        self._count += access.active.size
        self.full = self.full or self._count > MAX_LANES
        if self.full:
            return
        lanes = np.flatnonzero(access.active)
        at = access.offsets.reshape(-1)[lanes]
        op, ordered = access.op, _is_atomic(access)
        wrote = access.wrote if access.wrote is not None else np.full(at.shape, access.kind == "store")
        if ordered and isinstance(op, AtomicRMW | AtomicCAS | Load | Store) and op.sem:
            self.clocks.atomic(op, access.storage, at, wrote, _shape(access))
            moment = Moment(program, moment.tick, self.clocks.now(program).known)  # after what it acquires
            if isinstance(op, AtomicRMW | AtomicCAS) and not shape_of(op.result.type) and op.result.number in self._used:
                self.clocks.barrier()  # its result reaches all threads through shared memory, behind a barrier
        elif access.kind == "store":
            self.clocks.plain_store(access.storage, at)
        for part, writes in ((wrote, True), (~wrote, False)):
            if part.any():
                one = Noted(access, at[part], lanes[part], writes, ordered, program, moment)
                self.noted.setdefault(access.storage, []).append(one)

    def between(self) -> Iterator[Conflict]:
        """Conflicts between programs: of each two operations the worst that is found, and the best shown."""
        for storage, noted in self.noted.items():
            if any(n.writes for n in noted):
                yield from _Meetings(storage, noted).conflicts(self.clocks.edges)

    def written(self, storage: int) -> Array:
        """Bytes of a storage that some program stored to or changed by an atomic, each once, ascending."""
        parts = [_bytes(n).reshape(-1) for n in self.noted.get(storage, ()) if n.writes]
        return np.unique(np.concatenate(parts)) if parts else np.zeros(0, np.int64)

    def read(self, storage: int) -> bool:
        """Whether any lane read from a storage, atomics included."""
        return any(not n.writes or isinstance(n.access.op, AtomicRMW | AtomicCAS) for n in self.noted.get(storage, ()))


def _shape(access: Access) -> tuple[int, ...]:
    """The shape of the tile; a tile of one element is one."""
    return () if access.active.size == 1 else tuple(access.active.shape)


def _is_atomic(access: Access) -> bool:
    """Whether an access races with no atomic: atomics, and volatile loads, which the hardware treats like relaxed ones."""
    op = access.op
    return access.kind == "atomic" or (isinstance(op, Load | Store) and bool(op.sem)) or (isinstance(op, Load) and op.volatile)


def _bytes(n: Noted) -> Array:
    return np.asarray(n.at[:, None] + np.arange(n.access.size, dtype=np.int64))


def unit_of(noted: Sequence[Noted], base: int = 0) -> int:
    """The largest number of bytes of which all accesses are whole multiples, counted from `base`."""
    unit = 0
    for n in noted:
        unit = gcd(unit, n.access.size, int(np.gcd.reduce(n.at - base)))
    return unit


def same_value(a: Noted, i: int, b: Noted, j: int, address: int, count: int) -> bool:
    """Whether two lanes are not known to store different things in the `count` bytes from an address on that both cover."""
    if not (a.access.kind == b.access.kind == "store"):
        return False
    pairs = [(a.byte(i, address + k), b.byte(j, address + k)) for k in range(count)]
    return all(x is None or y is None or x == y for x, y in pairs)


# ---------------------------------------------------------------- between programs


@dataclass(slots=True)
class _Site:
    """What one operation does to a storage, all programs together, in places of `unit` bytes from byte `base` on."""

    noted: list[Noted]
    base: int
    unit: int
    low: Array
    high: Array
    """Least and greatest number of a program that touches each place; -1 for none."""
    _index: tuple[Array, Array, Array] | None = None

    def touches(self, place: int) -> list[tuple[Noted, int]]:
        """The lanes that touch a place, and what they belong to."""
        if self._index is None:
            count = self.noted[0].access.size // self.unit
            firsts = np.concatenate([(n.at - self.base) // self.unit for n in self.noted])
            which = np.concatenate([np.full(n.at.size, i) for i, n in enumerate(self.noted)])
            position = np.concatenate([np.arange(n.at.size) for n in self.noted])
            places = (firsts[:, None] + np.arange(count)).reshape(-1)
            by_place = np.argsort(places, kind="stable")
            self._index = places[by_place], np.repeat(which, count)[by_place], np.repeat(position, count)[by_place]
        places, which, position = self._index
        start, stop = np.searchsorted(places, (place, place + 1))
        return [(self.noted[int(which[i])], int(position[i])) for i in range(start, stop)]


class _Meetings:
    """Where programs meet in one storage."""

    def __init__(self, storage: int, noted: list[Noted]) -> None:
        self.storage = storage
        self.order = {id(n): i for i, n in enumerate(noted)}
        offsets = np.concatenate([n.at for n in noted])
        self.base, top = int(offsets.min()), int(offsets.max())
        self.unit = unit = unit_of(noted, self.base)
        groups: dict[tuple[int, bool], list[Noted]] = {}
        for n in noted:
            groups.setdefault((id(n.access.op), n.writes), []).append(n)
        places = (top - self.base) // unit + max(n.access.size for n in noted) // unit
        self.sites = [self._site(g, places) for g in groups.values()]

    def _site(self, noted: list[Noted], places: int) -> _Site:
        low, high = np.full(places, -1, np.int64), np.full(places, -1, np.int64)
        for n in noted:
            first = (n.at - self.base) // self.unit
            for k in range(n.access.size // self.unit):
                at = first + k
                low[at] = np.where(low[at] < 0, n.program, np.minimum(low[at], n.program))
                high[at] = np.maximum(high[at], n.program)
        return _Site(noted, self.base, self.unit, low, high)

    def conflicts(self, edges: bool) -> Iterator[Conflict]:
        """`edges`: whether atomics order anything here, so that each pair must be looked at."""
        for i, a in enumerate(self.sites):
            for b in self.sites[i:]:
                if not (a.noted[0].writes or b.noted[0].writes) or _both_atomic(a.noted[0], b.noted[0]):
                    continue
                met = (a.low >= 0) & (b.low >= 0) & ~((a.low == a.high) & (b.low == b.high) & (a.low == b.low))
                places = np.flatnonzero(met)
                if places.size:
                    found = self._worst(a, b, _sample(places, SAMPLED * 8 if edges else SAMPLED))
                    if found is not None:
                        yield found

    def _worst(self, a: _Site, b: _Site, places: Array) -> Conflict | None:
        """An unordered pair if there is one, with different values if there is one; else one that lacks a barrier."""
        best: tuple[int, Conflict] | None = None
        for place in places:
            for first, second in self._pairs(a, b, int(place)):
                found = self._conflict(first, second, int(place))
                if found is None:
                    continue
                rank = 2 if found.kind == "hand_over" else int(found.same)
                if rank == 0:
                    return found
                if best is None or rank < best[0]:
                    best = rank, found
        return None if best is None else best[1]

    def _pairs(self, a: _Site, b: _Site, place: int) -> Iterator[tuple[tuple[Noted, int], tuple[Noted, int]]]:
        left, right = a.touches(place), b.touches(place)
        count = 0
        for x in left:
            for y in right:
                if x[0].program != y[0].program:
                    count += 1
                    if count > PAIRS:
                        return
                    yield (x, y) if self.order[id(x[0])] < self.order[id(y[0])] else (y, x)

    def _conflict(self, first: tuple[Noted, int], second: tuple[Noted, int], place: int) -> Conflict | None:
        (a, i), (b, j) = first, second
        stand = order(a.moment, a.shape, a.writes, b.moment)
        if stand is Order.ORDERED:
            return None
        address = self.base + place * self.unit
        if stand is Order.MEANT:
            guard = b.moment.known[a.program].guard
            return Conflict("hand_over", self.storage, address, a.touch(i), b.touch(j), guard=guard)
        kind = "read_write" if "load" in (a.access.kind, b.access.kind) else "write_write"
        same = same_value(a, i, b, j, address, self.unit)
        return Conflict(kind, self.storage, address, a.touch(i), b.touch(j), same)


def _both_atomic(a: Noted, b: Noted) -> bool:
    """Whether two accesses are atomic to each other; those of scope `cta` are not so between programs."""
    narrow = any(getattr(n.access.op, "scope", "") == "cta" for n in (a, b))
    return a.atomic and b.atomic and not narrow


def _sample(places: Array, count: int) -> Array:
    """At most `count` of the places, evenly spread."""
    if places.size <= count:
        return places
    return np.asarray(places[np.linspace(0, places.size - 1, count).astype(np.int64)])
