"""The abstract interpreter: one pass over a kernel in one case, giving the facts that duties are made from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from typing_extensions import assert_never

from argus_smt.absint import control, integers, memory, promises, shapes, tilewide
from argus_smt.absint.facts import Facts, Lost
from argus_smt.absint.reach import written
from argus_smt.absint.state import State, argument, never, silent
from argus_smt.absint.values import COORDS, PIDS, AbsValue, FloatV, IntV
from argus_smt.ir import ops as I
from argus_smt.ir.launch import Case, Launch
from argus_smt.ir.types import shape_of
from argus_smt.ir.walk import results, walk
from argus_smt.smt.interval import Bounds
from argus_smt.smt.term import Term

Ask = Callable[[Sequence[Term], Term, Bounds], bool]
Stated = Callable[[Iterable[Term]], list[Term]]

MAX_GRID = (1 << 31) - 1
"""Most programs along one axis of a grid that any target launches."""


def analyze(
    launch: Launch, case: Case, bounds: Bounds, domain: tuple[Term, ...], ask: Ask = never, stated: Stated = silent
) -> Facts:
    """Facts of `case.kernel`; `domain` holds at entry and `bounds` are the intervals that it implies.

    `ask(facts, goal, bounds)` is the solver, for signs that intervals leave open; `stated(terms)` is what
    the signature states of the elements of index tensors in the terms.

    Adds the ranges of the program ids to the bounds. Raises nothing: what has no meaning becomes a lost value.
    """
    facts = Facts(bounds)
    for pid, extent in zip(PIDS, launch.grid, strict=True):
        top = bounds.of(extent)[1]
        bounds.narrow(pid, (0, MAX_GRID - 1 if top is None else max(min(top, MAX_GRID) - 1, 0)))
    state = State(
        args=case.args,
        storages={s.ident: s for s in launch.storages},
        grid=launch.grid,
        written=written(launch, case),
        sites=name_sites(case.kernel),
        facts=facts,
        path=domain,
        ask=ask,
        stated=stated,
        entry=bounds.copy(),
    )
    for index, (param, arg) in enumerate(zip(case.kernel.body.params, case.args, strict=True)):
        state.put(param, argument(index, arg))
    with state.under():
        run_block(state, case.kernel.body)
    facts.integers = {number: v for number, v in state.env.items() if isinstance(v, IntV)}
    facts.values = state.env
    return facts


def name_sites(kernel: I.Kernel) -> dict[int, str]:
    """A name for each operation that is equal in all cases of a kernel: place, kind, and number among equals."""
    sites: dict[int, str] = {}
    seen: dict[str, int] = {}
    for op in walk(kernel.body):
        base = f"{op.span.line}:{op.span.column}:{type(op).__name__}"
        count = seen[base] = seen.get(base, 0) + 1
        sites[id(op)] = base if count == 1 else f"{base}#{count}"
    return sites


def run_block(state: State, block: I.Block) -> tuple[AbsValue, ...]:
    """Interpret a block in the current environment; its yielded values."""
    for op in block.ops:
        _step(state, op)
    return tuple(state.integer(v) if integers.is_integer(v) else state.get(v) for v in block.yields)


def _step(state: State, op: I.Op) -> None:
    made = results(op)
    if state.recording:
        state.facts.scopes[state.site(op)] = state.scope()
    state.shape = shape_of(made[0].type) if made else ()
    match op:
        case I.For():
            control.counted_loop(state, op, run_block)
        case I.While():
            control.while_loop(state, op, run_block)
        case I.If():
            control.branch(state, op, run_block)
        case I.Load() | I.Store() | I.AtomicRMW() | I.AtomicCAS():
            state.shape = shape_of(op.ptr.type)
            value = memory.access(state, op)
            if value is not None:
                state.put(made[0], value)
        case I.Assume() | I.Assert() | I.Hint():
            promises.promise(state, op)
        case I.Split():
            for result, half in zip(op.results, shapes.split(state, op), strict=True):
                state.put(result, half)
        case I.Reduce() | I.Scan():
            for result, value in zip(op.results, tilewide.fold(state, op, run_block), strict=True):
                state.put(result, value)
        case I.Map():
            for result, value in zip(op.results, tilewide.mapped(state, op, run_block), strict=True):
                state.put(result, value)
        case I.Opaque():
            _opaque(state, op)
        case I.Barrier():
            pass
        case _:
            state.put(op.result, _value(state, op))


def _opaque(state: State, op: I.Opaque) -> None:
    for i, result in enumerate(op.results):
        state.put(result, state.unknown(result.type, f"{state.site(op)}/{i}", op.reason))
    if op.effects and state.recording:
        state.facts.lost.append(Lost(state.site(op), op, "atomic", op.reason, state.scope()))


def _value(
    state: State,
    op: (
        I.Const | I.Undef | I.Range | I.ProgramId | I.NumPrograms | I.Unary | I.Binary | I.Fma | I.Cmp | I.Select
        | I.Cast | I.Splat | I.ExpandDims | I.Broadcast | I.Reshape | I.Trans | I.Join | I.Cat | I.Unsplat
        | I.AddPtr | I.Dot | I.Gather | I.Histogram
    ),
) -> AbsValue:  # fmt: skip
    match op:
        case I.Const():
            return integers.tile_constant(op.result, op.value)
        case I.Undef():
            return state.unknown(op.result.type, state.site(op), "an undefined value")
        case I.Range():
            return IntV(COORDS[0] + op.start)
        case I.ProgramId():
            return IntV(PIDS[op.axis])
        case I.NumPrograms():
            return IntV(state.grid[op.axis])
        case I.Unary():
            return integers.unary(state, op)
        case I.Binary():
            return integers.binary(state, op)
        case I.Fma():
            return FloatV()
        case I.Cmp():
            return integers.compare(state, op)
        case I.Select():
            return integers.select(state, op)
        case I.Cast():
            return integers.cast(state, op)
        case I.Splat() | I.ExpandDims() | I.Broadcast() | I.Reshape() | I.Trans() | I.Unsplat():
            return shapes.move(state, op)
        case I.Join():
            return shapes.join(state, op)
        case I.Cat():
            return tilewide.reordered(state, op, "a concatenation that may reorder")
        case I.Reshape(reorder=True):
            return tilewide.reordered(state, op, "a reshape that may reorder")
        case I.AddPtr():
            return memory.add_ptr(state, op)
        case I.Dot():
            return tilewide.dot(state, op)
        case I.Gather():
            return shapes.gather(state, op)
        case I.Histogram():
            return tilewide.histogram(state, op)
        case _:
            assert_never(op)
