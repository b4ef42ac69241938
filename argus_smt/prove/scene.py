"""The memory that a replay starts from: what a model says of it, completed by contents that the signature allows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from argus_smt.absint.facts import Facts
from argus_smt.absint.state import width_range
from argus_smt.interp.memory import Memory, Region
from argus_smt.ir.launch import INDEX, Members, Storage
from argus_smt.ir.types import INT_BITS, element
from argus_smt.prove.contents import LARGEST, Concrete, Index, complete, concrete
from argus_smt.prove.domain import Domain
from argus_smt.smt import term as T
from argus_smt.smt.model import Model
from argus_smt.smt.term import Term

LARGEST_COMPUTED = 1 << 16
"""Elements up to which a replay computes what the host computes."""
LARGEST_TABLE = 1 << 10
"""Entries of a table of addresses up to which its tensors are laid out."""
SHOWN = 64
"""Elements up to which an index tensor is listed whole in a counterexample."""

Inputs = tuple[tuple[str, int, int], ...]


def arrange(dom: Domain, facts: Facts, model: Model) -> tuple[Memory, Inputs] | str:
    """Memory as the model has it, with the elements of index tensors that it fixes; or why there is none like it.

    Raises ZeroDivisionError, ValueError, OverflowError and MemoryError where the model's numbers make no tensors.
    """
    storages = dom.launch.storages
    memory = Memory([Region(s.ident, s.name, element(s.dtype).name, model.value(s.nbytes)) for s in storages])
    inputs: list[tuple[str, int, int]] = []
    computed = [s for s in storages if s.facts is not None and s.facts.exact]
    for s in storages:
        if s in computed:
            continue
        points = _points(s, facts, model)
        stated = stated_numbers(s, model)
        broken = "" if stated is None else _out_of_range(s, stated, points)
        if broken:
            return broken
        if stated is not None and stated.ordered:
            whole = _write_whole(memory, s, stated, points, model)
            if isinstance(whole, str):
                return whole
            inputs += [(s.name, i, v) for i, v in whole.items()]
            continue
        _background(memory, s, model)
        inputs += _write(memory, s, facts, model)
    for s in storages:
        why = "" if s.members is None else _lay_out(memory, s, s.members, model)
        if why:
            return why
    for s in sorted(computed, key=lambda s: s.ident):  # what one is made of is older
        if not compute(memory, s, model):
            return f"`{s.name}` is too large in the counterexample to be computed"
    return memory, tuple(inputs)


def _lay_out(memory: Memory, table: Storage, members: Members, model: Model) -> str:
    """Make the tensors that a table points to, and write their addresses into it; or why there are none like these."""
    count = model.value(table.shape[0])
    if count > LARGEST_TABLE:
        return f"`{table.name}` has too many entries in the counterexample to be laid out"
    item = element(members.dtype)
    for g in range(count):
        shape, strides = (tuple(_evaluate(t, (g,), memory, model) for t in terms) for terms in (members.shape, members.strides))
        if min((*shape, *strides), default=0) < 0:
            return f"the tensor at `{table.name}[{g}]` has a negative size or stride in the counterexample"
        nbytes = 0 if 0 in shape else (sum((n - 1) * k for n, k in zip(shape, strides, strict=True)) + 1) * item.nbytes
        sizes = ", ".join(map(str, shape))
        about = f"`{table.name}[{g}]`: {members.dtype}[{sizes}]{{{', '.join(map(str, strides))}}}"
        ident = member_region(table.ident, g)
        memory.add(Region(ident, f"{table.name}[{g}]", item.name, nbytes, about))
        stated = members.facts
        if stated is not None and (stated.values or stated.lower is not None):
            memory.set_default(ident, stated.values[0] if stated.values else model.value(stated.lower or T.ZERO))
        memory.write_elements(table.ident, g * 8, np.asarray([memory.base(ident)], np.int64))
    return ""


def member_region(table: int, entry: int) -> int:
    """The number of the storage behind an entry of a table."""
    return -((table + 1 << 32) + entry)


def compute(memory: Memory, s: Storage, model: Model) -> bool:
    """Fill a storage as the host does; False if it is too large for that."""
    assert s.facts is not None
    shape, strides = tuple(model.value(n) for n in s.shape), tuple(model.value(n) for n in s.strides)
    if np.prod(shape, dtype=object) > LARGEST_COMPUTED:
        return False
    term = s.facts.element if s.facts.element is not None else s.facts.running
    assert term is not None
    item = element(s.dtype).nbytes
    so_far = 0
    for place, at in _places(shape, strides).items():
        value = _evaluate(term, at, memory, model)
        so_far += value
        memory.write_elements(
            s.ident, place * item, np.asarray([value if s.facts.running is None else so_far]).astype(f"i{item}")
        )
    return True


def _evaluate(term: Term, at: Index, memory: Memory, model: Model) -> int:
    """A term over an index, with cells read from memory; 0 where a cell is outside, which a choice then leaves out."""
    own = {v.data: i for v, i in zip(INDEX, at, strict=False)}

    def lookup(node: Term, args: tuple[int, ...]) -> int:
        if node.op == "var":
            return own[node.data] if node.data in own else model.value(node)
        ident, dtype = node.data[1:].split(":")
        nbytes = element(dtype).nbytes
        if not 0 <= args[0] <= memory.region(int(ident)).nbytes - nbytes:
            return 0
        return int(memory.read_bytes(int(ident), args[0], nbytes).view(f"i{nbytes}")[0])

    return T.evaluate(term, lookup)


def stated_numbers(s: Storage, model: Model) -> Concrete | None:
    """What the signature states of an integer tensor that nobody has written since."""
    if s.facts is None or element(s.dtype).name not in INT_BITS:
        return None
    return concrete(s.facts, model.value, *_type_range(s))


def _type_range(s: Storage) -> tuple[int, int]:
    scalar = element(s.dtype)
    return (0, (1 << scalar.bits) - 1) if s.dtype.startswith("u") else width_range(scalar)


def _points(s: Storage, facts: Facts, model: Model) -> dict[int, int]:
    """Elements of `s` that the model fixes, by byte, as the signature means them."""
    scalar = element(s.dtype)
    last = model.value(s.nbytes) - scalar.nbytes
    out = {}
    for (name, point), value in model.functions.items():
        if facts.contents.get(name) == (s.ident, scalar.name) and 0 <= point[0] <= last:
            out[point[0]] = value % (1 << scalar.bits) if s.dtype.startswith("u") else value
    return out


def _out_of_range(s: Storage, stated: Concrete, points: Mapping[int, int]) -> str:
    allowed = set(stated.values)
    for value in points.values():
        if not stated.low <= value <= stated.high or (allowed and value not in allowed):
            return f"the counterexample does not respect the range of `{s.name}`"
    return ""


def _write_whole(memory: Memory, s: Storage, stated: Concrete, points: Mapping[int, int], model: Model) -> dict[int, int] | str:
    """Write contents that satisfy all that is stated; gives the elements to show, by their place in the storage."""
    shape = tuple(model.value(n) for n in s.shape)
    strides = tuple(model.value(n) for n in s.strides)
    item = element(s.dtype).nbytes
    if np.prod(shape, dtype=object) > LARGEST:
        return f"`{s.name}` is too large in the counterexample to be given contents that respect its order"
    places = _places(shape, strides)
    if len(places) != int(np.prod(shape, dtype=object)):
        return f"elements of `{s.name}` share addresses in the counterexample"
    fixed: dict[Index, int] = {}
    for byte, value in points.items():
        at = places.get(byte // item)
        if at is not None:
            fixed[at] = value
    whole = complete(shape, stated, fixed)
    if whole is None:
        return f"no contents of `{s.name}` were found that respect what is stated of it"
    kind = np.dtype(f"u{item}" if s.dtype.startswith("u") else f"i{item}")
    for place, at in places.items():
        memory.write_elements(s.ident, place * item, np.asarray([int(whole[at])]).astype(kind))
    named = {byte // item for byte in points}
    shown = [p for p in sorted(places) if p in named]
    shown += [p for p in sorted(places) if p not in named] if len(places) <= SHOWN else []
    return {p: int(whole[places[p]]) for p in shown}


def _places(shape: Index, strides: Index) -> dict[int, Index]:
    """Place in the storage (in elements) of every index."""
    return {sum(i * k for i, k in zip(at, strides, strict=True)): at for at in np.ndindex(shape)}


def _write(memory: Memory, s: Storage, facts: Facts, model: Model) -> list[tuple[str, int, int]]:
    """Write what the model says of a storage, whatever type it was read as; gives it as elements."""
    out = []
    for (name, point), value in sorted(model.functions.items()):
        ident, dtype = facts.contents.get(name, (-1, "i8"))
        scalar = element(dtype)
        if ident != s.ident or not 0 <= point[0] <= memory.region(ident).nbytes - scalar.nbytes:
            continue
        memory.write_elements(ident, point[0], np.asarray([value]).astype(np.dtype(f"i{scalar.nbytes}")))
        shown = value % (1 << scalar.bits) if s.dtype.startswith("u") else value
        out.append((s.name, point[0] // scalar.nbytes, shown))
    return out


def _background(memory: Memory, storage: Storage, model: Model) -> None:
    """Everything that the model does not name: what the host filled it with, or a value that the signature allows."""
    fill = fill_value(storage)
    if fill is not None:
        memory.set_default(storage.ident, fill)
    elif element(storage.dtype).name in INT_BITS and storage.facts is not None:
        if storage.facts.values:
            memory.set_default(storage.ident, storage.facts.values[0])
        elif storage.facts.lower is not None:
            memory.set_default(storage.ident, model.value(storage.facts.lower))
        elif storage.facts.upper is not None:
            memory.set_default(storage.ident, min(0, model.value(storage.facts.upper)))


def fill_value(storage: Storage) -> Any:
    """The number that the host filled a storage with; None if it did not, or if the number is not known."""
    if not storage.contents.startswith("fill "):
        return None
    try:
        value = float(storage.contents.removeprefix("fill "))
    except ValueError:
        return None
    return int(value) if element(storage.dtype).is_int and value == int(value) else value


def followed(storage: Storage, storages: Mapping[int, Storage]) -> bool:
    """Whether a replay has the contents that a real launch has, or may have."""
    if storage.contents in ("input", "uninit") or fill_value(storage) is not None:
        return True
    f = storage.facts
    if f is None or not f.exact or storage.dtype.startswith("u"):
        return False
    names = {a.data for t in (f.element, f.running) if t is not None for a in t.apps}
    return all(followed(storages[int(name[1:].split(":")[0])], storages) for name in names)
