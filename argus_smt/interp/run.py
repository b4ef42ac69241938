"""Run a Tile IR kernel on concrete arguments: one program, or a grid of them one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from argus_smt.interp.context import Context
from argus_smt.interp.elementwise import undefined
from argus_smt.interp.events import Access, Event, Passed, Recorder, Stop, Trace
from argus_smt.interp.integers import check_fits
from argus_smt.interp.lanes import Lanes
from argus_smt.interp.machine import Machine, constant
from argus_smt.interp.memory import Memory
from argus_smt.interp.padding import Substitution
from argus_smt.interp.pointers import PointerValue, Views
from argus_smt.ir.ops import Kernel, Undef, Value
from argus_smt.ir.types import Ptr, Tile

__all__ = ["FAULTS", "Access", "Arg", "Event", "Open", "PointerValue", "Trace", "run_grid", "run_program"]


@dataclass(frozen=True, slots=True)
class Open:
    """A number of which nothing is known: it is undefined, and so is all that depends on it."""


Arg = PointerValue | int | float | Open
"""A kernel argument; a pointer argument may also be an integer address."""

STEP_LIMIT = 1_000_000
FAULTS = frozenset(
    [
        "oob_read",
        "oob_write",
        "uninit_read",
        "div_zero",
        "shift_width",
        "gather_index",
        "assume_false",
        "assert_false",
        "hint_false",
        "limit",
    ]
)
"""Kinds of events at which `stop_at_first=True` ends a run."""

_Program = tuple[int, int, int]


def run_program(
    kernel: Kernel,
    args: Sequence[Arg],
    grid: _Program,
    program: _Program,
    memory: Memory,
    *,
    on_access: Callable[[Access], None] | None = None,
    step_limit: int = STEP_LIMIT,
    stop_at_first: bool | frozenset[str] = False,
) -> Trace:
    """Run one program of the grid on `memory`, which it changes.

    `args` belong to `kernel.body.params`. `stop_at_first`: True to end at the first event of FAULTS, or the
    kinds to end at.
    Raises ValueError for arguments that do not fit the parameters.
    """
    return run_grid(
        kernel,
        args,
        grid,
        memory,
        programs=(program,),
        on_access=on_access,
        step_limit=step_limit,
        stop_at_first=stop_at_first,
    )


def run_grid(
    kernel: Kernel,
    args: Sequence[Arg],
    grid: _Program,
    memory: Memory,
    *,
    programs: Iterable[_Program] | None = None,
    on_access: Callable[[Access], None] | None = None,
    step_limit: int = STEP_LIMIT,
    stop_at_first: bool | frozenset[str] = False,
    padding: Substitution | None = None,
) -> Trace:
    """Run `programs` (all of the grid, x fastest, if None) one after the other; see `run_program`.

    `step_limit` counts operations of one program. `memory.writers` tells afterwards which program wrote what.
    """
    trace = Trace()
    stop_kinds = FAULTS if stop_at_first is True else frozenset() if stop_at_first is False else stop_at_first
    recorder = Recorder(trace, on_access, stop_kinds)
    views = Views(memory, [a for a in args if isinstance(a, PointerValue)])
    ctx = Context(memory, views, recorder, grid, padding=padding)
    lanes = bind(kernel, args, ctx)
    with np.errstate(all="ignore"):
        for program in _all_programs(grid) if programs is None else programs:
            if not _one(ctx, kernel, lanes, program, step_limit):
                break
    return trace


def _one(ctx: Context, kernel: Kernel, args: Sequence[Lanes], program: _Program, step_limit: int) -> bool:
    """Run one program; false where the whole run is to end."""
    if not all(0 <= p < extent for p, extent in zip(program, ctx.grid, strict=True)):
        raise ValueError(f"program {program} is outside the grid {ctx.grid}")
    ctx.program = ctx.recorder.program = program
    ctx.recorder.iteration.clear()
    ctx.recorder.passed = Passed()
    machine = Machine(ctx, step_limit)
    try:
        machine.run(kernel.body, args)
    except Stop as stop:
        ctx.recorder.trace.complete = False
        return not stop.everything
    finally:
        ctx.recorder.trace.steps += machine.steps
    return True


def _all_programs(grid: _Program) -> Iterable[_Program]:
    return ((x, y, z) for z in range(grid[2]) for y in range(grid[1]) for x in range(grid[0]))


def bind(kernel: Kernel, args: Sequence[Arg], ctx: Context) -> list[Lanes]:
    """Arguments as lanes. Raises ValueError where their number or kind does not fit the kernel's parameters."""
    params = kernel.body.params
    if len(args) != len(params):
        raise ValueError(f"`{kernel.name}` takes {len(params)} arguments, not {len(args)}")
    return [_bind_one(kernel, param, arg, ctx) for param, arg in zip(params, args, strict=True)]


def _bind_one(kernel: Kernel, param: Value, arg: Arg, ctx: Context) -> Lanes:
    kind = param.type
    label = f"argument `{param.name or param}` of type {kind}"
    if isinstance(kind, Tile):
        raise ValueError(f"{label}: tiles cannot be arguments")
    if isinstance(kind, Ptr):
        if isinstance(arg, PointerValue):
            return ctx.views.pointer(arg)
        if isinstance(arg, int):
            return Lanes(*ctx.views.from_addresses(np.asarray(arg, np.int64)))
        raise ValueError(f"{label} wants a pointer")
    if isinstance(arg, Open):
        return undefined(ctx, Undef(param, span=kernel.span), kind, ())
    if isinstance(arg, PointerValue) or (kind.is_int and not isinstance(arg, int)):
        raise ValueError(f"{label} cannot be {arg}")
    if kind.is_int:
        try:
            return Lanes(np.asarray(check_fits(int(arg), kind.bits), np.int64))
        except ValueError as error:
            raise ValueError(f"{label}: {error}") from None
    return constant(arg, kind)
