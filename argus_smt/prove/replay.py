"""Replay: a model becomes concrete arguments and memory, and the concrete interpreter says whether the fault is real."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from argus_smt.absint.facts import Facts
from argus_smt.absint.values import PIDS
from argus_smt.interp.events import Access
from argus_smt.interp.memory import Region
from argus_smt.interp.run import Arg as ConcreteArg
from argus_smt.interp.run import Event, Open, PointerValue, Trace, run_program
from argus_smt.ir.launch import PointerArg, Program, ScalarArg, extent_bytes
from argus_smt.ir.types import element
from argus_smt.prove.domain import Domain
from argus_smt.prove.finding import Counterexample
from argus_smt.prove.scene import arrange
from argus_smt.smt import term as T
from argus_smt.smt.model import Model

STEP_LIMIT = 60_000
KINDS = {
    "AR301": ("oob_read",), "AR302": ("oob_write",), "AR303": ("wrap",),
    "AR305": ("div_zero", "shift_width", "gather_index", "limit"),
    "AR306": ("assume_false", "assert_false", "hint_false"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Replay:
    """A finished run, or the reason why there is none."""

    trace: Trace | None
    grid: tuple[int, int, int] = (1, 1, 1)
    program: tuple[int, int, int] = (0, 0, 0)
    inputs: tuple[tuple[str, int, int], ...] = ()
    reason: str = ""
    tensors: tuple[Region, ...] = ()
    """What tables of addresses point to."""


def run(
    dom: Domain, facts: Facts, model: Model, on_access: Callable[[Access], None] | None = None,
    step_limit: int = STEP_LIMIT, left_open: Collection[str] = (),
) -> Replay:  # fmt: skip
    """Run the one program that the model names, on the memory that it describes.

    Arguments whose value mentions a name of `left_open` are undefined in the run.
    """
    try:
        grid = tuple(model.value(g) for g in dom.launch.grid)
        pid = tuple(model.value(p) for p in PIDS)
        scene = arrange(dom, facts, model)
        args = tuple(Open() if mentions(a, left_open) else argument(a, model) for a in dom.case.args)
    except (ZeroDivisionError, ValueError, IndexError, OverflowError, MemoryError) as error:
        return Replay(None, reason=f"the model makes no launch: {error}")
    if not all(0 <= p < g for p, g in zip(pid, grid, strict=True)):
        return Replay(None, reason=f"program {pid} is outside of the grid {grid}")
    if isinstance(scene, str):
        return Replay(None, reason=scene)
    memory, inputs = scene
    shape3, pid3 = (grid[0], grid[1], grid[2]), (pid[0], pid[1], pid[2])
    trace = run_program(dom.case.kernel, args, shape3, pid3, memory, on_access=on_access, step_limit=step_limit)
    return Replay(trace, shape3, pid3, inputs, tensors=tuple(r for r in memory.regions if r.about))


def mentions(arg: object, names: Collection[str]) -> bool:
    """Whether the value of a number that is passed depends on one of these symbols."""
    return isinstance(arg, ScalarArg) and arg.value is not None and any(v.data in names for v in arg.value.free)


def argument(arg: object, model: Model) -> ConcreteArg:
    """What a kernel is handed for an argument in a model."""
    if isinstance(arg, PointerArg):
        offset = model.value(arg.offset)
        shape = tuple(T.const(model.value(n)) for n in arg.shape)
        strides = tuple(T.const(model.value(s)) for s in arg.strides)
        nbytes = extent_bytes(shape, strides, element(arg.dtype).nbytes).value
        if any(n.value <= 0 for n in shape):
            nbytes = 0
        return PointerValue(arg.storage, offset, offset, offset + nbytes)
    assert isinstance(arg, ScalarArg)
    if arg.value is not None:
        value = model.value(arg.value)
        bits = element(arg.dtype).bits if arg.dtype.startswith("u") else 0
        return value - (1 << bits) if bits and value >= 1 << (bits - 1) else value
    return 1.0 if arg.number is None else arg.number


def too_long(replay: Replay) -> bool:
    """Whether the run was given up for its length, which says nothing about the fault."""
    return replay.trace is not None and any(e.kind == "limit" for e in replay.trace.events)


def wrap_matters(replay: Replay, op: object) -> bool:
    """Whether a live address, a mask or a branch depends on a result of `op` that wrapped."""
    assert replay.trace is not None
    return any(e.source is op for e in replay.trace.events if e.kind in ("wrap_used", "oob_read", "oob_write"))


def event_of(replay: Replay, code: str, op: object) -> Event | None:
    """The first event at `op` of the kinds that refute `code`."""
    if replay.trace is None:
        return None
    for event in replay.trace.events:
        if event.op is op and event.kind in KINDS[code] and (event.kind != "limit" or event.detail.startswith("the loop's step")):
            return event
    return None


def argument_values(dom: Domain, model: Model, left_open: Collection[str] = ()) -> dict[str, str]:
    """Integer arguments and constexprs of the kernel, by name, without those whose value was left open."""
    values = {}
    for param, arg in zip(dom.case.kernel.params, dom.case.args, strict=True):
        if not isinstance(arg, PointerArg) and arg.value is not None and not mentions(arg, left_open):
            values[param] = str(model.value(arg.value))
    return values | dict(dom.case.values)


def _view(dom: Domain, model: Model, event: Event) -> str:
    """What of a storage the kernel was given, where it is not all of it; empty otherwise."""
    storage = next((s for s in dom.launch.storages if s.ident == event.storage), None)
    if storage is None or event.lower is None or event.upper is None:
        return ""
    if (event.lower, event.upper) == (0, model.value(storage.nbytes)):
        return ""
    start = f" from byte {event.lower} on" if event.lower else ""
    return f"the view of `{storage.name}`{start} that the kernel is given"


def counterexample(program: Program, dom: Domain, replay: Replay, model: Model, event: Event) -> Counterexample:
    """What the replay saw, in the user's terms."""
    names = {s.ident: s.name for s in dom.launch.storages} | {r.storage: r.name for r in replay.tensors}
    about = next((r.about for r in replay.tensors if r.storage == event.storage), "")
    low, high = event.lower, event.upper
    address = None if event.address is None else event.address - (low or 0)
    unfollowed = {s.name for s in program.symbols if s.kind == "unfollowed"}  # refuted whatever these are
    return Counterexample(
        shape={n: v for n, v in dom.symbols(program, model).items() if n not in unfollowed},
        program_id=replay.program,
        grid=replay.grid,
        element=event.element,
        iteration=event.iteration,
        storage=names.get(event.storage, "") if event.storage is not None else "",
        view=about or _view(dom, model, event),
        address=address,
        extent=None if low is None or high is None else high - low,
        access_bytes=event.size,
        values=argument_values(dom, model, unfollowed),
        inputs=replay.inputs,
        replayed=True,
    )
