"""Search by execution: small launches that meet the preconditions are simply run, and seen to fail or not.

What the solver could not decide, because a value of a loop or a reduction is only known roughly, often fails at once on small
numbers. A fault found here is a run of the launch as it is: nothing in it is guessed but its inputs.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from argus_smt.absint.values import PIDS
from argus_smt.interp.events import Access, Event
from argus_smt.ir.launch import PointerArg, ScalarArg, Storage
from argus_smt.ir.ops import Op
from argus_smt.ir.types import element
from argus_smt.prove import replay
from argus_smt.prove.context import Context, Run
from argus_smt.prove.scene import followed
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.model import Model
from argus_smt.smt.solver import range_facts
from argus_smt.smt.term import Term

SECONDS = 1.5
"""Wall-clock time for all runs of one case."""
STEPS = 5_000
MAX_RUNS = 60
MAX_PROGRAMS = 4
MAX_BYTES = 1 << 20
MAX_ELEMENTS = 256
TRIES = 400
SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 31, 33, 64, 65, 100, 129, 257, 1025)


@dataclass(frozen=True, slots=True)
class Hit:
    """A run in which `event` refutes a duty."""

    model: Model
    run: replay.Replay
    event: Event


def find(context: Context, code: str, op: Op) -> Hit | None:
    """The first run found in which `op` fails in the way of `code`; runs of a case are made as needed, and kept."""
    if context.runs is None:
        context.runs = []
        context.more_runs = _runs(context)
    for done in context.runs:
        if (hit := _hit(done, code, op)) is not None:
            return hit
    for done in context.more_runs:
        context.runs.append(done)
        if (hit := _hit(done, code, op)) is not None:
            return hit
    return None


def _hit(done: Run, code: str, op: Op) -> Hit | None:
    event = replay.event_of(done.replay, code, op)
    if event is None or event.source is not None:
        return None
    return Hit(done.model, done.replay, event)


def _runs(context: Context) -> Iterator[Run]:
    """Runs on small launches, smallest first, for SECONDS in all."""
    if _numbers_missing(context):
        return
    started, left = time.monotonic(), SECONDS
    rng = random.Random(len(context.dom.facts))
    sizes = sorted(_launches(context, rng), key=lambda m: sum(abs(v) for v in m.values()))
    for values in islice(sizes, MAX_RUNS):
        for program in _programs(context, values, rng):
            for attempt in range(2 if context.facts.contents else 1):
                if time.monotonic() - started > left:
                    return
                model = Model({**values, **program}, _contents(context, Model(values), rng, ends=attempt == 0))
                done = _run(context, model)
                if done is not None:
                    left -= time.monotonic() - started
                    yield Run(model, done)
                    started = time.monotonic()


def small_launches(context: Context, seed: int = 0) -> Iterator[Model]:
    """Launches that meet the conditions of the case, smallest first, with contents for its index tensors.

    Nothing is said of float arguments.
    """
    if _numbers_missing(context, floats=False):
        return
    rng = random.Random(len(context.dom.facts) + seed)
    for values in islice(sorted(_launches(context, rng), key=lambda m: sum(abs(v) for v in m.values())), MAX_RUNS):
        yield Model(values, _contents(context, Model(values), rng, ends=False))


def _numbers_missing(context: Context, floats: bool = True) -> bool:
    """Whether a launch depends on something that no number here stands for."""
    launch, case = context.dom.launch, context.dom.case
    if any(c.source == "opaque" for c in (*launch.path, *case.condition)):
        return True
    if any(s.kind in ("unfollowed", "data") for s in context.program.symbols):
        return True
    if any(t.op == "bvar" for f in context.dom.facts for t in f.free):
        return True
    return floats and any(isinstance(a, ScalarArg) and a.value is None and a.number is None for a in case.args)


# ---------------------------------------------------------------- numbers


def _launches(context: Context, rng: random.Random) -> Iterator[dict[str, int]]:
    """Values of the launch's symbols that meet the conditions of the case and keep its tensors small."""
    dom = context.dom
    facts = [f for f in dom.facts if not any(p in f.free for p in PIDS)]
    names = sorted(launch_symbols(context), key=lambda v: v.ident)
    conditions = [*facts, *range_facts([*facts, *(T.ge(n, n) for n in names)], dom.bounds)]
    seen: set[tuple[int, ...]] = set()
    stop = time.monotonic() + SECONDS / 3
    for attempt in range(TRIES):
        if time.monotonic() > stop:
            return
        top = 4 + attempt * len(SIZES) // TRIES  # smallest sizes first
        values = {n.data: _pick(n, dom.bounds, rng, top) for n in names}
        point = tuple(values.values())
        model = Model(values)
        if point not in seen and model.satisfies(conditions) and _small(context, model):
            seen.add(point)
            yield values


