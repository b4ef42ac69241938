"""Faults of padding seen in execution: a small launch is run twice, and what it stores depends on padding lanes.

For undefined lanes both runs give them other numbers; for a combination one run leaves padding out of it. A difference
counts only if it is far above rounding.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

import numpy as np

from argus_smt.interp.events import Access
from argus_smt.interp.formats import round_to
from argus_smt.interp.lanes import Array
from argus_smt.interp.memory import Memory
from argus_smt.interp.padding import Substitution
from argus_smt.interp.run import FAULTS, run_grid
from argus_smt.ir.launch import ScalarArg
from argus_smt.ir.ops import Const, Load, Op
from argus_smt.ir.types import FLOAT_BITS, elem_of, element
from argus_smt.ir.walk import walk
from argus_smt.prove import replay
from argus_smt.prove.context import Context
from argus_smt.prove.execution import small_launches
from argus_smt.prove.finding import Counterexample
from argus_smt.prove.scene import Inputs, arrange, followed
from argus_smt.smt.model import Model

SECONDS = 6.0
"""Wall-clock time for the runs of one question."""
STEPS = 20_000
MAX_PROGRAMS = 12
FILLS = ((3.0, -1000.0), (3.0, math.nan))
"""What undefined lanes hold in two runs; NaN, which integers do not have, is tried last."""
TOLERANCE = 0.02
NUMBERS = (0.5, 0.375)
"""Float arguments of which nothing is known."""
STYLES = ((0.0, 1.0), (-30.0, 1.0), (30.0, 1.0), (-300.0, 10.0))
"""Means and deviations of the numbers in float tensors: one after the other is tried."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One of two ways to run a launch: what is done about padding, and how far its memory is moved."""

    padding: Substitution | None = None
    shift: int = 0


@dataclass(frozen=True, slots=True)
class Difference:
    """What one live lane of a store holds in both runs, and the first padding lane concerned with what it holds."""

    counterexample: Counterexample
    padding: tuple[tuple[int, ...], float | int] | None


def left_out(context: Context, op: Op, accumulating: frozenset[int]) -> Difference | None:
    """A launch that stores something else if `op` leaves padding out."""
    ways = (False, True)
    return compared(context, lambda: [Variant(Substitution(op, skip=skip, accumulating=accumulating)) for skip in ways])


def nothing_left(context: Context, op: Op) -> Difference | None:
    """A launch that stores NaN, but would store a number if an infinity less the same infinity were 0.

    So it is where all that `op` combines holds infinite fill: no lane is left. Tensors hold finite numbers in these runs.
    """
    infinite = (
        isinstance(x, Const) and isinstance(x.value, float) and math.isinf(x.value) for x in walk(context.dom.case.kernel.body)
    )
    if not any(infinite):
        return None
    ways = (False, True)
    found = compared(context, lambda: [Variant(Substitution(op, settled=settled)) for settled in ways])
    return found if found is not None and found.counterexample.values["stored"] == "nan" else None


def undefined(context: Context, op: Load) -> Difference | None:
    """A launch that stores something else if the undefined lanes of a load hold other numbers."""
    for fills in FILLS[: 1 if elem_of(op.result.type).is_int else 2]:
        found = compared(context, partial(_filled, op, fills))
        if found is not None:
            return found
    return None


def _filled(op: Op, fills: Sequence[float]) -> list[Variant]:
    return [Variant(Substitution(op, fill=fill)) for fill in fills]


def compared(context: Context, variants: Callable[[], Sequence[Variant]]) -> Difference | None:
    """The first small launch found that stores different numbers in two variants."""
    stop = time.monotonic() + SECONDS
    for number, model in enumerate(chain(small_launches(context), small_launches(context, seed=1))):
        for style in STYLES if number % 4 == 3 else STYLES[:2]:
            if time.monotonic() > stop:
                return None
            found = [_compare(context, model, number, style, variants(), passed) for passed in _passed(context)]
            if all(x is not None for x in found):
                return found[0]
    return None


def _passed(context: Context) -> tuple[float, ...]:
    """What float arguments are whose number is not known: a fault is one for several of them."""
    return NUMBERS if any(_unknown(a) for a in context.dom.case.args) else NUMBERS[:1]


def _unknown(arg: object) -> bool:
    return isinstance(arg, ScalarArg) and arg.value is None and arg.number is None


def _compare(
    context: Context, model: Model, seed: int, style: tuple[float, float], variants: Sequence[Variant], passed: float
) -> Difference | None:
    grid = tuple(model.value(g) for g in context.dom.launch.grid)
    shape = (grid[0], grid[1], grid[2])
    runs: list[list[Access]] = []
    inputs: Inputs = ()
    for variant in variants:
        scene = arrange(context.dom, context.facts, model)
        if isinstance(scene, str):
            return None
        memory, inputs = scene
        memory.shift(variant.shift)
        _fill(context, memory, np.random.default_rng(seed), style)
        seen = _run(context, model, memory, shape, variant.padding, passed)
        if seen is None:
            return None
        runs.append(seen)
    left = variants[-1].padding.left_out if variants[-1].padding is not None else []
    return _difference(context, model, shape, runs, left, inputs)


