"""What every allocation holds when a kernel is launched: a dispatch mode that watches torch's operations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from argus_smt.capture.computed import Computed, outdated, padded
from argus_smt.capture.demands import demand, read_and_written, reads, tensors
from argus_smt.capture.elements import Elements, fits_type, is_integer
from argus_smt.capture.failure import PathEnd
from argus_smt.capture.layouts import like
from argus_smt.capture.library import hides_code, implementation
from argus_smt.capture.picked import Picked
from argus_smt.capture.record import Record
from argus_smt.capture.sympy_terms import Untranslatable
from argus_smt.capture.tables import pointees
from argus_smt.capture.world import HOST_DTYPES, World, storage_key
from argus_smt.ir.launch import Demand, Facts, Storage
from argus_smt.ir.types import element
from argus_smt.smt import term as T
from argus_smt.smt.term import Term

_FILLS: dict[str, int] = {"zeros": 0, "zeros_like": 0, "new_zeros": 0, "zero_": 0, "ones": 1, "ones_like": 1, "new_ones": 1}
_EMPTY = ("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "empty_permuted")


@dataclass(slots=True)
class Owner:
    """An allocation as the ledger keeps it; `tensor` keeps its identity alive."""

    storage: Storage
    tensor: torch.Tensor
    bare: bool = False
    """Whether the host left it as it was allocated, or wrote only `part` of it."""
    part: bool = False


class Ledger(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Contents by storage, and ranges of integer contents by tensor, along one run."""

    def __init__(self, world: World) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.world = world
        self.owners: dict[int, Owner] = {}
        self.elements = Elements(world)
        self.computed = Computed(world, self._storage_of)
        self.picked = Picked(world, self.computed, self._numbered, self._replace)
        self.adopted: set[int] = set()
        self.alive: list[torch.Tensor] = []
        self.launches = 0
        self.demands: dict[Demand, None] = {}

    # ------------------------------------------------------------ storages

    def adopt_inputs(self) -> None:
        """Enter the fake arguments made so far."""
        for key, (t, fake) in self.world.storages.items():
            if id(fake) in self.adopted:
                continue
            self.adopted.add(id(fake))
            ident = self.owners[key].storage.ident if key in self.owners else len(self.owners)
            contents = "uninit" if t.role in ("out", "uninit") else "input"
            s = Storage(
                ident, t.name, t.dtype, nbytes(t.dims, t.strides, element(t.dtype).nbytes, self.world),
                t.dims, t.strides, contents, t.role, t.facts,
            )  # fmt: skip
            self.owners[key] = Owner(s, fake, contents == "uninit")
            if contents == "input" and t.name not in self.world.registry.domain.tables:
                self.elements.adopt(fake, t.facts)
        self._adopt_tables()

    def _adopt_tables(self) -> None:
        """Say what the tables of the signature point to, now that the tensors that give sizes have numbers."""
        tables = self.world.registry.domain.tables
        if not tables or any(o.storage.members is not None for o in self.owners.values()):
            return
        named = {o.storage.name: o.storage for o in self.owners.values()}
        for owner in self.owners.values():
            if owner.storage.name in tables:
                owner.storage = replace(owner.storage, members=pointees(tables[owner.storage.name], named))

    def owner(self, t: torch.Tensor, contents: str = "computed") -> Owner:
        """The allocation behind `t`, entered now if it is new; then `t` is its owner."""
        key = storage_key(t)
        if key not in self.owners:
            span, _ = self.world.oracle.asker()
            dims = self.world.terms(t.shape, "a size", span)
            strides = self.world.terms(t.stride(), "a stride", span)
            dtype = host_dtype(t)
            extent = nbytes(dims, strides, element(dtype).nbytes, self.world)
            s = Storage(len(self.owners), "", dtype, extent, dims, strides, contents, "", self._facts(t))
            self.owners[key] = Owner(s, t, contents == "uninit")
        return self.owners[key]

    def _facts(self, t: torch.Tensor) -> Facts | None:
        r = self.elements.range(t)
        return Facts(lower=r[0], upper=r[1]) if r else None

    def set_contents(self, t: torch.Tensor, contents: str, whole: bool) -> None:
        """A write into the allocation behind `t`; a partial one leaves a mixture."""
        owner = self.owner(t, contents)
        if not whole:
            contents = f"computed {'part of it' if owner.bare else 'in part'}, {contents}"
        times = owner.storage.rewritten + 1
        owner.storage = replace(owner.storage, contents=contents, facts=None, members=None, rewritten=times)

    def forget(self, t: torch.Tensor, launched: bool = False) -> None:
        """The allocation behind `t` is written, or is an argument of a launch: what that does to tables is told later."""
        self.elements.forget(t)
        written = self.owner(t).storage.ident
        self.picked.touched.add(written)
        for owner in self.owners.values():
            kept = owner.storage.members
            owner.storage = outdated(owner.storage, written)
            if launched:
                owner.storage = replace(owner.storage, members=kept)

    def snapshot(self) -> dict[int, Owner]:
        """The state to come back to."""
        return {k: replace(o) for k, o in self.owners.items()}

    def restore(self, state: dict[int, Owner]) -> None:
        """Undo what happened to contents since `snapshot`."""
        for k, o in state.items():
            now = self.owners[k]
            now.storage, now.bare, now.part = o.storage, o.bare, o.part

    def join(self, others: Sequence[dict[int, Owner]]) -> None:
        """Of alternatives, each of which ends in one of the states: what any of them leaves bare is."""
        for k, o in self.owners.items():
            o.bare = o.bare or any(s[k].bare for s in others if k in s)
            o.part = o.part or any(s[k].part for s in others if k in s)

    def demand(self, t: torch.Tensor, what: str) -> None:
        """Somebody looks at `t` now: if no host wrote it, a kernel must have."""
        owner = self.owners.get(storage_key(t))
        if owner is not None and owner.bare:
            span, _ = self.world.oracle.asker()
            found = demand(self.world, t, owner.storage.ident, self.launches, what, owner.part, span)
            if found is not None:
                self.demands.setdefault(found)

    def returned(self, value: Any) -> None:
        """The launcher is over and returns `value`; what arguments it was to fill count too."""
        for t in tensors(value):
            self.demand(t, "returned")
        for owner in list(self.owners.values()):
            if owner.storage.role == "out":
                self.demand(owner.tensor, "out")

    def settle(self, records: Sequence[Record]) -> None:
        """The run is over: decide which numbers that the host read are free."""
        self.elements.settle(records, {key: o.storage.ident for key, o in self.owners.items()}, self.picked.tied)

    # ------------------------------------------------------------ operations

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        code = implementation(func)
        if code is not None:
            with self.world.fake, self:
                return code(*args, **kwargs)
        if hides_code(func):
            span, _ = self.world.oracle.asker()
            self.world.oracle.stop(PathEnd(f"what the operator `{func._schema.name}` runs is not known", span))
        name = func._schema.name.split("::")[-1]
        if name in ("item", "_local_scalar_dense"):
            exact = self.picked.number(args[0])
            if exact is not None:
                return self.world.integer(exact)
            number = func(*args, **kwargs)
            self.elements.item(args[0], number)
            self.demand(args[0], "read")
            return number
        out = padded(args) if name == "constant_pad_nd" else like(self.world, func, name, args, kwargs)
        out = func(*args, **kwargs) if out is None else out
        self._note(func, name, args, kwargs, out)
        return out

    def _note(self, func: Any, name: str, args: Any, kwargs: Any, out: Any) -> None:
        outs = [o for o in (out if isinstance(out, tuple | list) else (out,)) if isinstance(o, torch.Tensor)]
        operands = [a for a in _flat(args) if isinstance(a, torch.Tensor)]
        mutated = _mutated(func, args, kwargs)
        changes = read_and_written(func, name) if mutated else ""
        for t in operands if reads(func, name) else ():
            if changes == "updates" or all(t is not m for m in mutated):
                self.demand(t, "read")
        for t in mutated:
            owner = self.owner(t)
            whole = self._covers(t, owner) and changes != "parts"
            owner.bare = owner.bare and not whole
            owner.part = owner.bare
            self.set_contents(t, self._contents(name, args, kwargs, mutated), whole)
            self.forget(t)
        fresh = [o for o in outs if all(o is not m for m in mutated)]
        if name == "as_strided" and fresh:
            self._inside(fresh[0])
        self.alive += fresh
        contents = self._contents(name, args, kwargs, outs)
        if fresh and not mutated and contents.startswith("fill ") and contents[5:].lstrip("-").isdigit():
            self.elements.fill(fresh[0], int(contents[5:]))
        elif not mutated:
            self.elements.derive(func, name, operands, fresh)
        for o in fresh:
            if storage_key(o) not in self.owners:
                self.owner(o, contents)
                if len(fresh) == 1 and not mutated:
                    self._follow(name, operands, args, kwargs, o)

    def _inside(self, t: torch.Tensor) -> None:
        """Torch makes no view that reaches past its storage; its fake form does not look."""
        storage = self.owner(t).storage
        span, _ = self.world.oracle.asker()
        dims, strides = self.world.terms(t.shape, "a size", span), self.world.terms(t.stride(), "a stride", span)
        start = self.world.terms((t.storage_offset(),), "an offset", span)[0]
        item = element(host_dtype(t)).nbytes
        self.world.assume(
            T.le(start * item + nbytes(dims, strides, item, self.world), storage.nbytes),
            f"line {span.line} views what lies inside the storage; torch raises otherwise",
        )

    def _follow(self, name: str, operands: list[torch.Tensor], args: Any, kwargs: Any, out: torch.Tensor) -> None:
        """Say what a fresh result holds exactly, where that can be said."""
        owner = self.owners[storage_key(out)]
        known = owner.storage.facts or Facts()
        if name == "cumsum":
            sums = self.computed.running(args, kwargs, out)
            if sums is not None:
                range_ = self.elements.range(operands[0])
                rising = range_ is not None and self.world.oracle.known(T.ge(range_[0], 0))
                known = replace(known, running=sums.running, steps=range_, nondecreasing=rising)
        elif name in ("max", "amax", "min", "amin") and len(operands) == 1:
            known = replace(known, element=self.picked.extreme(name, args, out))
        else:
            known = replace(known, element=self.computed.element(name, args, kwargs, out))
        if known.exact:
            owner.storage = replace(owner.storage, facts=known)

    def _storage_of(self, t: torch.Tensor) -> Storage | None:
        owner = self.owners.get(storage_key(t))
        return None if owner is None else owner.storage

    def _numbered(self, ident: int) -> Storage | None:
        return next((o.storage for o in self.owners.values() if o.storage.ident == ident), None)

    def _replace(self, storage: Storage) -> None:
        for owner in self.owners.values():
            if owner.storage.ident == storage.ident:
                owner.storage = storage

    def _covers(self, t: torch.Tensor, owner: Owner) -> bool:
        """Whether the elements of `t` are all bytes of its allocation: one after the other, as many as there are."""
        known = self.world.oracle.known
        try:
            sizes, strides, start = self.computed.layout(t)
        except Untranslatable:
            return False
        whole = T.ONE
        for size, stride in zip(reversed(sizes), reversed(strides), strict=True):
            if size is not T.ONE and stride is not whole and not known(T.eq(stride, whole)):
                return False
            whole = whole * size
        extent = T.ite(T.or_(*(T.le(n, 0) for n in sizes)), T.ZERO, whole * element(owner.storage.dtype).nbytes)
        same = T.eq(extent, owner.storage.nbytes)
        return start is T.ZERO and host_dtype(t) == owner.storage.dtype and (same is T.TRUE or known(same))

    def _contents(self, name: str, args: Any, kwargs: Any, outs: list[torch.Tensor]) -> str:
        """What the results hold, or what an operation writes."""
        if name in _EMPTY:
            return "uninit"
        if name in _FILLS:
            return f"fill {_FILLS[name]}"
        if name in ("full", "full_like", "new_full", "fill_", "fill"):
            position = 2 if name == "new_full" else 1
            value = kwargs.get("fill_value", args[position] if len(args) > position else None)
            whole = isinstance(value, bool | int) and all(fits_type(value, o.dtype) or not is_integer(o) for o in outs)
            if whole or (isinstance(value, float) and not any(map(is_integer, outs))):
                return f"fill {value}"
        return f"computed {name}"


