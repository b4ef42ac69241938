"""What the author promises the compiler: assumptions, device asserts and hints about values."""

from __future__ import annotations

from argus_smt.absint.facts import Lost, Promise
from argus_smt.absint.members import view
from argus_smt.absint.state import State
from argus_smt.absint.values import COORDS, NO_GUARDS, NOWHERE, AbsValue, Guards, IntV, PtrV, map_terms
from argus_smt.ir.ops import Assert, Assume, Hint
from argus_smt.ir.types import Ptr, elem_of, shape_of
from argus_smt.smt import term as T
from argus_smt.smt.term import Term

BASE_ALIGNMENT = 16
"""Bytes that the start of an allocation is aligned to: what torch's allocators give at least, and what launches specialise on."""


def promise(state: State, op: Assume | Assert | Hint) -> None:
    """Record the duty; after an assumption or assert its condition holds."""
    match op:
        case Assume():
            cond = state.integer(op.cond)
            _record(state, op, "assume", T.TRUE, state.simp(cond.term), shape_of(op.cond.type), cond.guards)
            if not shape_of(op.cond.type):
                state.assume(cond.term, cond.guards)
        case Assert():
            state.shape = shape_of(op.cond.type)
            cond = state.integer(op.cond)
            where = T.TRUE if op.mask is None else state.integer(op.mask).term
            _record(state, op, "assert", where, state.simp(cond.term), state.shape, cond.guards)
            if not state.shape and op.mask is None:
                state.assume(cond.term, cond.guards)
        case Hint():
            _hint(state, op)


def _record(
    state: State, op: Assume | Assert | Hint, what: str, where: Term, goal: Term, shape: tuple[int, ...], guards: Guards
) -> None:
    if state.recording:
        state.facts.promises.append(Promise(state.site(op), op, what, where, goal, shape, guards, state.scope()))


def _hint(state: State, op: Hint) -> None:
    state.shape = shape_of(op.operand.type)
    value = state.get(op.operand)
    number = _number(state, op, value)
    if number is None:
        if state.recording:
            state.facts.lost.append(Lost(state.site(op), op, "hint", "the value is unknown", state.scope()))
        return
    term, unit, guards = number
    if isinstance(value, PtrV) and op.kind == "divisibility" and max(op.values) > BASE_ALIGNMENT:
        if state.recording:
            reason = f"tensors are known to start at multiples of {BASE_ALIGNMENT} bytes only"
            state.facts.lost.append(Lost(state.site(op), op, "hint", reason, state.scope()))
        return
    for axis, n in enumerate(op.values):
        where, goal = _meaning(op.kind, term, unit, axis, n, state.shape)
        _record(state, op, f"{op.kind} {n}", state.simp(where), state.simp(goal), state.shape, guards)


def _number(state: State, op: Hint, value: AbsValue) -> tuple[Term, int, Guards] | None:
    """The hinted number and the step between neighbours (bytes for pointers)."""
    match value:
        case IntV(term, guards) if term.sort is T.Sort.INT:
            return term, 1, guards
        case PtrV((target,), guards):
            elem = elem_of(op.operand.type)
            assert isinstance(elem, Ptr)
            if target.arg == NOWHERE:
                return None
            return view(state.args, state.storages, target).offset + target.offset, elem.elem.nbytes, guards
        case _:
            return None


def _meaning(kind: str, term: Term, unit: int, axis: int, n: int, shape: tuple[int, ...]) -> tuple[Term, Term]:
    """Where a hint speaks and what it says there.

    Divisibility speaks of the first element of each run of `n`, as Triton's axis analysis does: it is written on tiles
    such as `start + arange` whose first elements alone are multiples. Contiguity and constancy speak of neighbours in
    aligned runs of `n`.
    """
    if not shape:
        return T.TRUE, T.eq(T.mod(term, T.const(n)), 0) if kind == "divisibility" else T.TRUE
    coord = COORDS[axis]
    if kind == "divisibility":
        return T.eq(T.mod(coord, T.const(min(n, shape[axis]))), 0), T.eq(T.mod(term, T.const(n)), 0)
    inner = T.and_(T.lt(coord + 1, shape[axis]), T.ne(T.mod(coord + 1, T.const(n)), 0))
    following = map_terms(IntV(term, NO_GUARDS), {coord: coord + 1})
    assert isinstance(following, IntV)
    step = unit if kind == "contiguity" else 0
    return inner, T.eq(following.term - term, step)
