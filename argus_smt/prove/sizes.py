"""Small launches of a case: sizes at the edges of its blocks, strides of tensors that are dense or padded.

What goes wrong between programs shows where a tensor ends just before, at or after the end of a block, and where the grid
has more than one program along each axis.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from argus_smt.absint.values import PIDS
from argus_smt.ir.launch import Case
from argus_smt.ir.ops import Range
from argus_smt.ir.types import shape_of
from argus_smt.ir.walk import walk
from argus_smt.prove.context import Context
from argus_smt.prove.execution import launch_symbols
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.model import Model
from argus_smt.smt.solver import range_facts
from argus_smt.smt.term import Term

TRIES = 600
SECONDS = 0.6
"""Time of the processor to look for launches."""
MAX_PROGRAMS = 600
MAX_BYTES = 1 << 20
LARGEST_BLOCK = 4096
SMALL = (1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17, 23, 33)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Values of all symbols of the program, and the grid of the launch under them."""

    values: Mapping[str, int]
    grid: tuple[int, int, int]


def small_launches(context: Context, rng: Random) -> list[Sizes]:
    """Launches that meet the conditions of the case, the most telling first; empty if none were found."""
    dom = context.dom
    facts = [f for f in dom.facts if not any(p in f.free for p in PIDS)]
    declared = {T.var(s.name) for s in context.program.symbols} - set(dom.restore)
    names = sorted(launch_symbols(context) | declared, key=lambda v: v.ident)
    conditions = [*facts, *range_facts([*facts, *(T.ge(n, n) for n in names)], dom.bounds)]
    numbers = _numbers(context)
    found: dict[tuple[int, ...], Sizes] = {}
    stop = time.process_time() + SECONDS
    for attempt in range(TRIES):
        if time.process_time() > stop:
            break
        few = numbers[: 6 + attempt * len(numbers) // TRIES]
        values = {n.data: _pick(n, dom.bounds, few, rng) for n in names}
        values |= dict(_strides(context, values, rng, padded=attempt % 3))
        model = Model(values)
        if model.satisfies(conditions) and (one := _launch(context, model)) is not None:
            found.setdefault(tuple(one.values.values()), one)
    return sorted(found.values(), key=lambda s: _rank(context, s))


def _rank(context: Context, s: Sizes) -> tuple[int, int]:
    """Grids with several programs along every axis that may have them come first, small ones before large ones."""
    lonely = sum(n < 2 and not g.is_const for n, g in zip(s.grid, context.dom.launch.grid, strict=True))
    strides = {x.name for x in context.program.symbols if x.kind == "stride"}
    sizes = sum(abs(v) for name, v in s.values.items() if name not in strides)
    return lonely, sizes // 8 + s.grid[0] * s.grid[1] * s.grid[2]


def _numbers(context: Context) -> list[int]:
    """Sizes worth trying: small ones, and those around multiples of the blocks that the kernel works in."""
    blocks = dict.fromkeys(_blocks(context.dom.case))
    mine = context.program.launches[context.index]
    for other in (x for x in context.program.launches if x.group == mine.group and x is not mine):
        blocks |= dict.fromkeys(b for case in other.cases[:1] for b in _blocks(case))
    counts = [g.value for g in context.dom.launch.grid if g.is_const and 1 < g.value <= 64]
    out: dict[int, None] = {}
    for b in sorted(b for b in blocks if 1 < b <= LARGEST_BLOCK):
        out |= dict.fromkeys((b + 1, 2 * b + 1, b, b - 1, 2 * b, 3 * b - 1))
        out |= dict.fromkeys(c * b + 1 for c in counts)
    return list(dict.fromkeys((*(n for t in zip(SMALL, [*out, *SMALL], strict=False) for n in t), *out, *SMALL)))


def _blocks(case: Case) -> Iterator[int]:
    """Extents of tiles that a kernel counts through, and numbers that it is compiled with."""
    for op in walk(case.kernel.body):
        if isinstance(op, Range):
            yield op.end - op.start
            yield from shape_of(op.result.type)
    yield from (int(text) for _, text in case.values if text.isdigit())


def _pick(name: Term, bounds: Bounds, numbers: Sequence[int], rng: Random) -> int:
    """A value of a symbol within its bounds: one of the numbers, or near one of its ends."""
    low, high = bounds.of(name)
    fitting = [n for n in numbers if (low is None or low <= n) and (high is None or n <= high)]
    ends = [low + k for k in (0, 1, 2, 4) if high is None or low + k <= high] if low is not None else [-1, 0]
    ends += [high - k for k in (0, 1) if low is None or low <= high - k] if high is not None and high < 1 << 12 else []
    if fitting and rng.random() < 0.8:
        return rng.choice(fitting)
    return rng.choice(ends) if ends else 0


def _strides(context: Context, values: Mapping[str, int], rng: Random, padded: int) -> Iterator[tuple[str, int]]:
    """Strides that are symbols of their own: tensors without gaps, with padded rows, or with padding everywhere."""
    chosen = dict(values)
    strides = {s.name for s in context.program.symbols if s.kind == "stride"}
    for s in context.dom.launch.storages:
        running = 1
        for size, stride in reversed(list(zip(s.shape, s.strides, strict=True))):
            if stride.op == "var" and stride.data in strides:
                gap = rng.choice((1, 2, 3)) if padded == 2 or (padded and running > 1) else 0
                chosen[stride.data] = running + gap
                yield stride.data, running + gap
            try:
                sizes = Model(chosen)
                running = max(1, sizes.value(stride)) * max(1, sizes.value(size))
            except ZeroDivisionError:
                break


def _launch(context: Context, model: Model) -> Sizes | None:
    """The launch under a model of the case, if it is small."""
    dom = context.dom
    try:
        nbytes = [model.value(s.nbytes) for s in dom.launch.storages]
        x, y, z = (model.value(g) for g in dom.launch.grid)
        values = {s.name: model.value(dom.restore.get(T.var(s.name), T.var(s.name))) for s in context.program.symbols}
    except ZeroDivisionError:
        return None
    fits = all(n >= 0 for n in nbytes) and sum(nbytes) <= MAX_BYTES
    return Sizes(values, (x, y, z)) if fits and min(x, y, z) >= 1 and x * y * z <= MAX_PROGRAMS else None