def nbytes(dims: tuple[Term, ...], strides: tuple[Term, ...], itemsize: int, world: World) -> Term:
    """Bytes from the first to the last element; 0 if a dimension is 0."""
    last = T.add(T.ZERO, *((d - 1) * s for d, s in zip(dims, strides, strict=True)))
    extent = (last + 1) * itemsize
    empty = T.or_(*(T.le(d, 0) for d in dims if not world.oracle.known(T.ge(d, 1))))
    return T.ite(empty, T.ZERO, extent)


def host_dtype(t: torch.Tensor) -> str:
    """Name of the memory type of a tensor's elements."""
    if t.dtype not in HOST_DTYPES:
        raise PathEnd(f"tensors of {t.dtype} are not supported")
    return HOST_DTYPES[t.dtype]


def _flat(args: Any) -> list[Any]:
    out: list[Any] = []
    for a in args:
        out.extend(_flat(a) if isinstance(a, tuple | list) else [a])
    return out


def _mutated(func: Any, args: Any, kwargs: Any) -> list[torch.Tensor]:
    """Tensor arguments that the operation's schema says it writes."""
    out: list[torch.Tensor] = []
    for i, a in enumerate(func._schema.arguments):
        if a.alias_info is not None and a.alias_info.is_write:
            value = args[i] if i < len(args) else kwargs.get(a.name)
            out.extend(v for v in _flat([value]) if isinstance(v, torch.Tensor))
    return out
