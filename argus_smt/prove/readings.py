"""Numbers that the host reads from tensors: which of them a replay may leave open, and which make it prove nothing.

A number that is only handed to the kernel is left undefined in a replay. If no address, mask or branch of the run depends on it,
the run is that of a real launch, whatever the number is there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from argus_smt.interp.events import Event
from argus_smt.ir.launch import PointerArg, Program, Symbol
from argus_smt.prove.context import Context
from argus_smt.prove.replay import Replay, mentions
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.model import Model
from argus_smt.smt.term import Term


def open_numbers(context: Context) -> frozenset[str]:
    """Numbers with no known value on which the launch depends in nothing but the values of arguments."""
    dom, launch = context.dom, context.dom.launch
    terms = [*launch.grid, *(c.term for c in launch.path), *dom.restore, *dom.restore.values()]
    for arg in dom.case.args:
        if isinstance(arg, PointerArg):
            terms += [arg.offset, *arg.shape, *arg.strides]
    for s in launch.storages:
        terms += [s.nbytes, *s.shape, *s.strides, *_stated(s.facts)]
    fixed = _names(terms)
    return frozenset(s.name for s in _unfollowed(context.program) if s.name not in fixed)


def _stated(facts: object) -> list[Term]:
    """Terms anywhere in what is stated of an index tensor."""
    if isinstance(facts, Term):
        return [facts]
    parts = facts if isinstance(facts, tuple) else [getattr(facts, f) for f in getattr(facts, "__dataclass_fields__", ())]
    return [t for part in parts for t in _stated(part)]


def _unfollowed(program: Program) -> list[Symbol]:
    return [s for s in program.symbols if s.kind == "unfollowed"]


def _names(terms: Sequence[Term]) -> set[str]:
    return {v.data for t in terms for v in t.free}


def objections(
    context: Context, model: Model, run: Replay, fault: Event | None, left_open: Collection[str]
) -> tuple[str, ...]:  # fmt: skip
    """Why a run with these numbers left open need not be that of a real launch up to `fault`, or to its end if that is None."""
    case = context.dom.case
    passed = {s.name for s in _unfollowed(context.program) if any(mentions(a, (s.name,)) for a in case.args)} & set(left_open)
    asked = [c.term for c in case.condition if _names([c.term]) & set(left_open)]
    used = any(e.kind in ("undef_used", "unsupported") for e in _before(run, fault))
    if not (passed and used) and all(_always(context, model, c, left_open) for c in asked):
        return ()
    concerned = sorted((passed if used else set()) | (_names(asked) & set(left_open)))
    return tuple(f"{_about(context.program, name)} is not followed" for name in concerned)


def _before(run: Replay, fault: Event | None) -> Iterator[Event]:
    """Events up to `fault`; an access first reports the marks of its mask and address, then what is out of bounds."""
    for event in run.trace.events if run.trace is not None else ():
        if event is fault:
            return
        yield event


def _about(program: Program, name: str) -> str:
    return next(s.about or s.name for s in program.symbols if s.name == name)


def _always(context: Context, model: Model, condition: Term, left_open: Collection[str]) -> bool:
    """Whether a condition holds for every value that the open numbers may have beside the model's other values."""
    dom, program = context.dom, context.program
    values = dom.symbols(program, model)
    others = {T.var(n): T.const(v) for n, v in values.items() if n not in left_open}
    known = [T.substitute(c.term, others) for c in program.preconditions]
    for s in program.symbols:
        if s.name in left_open:
            known += [T.ge(T.var(s.name), s.lower)] if s.lower is not None else []
            known += [T.le(T.var(s.name), s.upper)] if s.upper is not None else []
    bounds = Bounds()
    bounds.learn(known)
    return bounds.truth(T.substitute(condition, others)) is True
