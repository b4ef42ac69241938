"""Pointers as integers and back: the address of an argument is an unknown number, and what is added to it is followed."""

from __future__ import annotations

from argus_smt.absint.members import ENTRY, ENTRY_BYTES, HIGHEST, entry, pointee
from argus_smt.absint.state import State
from argus_smt.absint.values import NOWHERE, AbsValue, IntV, LostV, PtrV, Target, choose
from argus_smt.ir.launch import PointerArg
from argus_smt.ir.types import I64
from argus_smt.smt import term as T
from argus_smt.smt.term import Term

_PREFIX = "?address"


def to_integer(state: State, pointer: PtrV) -> Term:
    """The address of a pointer, as long as it fits: that of what it points into plus the offset."""
    out: Term | None = None
    for target in reversed(pointer.targets):
        there = _address(state, target) + target.offset
        out = there if out is None else T.ite(target.cond, there, out)
    assert out is not None
    return out


def _address(state: State, target: Target) -> Term:
    """Where the view of an argument, or the tensor at an entry of a table, starts."""
    if target.member is not None:
        arg = state.args[target.arg]
        assert isinstance(arg, PointerArg)
        return entry(state, state.storages[arg.storage], target.member * ENTRY_BYTES)
    name = "?nowhere" if target.arg == NOWHERE else f"{_PREFIX}{target.arg}"
    state.facts.ledger.setdefault(name, target.reason or "the address of an argument as a number")
    state.set_range(name, I64, (0, HIGHEST))
    return T.app(name)


def to_pointer(state: State, value: IntV, reason: str) -> AbsValue:
    """The pointer with an address: into an argument or a tensor of a table where the term is its address plus something else."""
    if value.term.op == "ite":
        cond, a, b = value.term.args
        made = (to_pointer(state, IntV(a), reason), to_pointer(state, IntV(b), reason))
        return _guarded(choose(cond, *made), value)
    bases = [a for a in value.term.apps if a.data.startswith((_PREFIX, ENTRY))]
    if len(bases) != 1:
        return LostV(state.facts.ledger.get(value.term.data, reason) if value.term.op == "app" else reason)
    base = bases[0]
    offset = state.simp(value.term - base)
    if base in offset.apps:
        return LostV(reason)
    if base.data.startswith(ENTRY):
        target = pointee(state, base, offset)
    else:
        target = Target(T.TRUE, int(base.data.removeprefix(_PREFIX)), offset)
    return LostV(reason) if target is None else PtrV((target,), value.guards)


def _guarded(pointer: AbsValue, value: IntV) -> AbsValue:
    return PtrV(pointer.targets, pointer.guards | value.guards) if isinstance(pointer, PtrV) else pointer
