"""Transfer functions of pointers and memory: index maps of addresses, and loaded integers as functions of their address."""

from __future__ import annotations

from argus_smt.absint.facts import Access, Lost
from argus_smt.absint.state import State, width_range
from argus_smt.absint.values import NO_GUARDS, AbsValue, FloatV, Guards, IntV, LostV, PtrV, Target, choose
from argus_smt.ir.launch import PointerArg, Storage, cell_name
from argus_smt.ir.ops import AddPtr, AtomicCAS, AtomicRMW, Load, Op, Store, Value
from argus_smt.ir.types import Ptr, Scalar, elem_of, element, shape_of
from argus_smt.smt import term as T
from argus_smt.smt.interval import ALL, Interval
from argus_smt.smt.term import Term


def add_ptr(state: State, op: AddPtr) -> AbsValue:
    """Pointer plus a number of elements: 64-bit arithmetic that cannot leave the address space unnoticed."""
    pointer = state.get(op.ptr)
    if not isinstance(pointer, PtrV):
        return pointer
    offset = state.integer(op.offset)
    elem = elem_of(op.ptr.type)
    assert isinstance(elem, Ptr)
    step = offset.term * elem.elem.nbytes
    targets = tuple(Target(t.cond, t.arg, state.simp(t.offset + step)) for t in pointer.targets)
    return PtrV(targets, pointer.guards | offset.guards)


def access(state: State, op: Load | Store | AtomicRMW | AtomicCAS) -> AbsValue | None:
    """Record an access; the result of a load or atomic is returned."""
    mask, guards = _mask(state, None if isinstance(op, AtomicCAS) else op.mask)
    pointer = state.get(op.ptr)
    elem = elem_of(op.ptr.type)
    assert isinstance(elem, Ptr)
    kind = {Load: "read", Store: "write"}.get(type(op), "atomic")
    if state.recording:
        _record(state, op, kind, pointer, mask, guards, elem.elem.nbytes)
    if isinstance(op, Store):
        return None
    if isinstance(op, Load):
        return _loaded(state, op, pointer, mask, guards)
    return state.unknown(op.result.type, state.site(op), "old value of an atomic")


def _record(
    state: State, op: Load | Store | AtomicRMW | AtomicCAS, kind: str, pointer: AbsValue,
    mask: Term, guards: Guards, nbytes: int,
) -> None:  # fmt: skip
    site, scope, shape = state.site(op), state.scope(), shape_of(op.ptr.type)
    if isinstance(pointer, PtrV):
        state.facts.accesses.append(Access(site, op, kind, pointer, shape, mask, guards, nbytes, scope, _stored(state, op)))
    else:
        reason = pointer.reason if isinstance(pointer, LostV) else "the address is not a pointer to an argument"
        state.facts.lost.append(Lost(site, op, kind, reason, scope))


def _stored(state: State, op: Op) -> Term | None:
    """The integer that a store writes; one that holds only while something does not wrap is not taken for known."""
    value = state.get(op.value) if isinstance(op, Store) else None
    return value.term if isinstance(value, IntV) and not value.guards else None


def _mask(state: State, mask: Value | None) -> tuple[Term, Guards]:
    if mask is None:
        return T.TRUE, NO_GUARDS
    value = state.integer(mask)
    return state.simp(value.term), value.guards


def _loaded(state: State, op: Load, pointer: AbsValue, mask: Term, guards: Guards) -> AbsValue:
    elem = elem_of(op.result.type)
    if isinstance(elem, Ptr):
        return LostV("a pointer loaded from memory")
    if not elem.is_int:
        return FloatV()
    inside: AbsValue = state.unknown(op.result.type, state.site(op), "a load through an unknown pointer")
    if isinstance(pointer, PtrV):
        for target in pointer.targets:
            cell = IntV(_cell(state, op, target, elem), pointer.guards)
            inside = cell if target.cond is T.TRUE else choose(target.cond, cell, inside)
    if mask is T.TRUE:
        return inside
    if op.other is not None:
        return choose(mask, inside, state.integer(op.other), guards)
    undefined = state.unknown(op.result.type, f"{state.site(op)}/undefined", "masked lanes of a load without `other`")
    return choose(mask, inside, undefined, guards)


def _cell(state: State, op: Op, target: Target, elem: Scalar) -> Term:
    """Integer at an address, as a function of the address while nobody in the kernel writes the storage."""
    arg = state.args[target.arg]
    assert isinstance(arg, PointerArg)
    storage = state.storages[arg.storage]
    if arg.storage in state.written:
        kind = op.result.type if isinstance(op, Load) else elem
        reason = f"`{storage.name}` is written by the kernel that reads it"
        unknown = state.unknown(kind, f"{state.site(op)}/written{target.arg}", reason)
        assert isinstance(unknown, IntV)
        return unknown.term
    return contents(state, storage, arg, target.offset, elem)


def contents(state: State, storage: Storage, arg: PointerArg, offset: Term, elem: Scalar) -> Term:
    """What the host left at byte `offset` of the argument's view."""
    byte = state.simp(arg.offset + offset)
    aligned = state.simp(T.mod(byte, T.const(elem.nbytes))) is T.ZERO
    if aligned and storage.contents.startswith("fill "):
        filled = _filled(storage, elem)
        if filled is not None:
            return filled
    name = cell_name(storage.ident, elem.name) + ("" if aligned else "~")
    _origin(state, storage, name, elem)
    if elem.name == "i1":
        return T.bapp(name, byte)
    state.set_range(name, elem, _stated(state, storage, elem) if aligned else ALL)
    return T.app(name, byte)


def _stated(state: State, storage: Storage, elem: Scalar) -> Interval:
    """The interval that the signature states, as the kernel sees it: signed, and only if the types are the same.

    It is taken from the intervals at the kernel's start, since one name stands for the contents on every path.
    """
    facts = storage.facts
    if facts is None or element(storage.dtype) != elem:
        return ALL
    low = state.entry.of(facts.lower)[0] if facts.lower is not None else None
    high = state.entry.of(facts.upper)[1] if facts.upper is not None else None
    if facts.values:
        low, high = min(facts.values), max(facts.values)
    if storage.dtype.startswith("u") and (high is None or high > width_range(elem)[1] or low is None or low < 0):
        return ALL
    return low, high


def _origin(state: State, storage: Storage, name: str, elem: Scalar) -> None:
    """Inputs may hold anything that the signature allows; what the host or another kernel computed may not."""
    if name.endswith("~"):
        state.facts.unreal[name] = f"`{storage.name}` is read at an address that may not be a multiple of its element"
    else:
        state.facts.contents[name] = (storage.ident, elem.name)
    if storage.contents != "input" and not (storage.facts is not None and storage.facts.exact):
        state.facts.unreal[name] = f"contents of `{storage.name}` ({storage.contents}) are not followed"


def _filled(storage: Storage, elem: Scalar) -> Term | None:
    """A fill value that is the same integer in every element of the type it is read as, or None."""
    text = storage.contents.removeprefix("fill ")
    try:
        value = float(text)
    except ValueError:
        return None
    if not abs(value) < 1 << 53 or value != int(value):
        return None
    if element(storage.dtype) != elem and (value != 0 or text.startswith("-")):
        return None  # only zero has the same bits in every type
    low, high = width_range(elem)
    if elem.name == "i1":
        return T.boolean(value != 0)
    return T.const(int(value)) if low <= value <= high else None
