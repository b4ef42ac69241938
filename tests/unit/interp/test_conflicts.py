"""Conflicts of random runs, against happens-before as reachability in a graph of single accesses."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest

from argus_smt.interp.conflicts import Conflict, Watch
from argus_smt.interp.events import Access, Passed
from argus_smt.interp.hazards import duplicates, inside
from argus_smt.ir.ops import AtomicRMW, Block, Kernel, Load, Op, Store, Value
from argus_smt.ir.types import I32, Ptr, Tile
from argus_smt.source import Span

CELLS = 4
"""Words of memory; the last two are flags that only atomics and single stores touch."""
SHAPES = ((), (2,), (3,))
PTR = {shape: Value(100 + i, Tile(shape, Ptr(I32)) if shape else Ptr(I32)) for i, shape in enumerate(SHAPES)}
DATA = {shape: Value(200 + i, Tile(shape, I32) if shape else I32) for i, shape in enumerate(SHAPES)}


def operations() -> list[Op]:
    out: list[Op] = []
    for shape in SHAPES:
        out += [Load(Value(300 + len(out), DATA[shape].type), PTR[shape]), Store(PTR[shape], DATA[shape])]
    for sem, scope in (("acq_rel", "gpu"), ("acquire", "gpu"), ("release", "gpu"), ("relaxed", "gpu"), ("acq_rel", "cta")):
        out.append(AtomicRMW(Value(300 + len(out), I32), "xchg", PTR[()], DATA[()], None, sem, scope))
    return [type(op)(*(getattr(op, f) for f in op.__match_args__), span=Span("k.py", i)) for i, op in enumerate(out)]


OPS = operations()
KERNEL = Kernel("k", Block((), tuple(OPS)), ())


@dataclass(frozen=True)
class Step:
    """One access of one program; `barriers` it has passed before."""

    program: int
    op: Op
    cells: tuple[int, ...]
    values: tuple[int, ...]
    barriers: int

    @property
    def writes(self) -> bool:
        return not isinstance(self.op, Load)

    @property
    def atomic(self) -> bool:
        return isinstance(self.op, AtomicRMW)

    @property
    def shape(self) -> tuple[int, ...]:
        return () if self.atomic or (len(self.cells) == 1 and self.op.ptr is PTR[()]) else (len(self.cells),)

    def access(self) -> Access:
        at = np.array(self.cells, np.int64).reshape(self.shape) * 4
        raw = np.array(self.values, np.int32).reshape(-1, 1).view(np.uint8)
        kind = "atomic" if self.atomic else "store" if self.writes else "load"
        every = np.ones(len(self.cells), bool)
        stored = (raw, every) if kind == "store" else (None, None)
        return Access(
            self.op, kind, (self.program, 0, 0), (), 0, at, np.ones(self.shape, bool), 4, at, *stored,
            wrote=every if self.atomic else None, passed=Passed(self.barriers),
        )  # fmt: skip


def random_run(rng: random.Random) -> list[Step]:
    """Three programs of a few steps, interleaved."""
    queues = []
    for program in range(3):
        steps, barriers = [], 0
        for _ in range(rng.randrange(1, 6)):
            barriers += rng.random() < 0.4
            op = rng.choice(OPS)
            count = 1 if isinstance(op, AtomicRMW) else max(1, sum(shape_of(op)))
            cells = (rng.choice((2, 3)),) if isinstance(op, AtomicRMW) else tuple(rng.randrange(3) for _ in range(count))
            steps.append(Step(program, op, cells, tuple(rng.randrange(2) for _ in cells), barriers))
        queues.append(steps)
    out = []
    while any(queues):
        queue = rng.choice([q for q in queues if q])
        out.append(queue.pop(0))
    return out


def shape_of(op: Op) -> tuple[int, ...]:
    """The shape of the tile that a load or store moves."""
    return next(shape for shape, ptr in PTR.items() if ptr is op.ptr)


class Graph:
    """Happens-before of a run. Nodes are steps; `strict` leaves out edges that lack a barrier, an order or a scope."""

    def __init__(self, run: list[Step], strict: bool) -> None:
        self.run, self.strict = run, strict

    def before(self, a: int, b: int) -> bool:
        """Whether step a of another program is handed over, through whatever chain, before step b."""
        first, last = self.run[a], self.run[b]
        if first.program == last.program:
            return a < b
        return any(
            self.handed(a, r) and any(self.reads(r, s) and (s == b or self.reaches(s, b)) for s in range(r + 1, b + 1))
            for r in range(a, b)
            if self.run[r].program == first.program
        )

    def reaches(self, s: int, b: int) -> bool:
        """From an acquiring step on: later steps of its program, or of others that it releases to."""
        if self.run[s].program == self.run[b].program:
            return s < b
        return any(
            self.releases(r) and any(self.reads(r, t) and (t == b or self.reaches(t, b)) for t in range(r + 1, b + 1))
            for r in range(s, b)
            if self.run[r].program == self.run[s].program
        )

    def releases(self, r: int) -> bool:
        op = self.run[r].op
        return isinstance(op, AtomicRMW) and (not self.strict or (op.sem in ("release", "acq_rel") and op.scope != "cta"))

    def handed(self, a: int, r: int) -> bool:
        """Whether the atomic r of the same program hands over step a."""
        first, release = self.run[a], self.run[r]
        if not self.releases(r) or r < a or (r == a and not first.atomic):
            return False
        return not self.strict or first.barriers < release.barriers or not first.shape

    def reads(self, r: int, s: int) -> bool:
        """Whether step s of another program learns what was released at r: same cell, nothing else stored between."""
        op = self.run[s].op
        cell = self.run[r].cells[0]
        if not isinstance(op, AtomicRMW) or self.run[s].cells[0] != cell or self.run[s].program == self.run[r].program:
            return False
        between = self.run[r + 1 : s]
        if any(cell in x.cells and x.writes and not x.atomic for x in between):
            return False
        return not self.strict or (op.sem in ("acquire", "acq_rel") and op.scope != "cta")


def expected(run: list[Step]) -> dict[tuple[int, int], int]:
    """For each two operations that conflict between programs how bad it is: 0 differs, 1 same value, 2 ill handed over."""
    strict, meant = Graph(run, True), Graph(run, False)
    out: dict[tuple[int, int], int] = {}
    for (i, a), (j, b) in combinations(enumerate(run), 2):
        shared = set(a.cells) & set(b.cells)
        if a.program == b.program or not shared or not (a.writes or b.writes):
            continue
        if a.atomic and b.atomic and "cta" not in (a.op.scope, b.op.scope):
            continue
        if strict.before(i, j):
            continue
        key = (min(a.op.span.line, b.op.span.line), max(a.op.span.line, b.op.span.line))
        rank = 2
        if not meant.before(i, j):
            plain = a.writes and b.writes and not (a.atomic or b.atomic)
            left, right = (list(zip(s.cells, s.values, strict=True)) for s in (a, b))
            pairs = [(x, y) for c, x in left for d, y in right if c == d]
            rank = int(plain and all(x == y for x, y in pairs))
        out[key] = min(rank, out.get(key, 9))
    return out


def found(run: list[Step]) -> tuple[Watch, dict[tuple[int, int], int]]:
    watch = Watch(KERNEL, (3, 1, 1))
    for step in run:
        watch.note(step.access())
    out: dict[tuple[int, int], int] = {}
    for c in watch.between():
        key = (min(c.first.op.span.line, c.second.op.span.line), max(c.first.op.span.line, c.second.op.span.line))
        assert key not in out
        out[key] = 2 if c.kind == "hand_over" else int(c.same)
    return watch, out


@pytest.mark.parametrize("seed", range(400))
def test_between_programs(seed: int) -> None:
    run = random_run(random.Random(seed))
    _, got = found(run)
    assert got == expected(run), run


def test_the_runs_are_telling() -> None:
    """Each kind of answer occurs often."""
    ranks = [r for seed in range(400) for r in expected(random_run(random.Random(seed))).values()]
    assert all(ranks.count(r) > 30 for r in (0, 1, 2))


@pytest.mark.parametrize("seed", range(300))
def test_duplicate_lanes(seed: int) -> None:
    run = random_run(random.Random(seed))
    watch, _ = found(run)
    want: dict[int, bool] = {}
    for step in (s for s in run if isinstance(s.op, Store)):
        pairs = list(combinations(zip(step.cells, step.values, strict=True), 2))
        if any(a[0] == b[0] for a, b in pairs):
            differ = any(a[0] == b[0] and a[1] != b[1] for a, b in pairs)
            want[step.op.span.line] = want.get(step.op.span.line, True) and not differ
    assert {c.first.op.span.line: c.same for c in duplicates(watch)} == want


def meeting_threads(run: list[Step]) -> dict[int, set[tuple[int, int]]]:
    """Operations of each program of which different threads meet at one word with no barrier between."""
    out: dict[int, set[tuple[int, int]]] = {}
    for a, b in combinations(run, 2):
        apart = a.program != b.program or a.barriers != b.barriers or (a.atomic and b.atomic) or not (a.writes or b.writes)
        if apart:
            continue
        for i, c in enumerate(a.cells):
            for j, d in enumerate(b.cells):
                other = (i, len(a.cells)) != (j, len(b.cells)) or (a.writes and not b.writes and not b.shape)
                both_store = isinstance(a.op, Store) and isinstance(b.op, Store)
                if c == d and other and not (both_store and a.values[i] == b.values[j]):
                    out.setdefault(a.program, set()).add((a.op.span.line, b.op.span.line))
    return out


@pytest.mark.parametrize("seed", range(300))
def test_threads_of_a_program(seed: int) -> None:
    """Nothing that is not there, and something wherever loads and stores alone have something."""
    rng = random.Random(seed)
    run = [s for s in random_run(rng) if not s.atomic and s.program == 0]
    watch, _ = found(run)
    got = {(c.first.op.span.line, c.second.op.span.line) for c in inside(watch)}
    want = meeting_threads(run).get(0, set())
    assert got <= want
    once = len([s for s in run if isinstance(s.op, Store)]) < 2  # of several stores only the last is remembered
    assert got or not (want and once)


def conflict(*steps: Step) -> Conflict:
    watch, _ = found(list(steps))
    (one,) = watch.between()
    return one


def test_a_conflict_names_both_sides() -> None:
    load, store = OPS[2], OPS[3]
    one = conflict(Step(2, store, (1, 2), (5, 6), 0), Step(0, load, (0, 2), (0, 0), 0))
    assert (one.kind, one.address, one.storage) == ("read_write", 8, 0)
    assert (one.first.program, one.first.lane, one.first.kind) == ((2, 0, 0), (1,), "store")
    assert (one.second.program, one.second.lane, one.second.kind) == ((0, 0, 0), (1,), "load")


def test_partial_overlap_of_words() -> None:
    """Stores of words that begin two bytes apart share two bytes."""
    store = OPS[1]
    watch = Watch(KERNEL, (2, 1, 1))
    for program, start in ((0, 0), (1, 2)):
        raw = np.array([[1, 2, 3, 4]], np.uint8) + program
        at = np.array(start, np.int64)
        watch.note(Access(store, "store", (program, 0, 0), (), 0, at, np.ones((), bool), 4, at, raw, np.ones(1, bool)))
    (one,) = watch.between()
    assert (one.kind, one.same, one.address) == ("write_write", False, 2)
