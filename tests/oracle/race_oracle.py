"""Child process of the race oracle: runs launchers in Triton's interpreter, programs interleaved, every access recorded.

It stands on the guarded memory of `triton_oracle.py` and shares no line with Argus. Jobs come pickled on stdin, outcomes
go pickled to stdout (see `race_jobs.py`).
"""

from __future__ import annotations

import contextlib
import inspect
import os
import pickle
import sys
import warnings
from itertools import product
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    os.environ["TRITON_INTERPRET"] = "1"
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
import torch
import triton.runtime.interpreter as interpreter

from tests.oracle import triton_oracle as base
from tests.oracle.guarded_memory import Array
from tests.oracle.happens_before import Conflict, HappensBefore, Step, bytes_of
from tests.oracle.interleave import Interleaving
from tests.oracle.jobs import Job
from tests.oracle.race_jobs import RaceJob, RaceOutcome
from tests.oracle.tensors import made

SCHEDULES = (("forward", 0), ("backward", 0), *(("random", seed) for seed in range(3)))
SEMS = {"ACQUIRE_RELEASE": "acq_rel", "ACQUIRE": "acquire", "RELEASE": "release", "RELAXED": "relaxed"}


class Watch:
    """What one call of a launcher does to memory."""

    def __init__(self, schedule: tuple[str, int]) -> None:
        self.schedule = schedule
        self.undefined: dict[int, tuple[torch.Tensor, Array]] = {}
        self.conflicts: set[Conflict] = set()
        self.uninit: set[int] = set()
        self.written: dict[int, set[int]] = {}
        self.stuck = False
        self.atomics = 0
        self.accesses = 0
        self.order: HappensBefore | None = None
        self.turns: Interleaving | None = None

    def touch(self, kind: str, pointers: Any, mask: Any, item: int, values: Array | None = None) -> tuple[Array, Array]:
        """Record an access; gives region and offset of each lane."""
        assert self.order is not None
        assert self.turns is not None
        memory, line = base.RUN[-1].memory, base.RUN[-1].line()
        live = np.broadcast_to(np.asarray(mask).astype(bool), pointers.shape)
        regions, offsets = memory.check("quiet", pointers, live, item, lambda *_: None)
        self.accesses += 1
        for region in np.unique(regions[regions >= 0]).tolist():
            while len(self.order.names) < len(memory.regions):
                self.order.names.append(memory.regions[len(self.order.names)].name)
            lanes = np.flatnonzero(regions == region)
            picked = None if values is None else bytes_of(values)[lanes]
            wide = pointers.size > 1
            step = Step(self.turns.current, kind, line, region, offsets[lanes], lanes, item, picked, wide)
            self.order.access(step)
            self._define(kind, memory.regions[region].data, offsets[lanes], item, line)
        return regions, offsets

    def _define(self, kind: str, data: Array, offsets: Array, item: int, line: int) -> None:
        places = (offsets[:, None] + np.arange(item)).reshape(-1)
        key = data.ctypes.data
        if kind != "store" and key in self.undefined and self.undefined[key][1][places].any():
            self.uninit.add(line)
        if kind != "load":
            self.written.setdefault(key, set()).update(places.tolist())
            if key in self.undefined:
                self.undefined[key][1][places] = False

    def synchronise(self, regions: Array, offsets: Array, sem: Any, scope: Any, wrote: bool) -> None:
        assert self.order is not None
        assert self.turns is not None
        if regions.size == 1 and regions[0] >= 0:
            how, where = SEMS[sem.name], scope.name.lower()
            self.order.synchronise(self.turns.current, (int(regions[0]), int(offsets[0])), how, where, wrote)


WATCH: list[Watch] = []


def load(self: Any, pointers: Any, mask: Any, other: Any, *rest: Any, **named: Any) -> Any:
    assert WATCH[-1].turns is not None
    if pointers.data.size == 1:
        WATCH[-1].turns.step()
    item = np.dtype(interpreter._get_np_dtype(pointers.get_element_ty())).itemsize
    WATCH[-1].touch("load", pointers.data, mask.data, item)
    return base.masked_load(self, pointers, mask, other, *rest, **named)


def store(self: Any, pointers: Any, value: Any, mask: Any, *rest: Any, **named: Any) -> None:
    values = np.broadcast_to(value.data, pointers.data.shape)
    WATCH[-1].touch("store", pointers.data, mask.data, values.dtype.itemsize, values)
    base.masked_store(self, pointers, value, mask, *rest, **named)


def rmw(self: Any, fn: Any, pointers: Any, value: Any, mask: Any, sem: Any, scope: Any) -> Any:
    watch = WATCH[-1]
    assert watch.turns is not None
    watch.turns.step()
    watch.atomics += pointers.data.size == 1
    regions, offsets = watch.touch("atomic", pointers.data, mask.data, value.data.dtype.itemsize)
    if pointers.data.size == 1:
        watch.synchronise(regions, offsets, sem, scope, wrote=True)
    return base.atomic_rmw(self, fn, pointers, value, mask)


def cas(self: Any, pointers: Any, compare: Any, value: Any, sem: Any, scope: Any) -> Any:
    watch = WATCH[-1]
    assert watch.turns is not None
    watch.turns.step()
    watch.atomics += pointers.data.size == 1
    regions, offsets = watch.touch("atomic", pointers.data, True, value.data.dtype.itemsize)
    old = base.atomic_cas(self, pointers, compare, value)
    if pointers.data.size == 1:
        watch.synchronise(regions, offsets, sem, scope, wrote=bool((old.data == compare.data).all()))
    return old


