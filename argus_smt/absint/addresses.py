"""Pointers as integers and back: the address of an argument is an unknown number, and what is added to it is followed."""

from __future__ import annotations

from argus_smt.absint.state import State
from argus_smt.absint.values import AbsValue, IntV, LostV, PtrV, Target, choose
from argus_smt.ir.types import I64
from argus_smt.smt import term as T
from argus_smt.smt.term import Term

HIGHEST = 1 << 62
"""No device has memory beyond this address."""
_PREFIX = "?address"


def to_integer(state: State, pointer: PtrV) -> Term:
    """The address of a pointer, as long as it fits: that of its argument plus the offset."""
    out: Term | None = None
    for target in reversed(pointer.targets):
        there = _address(state, target.arg) + target.offset
        out = there if out is None else T.ite(target.cond, there, out)
    assert out is not None
    return out


def _address(state: State, arg: int) -> Term:
    """Where the view of an argument starts."""
    name = f"{_PREFIX}{arg}"
    state.facts.ledger.setdefault(name, "the address of an argument as a number")
    state.set_range(name, I64, (0, HIGHEST))
    return T.app(name)


def to_pointer(state: State, value: IntV, reason: str) -> AbsValue:
    """The pointer with an address: an argument's where the term is its address plus something else, else lost."""
    if value.term.op == "ite":
        cond, a, b = value.term.args
        made = (to_pointer(state, IntV(a), reason), to_pointer(state, IntV(b), reason))
        return _guarded(choose(cond, *made), value)
    bases = [a for a in value.term.apps if a.data.startswith(_PREFIX)]
    if len(bases) != 1:
        return LostV(reason)
    offset = state.simp(value.term - bases[0])
    if bases[0] in offset.apps:
        return LostV(reason)
    return PtrV((Target(T.TRUE, int(bases[0].data.removeprefix(_PREFIX)), offset),), value.guards)


def _guarded(pointer: AbsValue, value: IntV) -> AbsValue:
    return PtrV(pointer.targets, pointer.guards | value.guards) if isinstance(pointer, PtrV) else pointer