def _fill(context: Context, memory: Memory, rng: np.random.Generator, style: tuple[float, float]) -> None:
    """Numbers for the float tensors that the host does not fill."""
    for s in context.dom.launch.storages:
        elem = element(s.dtype)
        if elem.name not in FLOAT_BITS or s.contents != "input" or elem.name == "f8e4m3b15":
            continue
        count = memory.region(s.ident).nbytes // elem.nbytes
        limit = 16.0 if elem.bits == 8 else 1e4
        numbers = np.clip(rng.normal(*style, size=count), -limit, limit)
        if count:
            memory.write_elements(s.ident, 0, round_to(numbers, elem))


def _run(
    context: Context, model: Model, memory: Memory, grid: tuple[int, int, int], substitution: Substitution | None,
    passed: float,
) -> list[Access] | None:  # fmt: skip
    """What the first programs store; None for a run that says nothing because something else goes wrong in it."""
    seen: list[Access] = []
    touched: set[int] = set()

    def note(access: Access) -> None:
        touched.add(access.storage)
        if access.kind != "load":
            seen.append(access)

    args = tuple(passed if _unknown(a) else replay.argument(a, model) for a in context.dom.case.args)
    programs = [(x, y, z) for z in range(grid[2]) for y in range(grid[1]) for x in range(grid[0])]
    chosen = programs if len(programs) <= MAX_PROGRAMS else [*programs[: MAX_PROGRAMS // 2], *programs[-MAX_PROGRAMS // 2 :]]
    trace = run_grid(
        context.dom.case.kernel, args, grid, memory, programs=chosen, on_access=note, step_limit=STEPS, padding=substitution
    )
    storages = {s.ident: s for s in context.dom.launch.storages}
    if not trace.complete or any(e.kind in FAULTS or e.kind in ("undef_used", "unsupported") for e in trace.events):
        return None
    return seen if all(followed(storages[ident], storages) for ident in touched) else None


def _difference(
    context: Context, model: Model, grid: tuple[int, int, int], runs: list[list[Access]],
    left: Sequence[tuple[tuple[int, int, int], tuple[int, ...], float | int]], inputs: Inputs,
) -> Difference | None:  # fmt: skip
    if len(runs[0]) != len(runs[1]):
        return None
    for a, b in zip(*runs, strict=True):
        if a.op is not b.op or a.program != b.program or not np.array_equal(a.active, b.active):
            return None
        apart = a.active & np.broadcast_to(_apart(np.asarray(a.values), np.asarray(b.values)), a.active.shape)
        if apart.any():
            lane = tuple(int(i) for i in np.unravel_index(int(np.argmax(apart)), apart.shape))
            pads = next(((at, value) for program, at, value in left if program == a.program), None)
            return Difference(_counterexample(context, model, grid, a, b, lane, inputs), pads)
    return None


def _apart(a: Array, b: Array) -> Array:
    """Where numbers differ by more than rounding can explain."""
    if a.dtype.kind in "iub":
        return np.asarray(a != b)
    x, y = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(all="ignore"):
        far = np.abs(x - y) > TOLERANCE * np.maximum(np.maximum(np.abs(x), np.abs(y)), 1e-3)
    return np.asarray((np.isnan(x) != np.isnan(y)) | (far & (x != y)))


def _counterexample(
    context: Context, model: Model, grid: tuple[int, int, int], a: Access, b: Access, lane: tuple[int, ...],
    inputs: Inputs,
) -> Counterexample:  # fmt: skip
    dom = context.dom
    storage = next(s for s in dom.launch.storages if s.ident == a.storage)
    numbers = [np.broadcast_to(np.asarray(x.values), a.active.shape)[lane].item() for x in (a, b)]
    values = replay.argument_values(dom, model)
    values |= {name: str(NUMBERS[0]) for name, arg in zip(dom.case.kernel.params, dom.case.args, strict=True) if _unknown(arg)}
    return Counterexample(
        shape=dom.symbols(context.program, model), program_id=a.program, grid=grid, element=lane, iteration=a.iteration,
        storage=storage.name, address=int(a.offsets[lane]), extent=model.value(storage.nbytes), access_bytes=a.size,
        values=values | {"stored": f"{numbers[0]:.6g}", "stored_otherwise": f"{numbers[1]:.6g}"}, inputs=inputs, replayed=True,
    )  # fmt: skip