def barrier(_self: Any) -> None:
    order, turns = WATCH[-1].order, WATCH[-1].turns
    assert order is not None
    assert turns is not None
    order.barrier(turns.current)


def execute(self: Any, *given: Any, **kwargs: Any) -> None:
    """A launch: what `GridExecutor.__call__` does, with the programs interleaved."""
    watch, builder = WATCH[-1], interpreter.interpreter_builder
    spec = inspect.getfullargspec(self.fn)
    kwargs = {k: v for k, v in kwargs.items() if k in spec.args or k in spec.kwonlyargs}
    args_hst, kwargs_hst = self._init_args_hst(given, kwargs)
    scope = interpreter._patch_lang(self.fn)
    try:
        bound = inspect.getcallargs(self.fn, *args_hst, **kwargs_hst)
        args = {n: a if n in self.constexprs else interpreter._implicit_cvt(a) for n, a in bound.items()}
        grid = self.grid(args) if callable(self.grid) else self.grid
        grid = (*grid, *(1,) * (3 - len(grid)))
        builder.set_grid_dim(*grid)
        programs = list(product(*map(range, grid)))
        watch.order = HappensBefore([])
        watch.turns = Interleaving(*watch.schedule)
        watch.turns.run(len(programs), lambda _p: self.fn(**args), lambda p: builder.set_grid_idx(*programs[p]))
    finally:
        scope.restore()
        if watch.turns is not None and watch.order is not None:
            watch.stuck |= watch.turns.stuck
            watch.conflicts |= watch.order.conflicts


def undefined(make: Any) -> Any:
    def empty(*args: Any, **kwargs: Any) -> torch.Tensor:
        out: torch.Tensor = make(*args, **kwargs)
        if WATCH and out.numel():
            storage = out.untyped_storage()
            WATCH[-1].undefined[storage.data_ptr()] = (out, np.ones(storage.nbytes(), dtype=bool))
        return out

    return empty


def places_of(tensor: torch.Tensor) -> set[int]:
    """Bytes of a tensor, from the start of its storage."""
    item = tensor.element_size()
    places = {int(tensor.storage_offset())}
    for extent, stride in zip(tensor.shape, tensor.stride(), strict=True):
        places = {p + i * stride for p in places for i in range(extent)}
    return {p * item + b for p in places for b in range(item)} if tensor.numel() else set()


def unwritten(watch: Watch, tensors: list[torch.Tensor]) -> bool:
    return any(places_of(t) - watch.written.get(t.untyped_storage().data_ptr(), set()) for t in tensors)


def once(job: RaceJob, schedule: tuple[str, int], modules: dict[str, Any]) -> tuple[Watch, bool, tuple[str, ...], str]:
    """One call of the launcher: the record, whether an output has holes, other faults, and what was raised."""
    watch, state = Watch(schedule), base.Run(Job(job.file, job.launcher, job.args))
    module = base.load(job.file, modules)
    args = [made(a) for a in job.args]
    error, holes = "", False
    WATCH.append(watch)
    base.RUN.append(state)
    try:
        result = getattr(module, job.launcher)(*args)
        returned = result if isinstance(result, (tuple, list)) else [result]
        fresh = [t for t in returned if isinstance(t, torch.Tensor) and t.untyped_storage().data_ptr() in watch.undefined]
        holes = not watch.stuck and unwritten(watch, [*fresh, *(args[i] for i in job.outs)])
    except Exception as failed:  # noqa: BLE001 - whatever the user's code raises is an outcome
        error = f"{type(failed).__name__}: {failed}"
    finally:
        base.RUN.pop()
        WATCH.pop()
    faults = tuple(f"{e.kind} at line {e.line}" for e in state.events.values() if e.kind != "wrap")
    return watch, holes, faults, error


def run(job: RaceJob, modules: dict[str, Any]) -> RaceOutcome:
    """All schedules of a job; one is enough where no program waits for another."""
    conflicts: set[Conflict] = set()
    uninit: set[int] = set()
    holes = stuck = False
    accesses, faults, error = 0, (), ""
    for schedule in SCHEDULES:
        watch, some, faults, error = once(job, schedule, modules)
        conflicts |= watch.conflicts
        uninit |= watch.uninit
        holes, stuck, accesses = holes or some, stuck or watch.stuck, accesses + watch.accesses
        if error or not watch.atomics:
            break
    return RaceOutcome(frozenset(conflicts), frozenset(uninit), holes, stuck, accesses, faults, error)


def install() -> None:
    """Put the records into Triton's interpreter, for the rest of this process."""
    base.install()
    builder = interpreter.InterpreterBuilder
    builder.create_masked_load, builder.create_masked_store = load, store
    builder.create_atomic_rmw, builder.create_atomic_cas = rmw, cas
    builder.create_barrier = barrier
    interpreter.GridExecutor.__call__ = execute
    torch.empty, torch.empty_like = undefined(torch.empty), undefined(torch.empty_like)


def main() -> None:
    jobs = pickle.load(sys.stdin.buffer)
    warnings.simplefilter("ignore")
    install()
    modules: dict[str, Any] = {}
    with contextlib.redirect_stdout(sys.stderr):
        outcomes = tuple(run(job, modules) for job in jobs)
    sys.stdout.buffer.write(pickle.dumps(outcomes))


if __name__ == "__main__":
    main()