def launch_symbols(context: Context) -> set[Term]:
    """Symbols on which the sizes, the arguments and the conditions of the case depend."""
    launch, case = context.dom.launch, context.dom.case
    terms: list[Term] = [*context.dom.facts, *launch.grid]
    for s in launch.storages:
        terms += [s.nbytes, *s.shape, *s.strides]
        terms += [t for t in (s.facts.lower, s.facts.upper) if t is not None] if s.facts is not None else []
    for a in case.args:
        if isinstance(a, PointerArg):
            terms += [a.offset, *a.shape, *a.strides]
        elif a.value is not None:
            terms.append(a.value)
    return {v for t in terms for v in t.free if v.op == "var" and v not in PIDS}


def _pick(name: Term, bounds: Bounds, rng: random.Random, top: int) -> int:
    low, high = bounds.of(name)
    base = low if low is not None else -2 if high is None else min(high, -2)
    value = base + SIZES[rng.randrange(min(top, len(SIZES)))]
    return value if high is None else min(value, high)


def _small(context: Context, model: Model) -> bool:
    try:
        sizes = [model.value(s.nbytes) for s in context.dom.launch.storages]
        grid = [model.value(g) for g in context.dom.launch.grid]
    except ZeroDivisionError:
        return False
    return all(n >= 0 for n in sizes) and sum(sizes) <= MAX_BYTES and all(g >= 1 for g in grid)


def _programs(context: Context, values: dict[str, int], rng: random.Random) -> list[dict[str, int]]:
    """Program ids to run: the first, the last, and a few between."""
    grid = [Model(values).value(g) for g in context.dom.launch.grid]
    ids = [tuple(0 for _ in grid), tuple(g - 1 for g in grid)]
    ids += [tuple(rng.randrange(g) for g in grid) for _ in range(MAX_PROGRAMS - 2)]
    return [{p.data: n for p, n in zip(PIDS, one, strict=True)} for one in dict.fromkeys(ids)]


# ---------------------------------------------------------------- contents


def _contents(context: Context, sizes: Model, rng: random.Random, ends: bool) -> dict[tuple[str, tuple[int, ...]], int]:
    """Numbers for the integer tensors that the kernel reads, within what is stated of them."""
    storages = {s.ident: s for s in context.dom.launch.storages}
    out: dict[tuple[str, tuple[int, ...]], int] = {}
    for name, (ident, dtype) in context.facts.contents.items():
        storage, size = storages[ident], element(dtype).nbytes
        if storage.contents != "input" or element(storage.dtype).name != dtype:
            continue
        places = range(min(sizes.value(storage.nbytes) // size, MAX_ELEMENTS))
        if places and _ordered(storage):  # one element, and the others as the statements about them want it
            places = range(0) if ends else range(at := rng.choice(places), at + 1)
        for i in places:
            out[name, (i * size,)] = _element(storage, sizes, rng, ends)
    return out


def _element(storage: Storage, sizes: Model, rng: random.Random, ends: bool) -> int:
    bits, facts = element(storage.dtype).bits, storage.facts
    if facts is not None and facts.values:
        return rng.choice(facts.values)
    least = 0 if storage.dtype.startswith("u") else max(-(1 << (bits - 1)), -3)
    low = sizes.value(facts.lower) if facts is not None and facts.lower is not None else least
    high = sizes.value(facts.upper) if facts is not None and facts.upper is not None else max(low, 0) + 9
    high = max(low, min(high, (1 << (bits - 1)) - 1))
    if ends:
        return rng.choice((low, high))
    return rng.randint(low, high)


def _ordered(storage: Storage) -> bool:
    """Whether more is stated of the contents than a range."""
    f = storage.facts
    return f is not None and (f.distinct or f.nondecreasing or any((f.distinct_except, f.steps, f.covering, f.elements)))


def _run(context: Context, model: Model) -> replay.Replay | None:
    """A run, if all that it touches is what a real launch may hold."""
    touched: dict[int, set[int]] = {}

    def seen(access: Access) -> None:
        read = touched.setdefault(access.storage, set())
        if access.kind == "load":
            read.update(int(b) for b in access.offsets[access.active].flat)

    done = replay.run(context.dom, context.facts, model, seen, STEPS)
    if done.trace is None:
        return None
    storages = {s.ident: s for s in context.dom.launch.storages}
    for s in storages.values():
        if s.ident in touched and not followed(s, storages):
            return None
    items = {s.name: (touched.get(s.ident, set()), element(s.dtype).nbytes) for s in context.dom.launch.storages}
    shown = tuple(x for x in done.inputs if x[1] * items[x[0]][1] in items[x[0]][0])
    return replace(done, inputs=shown)
