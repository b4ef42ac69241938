"""Transfer functions of pointers and memory: index maps of addresses, and loaded integers as functions of their address."""

from __future__ import annotations

from dataclasses import replace

from argus_smt.absint import addresses, members
from argus_smt.absint.facts import Access, Lost
from argus_smt.absint.state import State, stated_range, width_range
from argus_smt.absint.values import NO_GUARDS, NOWHERE, AbsValue, FloatV, Guards, IntV, LostV, PtrV, Target, choose
from argus_smt.ir.launch import PointerArg, Storage, cell_name
from argus_smt.ir.ops import AddPtr, AtomicCAS, AtomicRMW, Load, Store, Value
from argus_smt.ir.types import I64, Ptr, Scalar, elem_of, element, shape_of, with_shape
from argus_smt.smt import term as T
from argus_smt.smt.interval import ALL
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
    targets = tuple(replace(t, offset=state.simp(t.offset + step)) for t in pointer.targets)
    return PtrV(targets, pointer.guards | offset.guards)


def access(state: State, op: Load | Store | AtomicRMW | AtomicCAS) -> AbsValue | None:
    """Record an access; the result of a load or atomic is returned."""
    mask, guards = _mask(state, None if isinstance(op, AtomicCAS) else op.mask)
    pointer = state.get(op.ptr)
    elem = elem_of(op.ptr.type)
    assert isinstance(elem, Ptr)
    kind = {Load: "read", Store: "write"}.get(type(op), "atomic")
    old = None if isinstance(op, Load | Store) else state.unknown(op.result.type, state.site(op), "old value of an atomic")
    if state.recording:
        _record(state, op, kind, pointer, mask, guards, elem.elem.nbytes, old)
    return _loaded(state, op, pointer, mask, guards) if isinstance(op, Load) else old


def _record(
    state: State, op: Load | Store | AtomicRMW | AtomicCAS, kind: str, pointer: AbsValue,
    mask: Term, guards: Guards, nbytes: int, old: AbsValue | None,
) -> None:  # fmt: skip
    site, scope, shape = state.site(op), state.scope(), shape_of(op.ptr.type)
    if isinstance(pointer, PtrV):
        wanted = _plain(state, op.compare) if isinstance(op, AtomicCAS) else None
        value = None if isinstance(op, Load) else _plain(state, op.value)
        found = old.term if isinstance(old, IntV) else None
        state.facts.accesses.append(Access(site, op, kind, pointer, shape, mask, guards, nbytes, scope, value, found, wanted))
    else:
        reason = pointer.reason if isinstance(pointer, LostV) else "the address is not a pointer to an argument"
        state.facts.lost.append(Lost(site, op, kind, reason, scope))


def _plain(state: State, value: Value) -> Term | None:
    """An integer that is written; one that holds only while something does not wrap is not taken for known."""
    found = state.get(value)
    return found.term if isinstance(found, IntV) and not found.guards else None


def _mask(state: State, mask: Value | None) -> tuple[Term, Guards]:
    if mask is None:
        return T.TRUE, NO_GUARDS
    value = state.integer(mask)
    return state.simp(value.term), value.guards


def _loaded(state: State, op: Load, pointer: AbsValue, mask: Term, guards: Guards) -> AbsValue:
    elem = elem_of(op.result.type)
    if isinstance(elem, Scalar) and not elem.is_int:
        return FloatV()
    inside = _inside(state, op, pointer, elem)
    if mask is T.TRUE:
        return inside
    if op.other is not None:
        return choose(mask, inside, state.integer(op.other) if isinstance(elem, Scalar) else state.get(op.other), guards)
    undefined = state.unknown(op.result.type, f"{state.site(op)}/undefined", "masked lanes of a load without `other`")
    return choose(mask, inside, undefined, guards)


def _inside(state: State, op: Load, pointer: AbsValue, elem: Scalar | Ptr) -> AbsValue:
    """What the lanes get that are not masked."""
    inside = state.unknown(op.result.type, state.site(op), "a load through an unknown pointer")
    if not isinstance(pointer, PtrV):
        return inside
    for target in pointer.targets:
        if target.arg == NOWHERE:
            continue
        read: AbsValue
        if isinstance(elem, Ptr):
            number = IntV(_cell(state, op, target, I64), pointer.guards)
            read = addresses.to_pointer(state, number, "a pointer loaded from memory")
        else:
            read = IntV(_cell(state, op, target, elem), pointer.guards)
        inside = read if target.cond is T.TRUE else choose(target.cond, read, inside)
    return inside


def _cell(state: State, op: Load, target: Target, elem: Scalar) -> Term:
    """Integer at an address, as a function of the address while nobody in the kernel writes the storage."""
    arg = state.args[target.arg]
    assert isinstance(arg, PointerArg)
    storage = state.storages[arg.storage]
    reason = ""
    if target.member is not None:
        reason = f"integers in the tensors that `{storage.name}` points to are not followed"
    elif arg.storage in state.written:
        reason = f"`{storage.name}` is written by the kernel that reads it"
    if not reason:
        return contents(state, storage, arg, target.offset, elem)
    kind = with_shape(elem, shape_of(op.ptr.type))
    unknown = state.unknown(kind, f"{state.site(op)}/written{target.root}", reason)
    assert isinstance(unknown, IntV)
    return unknown.term


def contents(state: State, storage: Storage, arg: PointerArg, offset: Term, elem: Scalar) -> Term:
    """What the host left at byte `offset` of the argument's view."""
    byte = state.simp(arg.offset + offset)
    aligned = state.simp(T.mod(byte, T.const(elem.nbytes))) is T.ZERO
    if storage.members is not None:
        return _entry(state, storage, byte, elem, aligned)
    if aligned and storage.contents.startswith("fill "):
        filled = _filled(storage, elem)
        if filled is not None:
            return filled
    name = cell_name(storage.ident, elem.name) + ("" if aligned else "~")
    _origin(state, storage, name, elem)
    if elem.name == "i1":
        return T.bapp(name, byte)
    state.set_range(name, elem, stated_range(state, storage, elem) if aligned else ALL)
    return T.app(name, byte)


def _entry(state: State, storage: Storage, byte: Term, elem: Scalar, aligned: bool) -> Term:
    """What a table of addresses holds: whole addresses may be made pointers again, parts of them are unknown numbers."""
    if elem == I64 and aligned:
        return members.entry(state, storage, byte)
    name = f"?part{storage.ident}:{elem.name}"
    state.facts.ledger.setdefault(name, f"part of an address in `{storage.name}` as a number")
    if elem.name == "i1":
        return T.bapp(name, byte)
    state.set_range(name, elem, ALL)
    return T.app(name, byte)


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
