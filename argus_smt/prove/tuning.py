"""AR407: an autotuned kernel is run again and again on the same buffers, and a run sees what an earlier one left there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from argus_smt.absint import facts
from argus_smt.absint.members import view
from argus_smt.absint.values import NOWHERE
from argus_smt.interp.events import Access
from argus_smt.interp.memory import Memory
from argus_smt.interp.run import run_grid
from argus_smt.ir.launch import Storage, members_of
from argus_smt.ir.ops import Op
from argus_smt.ir.types import INT_BITS, element
from argus_smt.prove import replay, scene
from argus_smt.prove.confirm import unfollowed
from argus_smt.prove.context import Context
from argus_smt.prove.finding import Counterexample, Finding, Severity, Verdict
from argus_smt.prove.witness import Search
from argus_smt.smt.model import Model
from argus_smt.source import Span

MAX_PROGRAMS = 256
"""So many programs of a grid are run for a counterexample."""


def tuning_finding(context: Context) -> Finding | None:
    """The verdict on a launch that is tuned; None for others.

    Proved where no storage is both written and read (or updated by atomics) unless it is restored before each run; refuted
    where two runs in a row show a changed element that the second reads before it writes it.
    """
    tuning = context.dom.launch.tuning
    if tuning is None:
        return None
    both = _updated(context) - set(tuning.restored)
    span = _place(context, both)
    base = Finding(
        "AR407", Verdict.PROVED, Severity.ERROR, span, "runs while tuning see the same buffers",
        method="algebra", site=f"tuning {context.dom.launch.span}",
    )  # fmt: skip
    if context.facts.lost:
        return replace(base, verdict=Verdict.UNKNOWN, reason_code="AR901", reason="not every access to memory is followed")
    if not both:
        return base
    names = ", ".join(f"`{s.name}`" for s in context.dom.launch.storages if s.ident in both)
    unknown = replace(
        base, verdict=Verdict.UNKNOWN, reason_code="AR902", method="replay",
        message=f"{names} is read and written by runs while tuning",
        help="name it in `reset_to_zero` or `restore_value` of the tuner if a run changes what the next one reads",
    )  # fmt: skip
    behind = [name for ident, name in context.facts.tables.items() if members_of(ident) in both]
    if behind:
        message = f"the tensors that `{behind[0]}` points to are read and written by runs while tuning"
        return replace(unknown, message=message, reason="runs that update tensors of a table are not compared")
    if tuning.hook:
        return replace(unknown, reason=f"{tuning.hook}, which may restore it")
    return _replayed(context, both, unknown)


def _updated(context: Context) -> set[int]:
    """Storages that are written, and read or updated by atomics."""
    written, read = set(), set()
    for access in context.facts.accesses:
        written |= _storages(context, access) if access.kind != "read" else set()
        read |= _storages(context, access) if access.kind != "write" else set()
    return written & read


def _storages(context: Context, access: facts.Access) -> set[int]:
    storages = {s.ident: s for s in context.dom.launch.storages}
    return {view(context.dom.case.args, storages, t).storage for t in access.pointer.targets if t.arg != NOWHERE}


def _place(context: Context, both: set[int]) -> Span:
    """Where the kernel first writes what it reads; else its launch."""
    for access in context.facts.accesses:
        if access.kind != "read" and _storages(context, access) & both:
            return access.op.span
    return context.dom.launch.span


def _replayed(context: Context, both: set[int], unknown: Finding) -> Finding:
    dom = context.dom
    model, why = Search(context.prover.solver, dom.facts, context.prover.facts.bounds).smallest(None)
    if model is None:
        return replace(unknown, reason=f"no launch was found to run: {why}")
    astray = unfollowed(context)
    if astray:
        return replace(unknown, reason="; ".join(astray))
    storages = {s.ident: s for s in dom.launch.storages}
    unclear = [s for s in dom.launch.storages if s.ident in both and not scene.followed(s, storages)]
    if unclear:
        return replace(unknown, reason=f"contents of `{unclear[0].name}` ({unclear[0].contents}) are not followed")
    grid = tuple(model.value(g) for g in dom.launch.grid)
    if np.prod(grid, dtype=object) > MAX_PROGRAMS:
        return replace(unknown, reason=f"the smallest launch found has more than {MAX_PROGRAMS} programs")
    found = _second_run(context, both, model, (grid[0], grid[1], grid[2]))
    if isinstance(found, str):
        return replace(unknown, reason=found)
    seen, op = found
    what = "is changed by" if seen.kind == "atomic" else "is read by"
    name = next(s.name for s in dom.launch.storages if s.ident == seen.access.storage)
    return replace(
        unknown, verdict=Verdict.REFUTED, reason="", reason_code="", span=op.span,
        message=f"`{name}` {what} each run while tuning, after an earlier run has changed it",
        counterexample=seen.counterexample(context, model, (grid[0], grid[1], grid[2])),
        help=f"name `{_parameter(context, seen.access.storage)}` in `restore_value` (or `reset_to_zero`) of `@triton.autotune`",
    )  # fmt: skip


def _parameter(context: Context, storage: int) -> str:
    case = context.dom.case
    return next((n for n, a in zip(case.kernel.params, case.args, strict=True) if getattr(a, "storage", None) == storage), "it")


@dataclass(frozen=True, slots=True)
class _Seen:
    """An access of the second run to an element that the first has changed; `lane` is its index in the tile."""

    access: Access
    lane: tuple[int, ...]
    offset: int

    @property
    def kind(self) -> str:
        return self.access.kind

    def counterexample(self, context: Context, model: Model, grid: tuple[int, int, int]) -> Counterexample:
        dom = context.dom
        storage = next(s for s in dom.launch.storages if s.ident == self.access.storage)
        return Counterexample(
            dom.symbols(context.program, model), self.access.program, grid, self.lane, self.access.iteration, storage.name,
            self.offset, model.value(storage.nbytes), self.access.size, replay.argument_values(dom, model), replayed=True,
        )  # fmt: skip


@dataclass(slots=True)
class _Watch:
    """The accesses of a run to some storages, in order."""

    storages: set[int]
    seen: list[Access] = field(default_factory=list)

    def note(self, access: Access) -> None:
        """One access; its arrays are copied, since the machine may use them again."""
        if access.storage in self.storages:
            self.seen.append(
                replace(access, offsets=np.array(access.offsets), active=np.array(access.active), values=np.empty(0))
            )


def _second_run(context: Context, both: set[int], model: Model, grid: tuple[int, int, int]) -> tuple[_Seen, Op] | str:
    """An access of a second run that sees what the first has changed; else why there is none to show."""
    dom = context.dom
    try:
        arranged = scene.arrange(dom, context.facts, model)
        args = tuple(replay.argument(a, model) for a in dom.case.args)
    except (ZeroDivisionError, ValueError, IndexError, OverflowError, MemoryError) as error:
        return f"the model makes no launch: {error}"
    if isinstance(arranged, str):
        return arranged
    memory = arranged[0]
    for s in dom.launch.storages:
        _fill(memory, s)
    before = {s: memory.read_bytes(s, 0, memory.region(s).nbytes).copy() for s in both}
    for run in range(2):
        watch = _Watch(both)
        trace = run_grid(dom.case.kernel, args, grid, memory, on_access=watch.note, step_limit=replay.STEP_LIMIT)
        faults = [e for e in trace.events if e.kind not in ("wrap", "uninit_read")]
        if faults:
            return f"a run of the kernel stops for another reason: {faults[0].kind}"
        if run == 0:
            after = {s: memory.read_bytes(s, 0, memory.region(s).nbytes) for s in both}
            changed = {(s, int(at)) for s in both for at in np.flatnonzero(before[s] != after[s])}
    stored = {key: a.program for a in watch.seen if a.kind == "store" for key in _bytes(a)}
    others = {(key, a.program) for a in watch.seen if a.kind == "store" for key in _bytes(a)}
    written: set[tuple[int, int]] = set()
    for access in watch.seen:
        for lane, offset in _lanes(access):
            keys = [(access.storage, offset + k) for k in range(access.size)]
            if access.kind == "load" and any(
                k in changed and k not in written and all(p == access.program for key, p in others if key == k) for k in keys
            ):
                return _Seen(access, lane, offset), access.op
            if access.kind == "atomic" and any(k in changed and k not in stored for k in keys):
                return _Seen(access, lane, offset), access.op
        written |= set(_bytes(access)) if access.kind == "store" else set()
    return "two runs of the smallest launch that was found show no difference"


def _fill(memory: Memory, storage: Storage) -> None:
    """Numbers other than 0 where the signature says nothing: most updates change them."""
    if scene.fill_value(storage) is not None or memory.region(storage.ident).nbytes == 0:
        return
    if element(storage.dtype).name not in INT_BITS:
        memory.set_default(storage.ident, 3.0)
    elif storage.facts is None:
        memory.set_default(storage.ident, 1)


def _lanes(access: Access) -> Iterator[tuple[tuple[int, ...], int]]:
    for lane in np.argwhere(access.active):
        index = tuple(int(i) for i in lane)
        yield index, int(access.offsets[index])


def _bytes(access: Access) -> Iterator[tuple[int, int]]:
    for _, offset in _lanes(access):
        yield from ((access.storage, offset + k) for k in range(access.size))
