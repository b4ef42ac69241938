"""What pointers lead to: the view of an argument, or the tensor behind an entry of a table of addresses.

A 64-bit integer read from a table stands for the start of the tensor of that entry; only made a pointer again, with what was
added to it, does it lead anywhere. Any other use of it is a use of an unknown number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from argus_smt.absint.state import State, stated_range
from argus_smt.absint.values import COORDS, NOWHERE, Target
from argus_smt.ir.launch import INDEX, Arg, PointerArg, Storage, extent_bytes, members_of
from argus_smt.ir.types import I64, element
from argus_smt.smt import term as T
from argus_smt.smt.term import Term

HIGHEST = 1 << 62
"""No device has memory beyond this address."""
ENTRY = "?entry"
ENTRY_BYTES = 8


def entry(state: State, storage: Storage, byte: Term) -> Term:
    """The address in the table at a byte that is a multiple of 8, as a number."""
    name = f"{ENTRY}{storage.ident}"
    state.facts.ledger.setdefault(name, f"an address in `{storage.name}` as a number")
    state.set_range(name, I64, (0, HIGHEST))
    return T.app(name, byte)


def pointee(state: State, number: Term, offset: Term) -> Target | None:
    """The target `offset` bytes from the start of the tensor at an entry of a table."""
    ident = int(number.data.removeprefix(ENTRY))
    table = next((i for i, a in enumerate(state.args) if isinstance(a, PointerArg) and a.storage == ident), None)
    member = T.quotient(number.args[0], T.const(ENTRY_BYTES))
    members = state.storages[ident].members
    if table is None or member is None or members is None:
        return None
    for name in sorted(members.reads):
        source = state.storages[int(name[1:].split(":")[0])]
        elem = element(source.dtype)
        state.facts.contents[name] = (source.ident, elem.name)
        state.set_range(name, elem, stated_range(state, source, elem))
    state.facts.tables[ident] = state.storages[ident].name
    return Target(T.TRUE, table, offset, member)


def view(args: Sequence[Arg], storages: Mapping[int, Storage], target: Target) -> PointerArg:
    """What a target is an offset into; the tensors behind a table have the storage `members_of` it."""
    arg = args[target.arg]
    assert target.arg != NOWHERE
    assert isinstance(arg, PointerArg)
    if target.member is None:
        return arg
    members = storages[arg.storage].members
    assert members is not None
    at = {INDEX[0]: target.member}
    shape, strides = (tuple(T.substitute(t, at) for t in terms) for terms in (members.shape, members.strides))
    return PointerArg(members_of(arg.storage), members.dtype, T.ZERO, shape, strides)


def exists(storage: Storage, target: Target, seen: PointerArg) -> tuple[Term, ...]:
    """What holds where an entry was read and led to a tensor: it is one of the table's, and no size or stride is negative."""
    assert target.member is not None
    inside = (T.ge(target.member, 0), T.lt(target.member, storage.shape[0]))
    return (*inside, *(T.ge(t, 0) for t in (*seen.shape, *seen.strides)))


def addressable(
    args: Sequence[Arg], storages: Mapping[int, Storage], targets: Iterable[Target], bits: int = 63
) -> tuple[tuple[tuple[Term, ...], Term], ...]:  # fmt: skip
    """`(premises, fact)`: the tensors behind tables are smaller than the address space, said of the entries that targets name.

    Premises are that the number is one of an entry, and for the size that the tensor is not empty. `bits`: of an address.
    """
    out: dict[tuple[tuple[Term, ...], Term], None] = {}
    for target in targets:
        arg = args[target.arg] if target.member is not None else None
        if target.member is None or target.member.free & frozenset(COORDS) or not isinstance(arg, PointerArg):
            continue
        seen = view(args, storages, target)
        first, last, *signs = exists(storages[arg.storage], target, seen)
        end = extent_bytes(seen.shape, seen.strides, element(seen.dtype).nbytes)
        for sign in signs:
            out[(first, last), sign] = None
        out[(first, last, *(T.ge(n, 1) for n in seen.shape)), T.lt(end, 1 << bits)] = None
    return tuple(out)
