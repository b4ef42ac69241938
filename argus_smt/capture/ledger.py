"""What every allocation holds when a kernel is launched: a dispatch mode that watches torch's operations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from argus_smt.capture.domain import bounds
from argus_smt.capture.failure import PathEnd
from argus_smt.capture.world import HOST_DTYPES, World, storage_key
from argus_smt.ir.launch import Facts, Storage, Symbol
from argus_smt.ir.types import element
from argus_smt.smt import term as T
from argus_smt.smt.term import Term

_FILLS: dict[str, int] = {"zeros": 0, "zeros_like": 0, "new_zeros": 0, "zero_": 0, "ones": 1, "ones_like": 1, "new_ones": 1}
_EMPTY = ("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "empty_permuted")
_SAME = ("clone", "contiguous", "select", "slice", "view", "_unsafe_view", "reshape", "permute", "transpose", "t",
         "unsqueeze", "squeeze", "expand", "alias", "detach", "flip", "index", "index_select", "repeat", "unbind",
         "amax", "amin", "max", "min", "sort", "as_strided", "_to_copy", "take", "roll", "cat", "copy_")  # fmt: skip
"""Operations whose result holds only elements of their tensor operands."""

Span2 = tuple[Term, Term]


@dataclass(slots=True)
class Owner:
    """An allocation as the ledger keeps it; `tensor` keeps its identity alive."""

    storage: Storage
    tensor: torch.Tensor


class Ledger(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Contents by storage, and ranges of integer contents by tensor, along one run."""

    def __init__(self, world: World) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.world = world
        self.owners: dict[int, Owner] = {}
        self.ranges: dict[int, Span2] = {}
        self.homes: dict[int, int] = {}
        """Of each tensor with a range, the allocation it looks into."""
        self.adopted: set[int] = set()
        self.alive: list[torch.Tensor] = []

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
            self.owners[key] = Owner(s, fake)
            f = t.facts
            if f is not None and f.lower is not None and f.upper is not None:
                self._bound(fake, (f.lower, f.upper))
            elif f is not None and f.values:
                self._bound(fake, (T.const(min(f.values)), T.const(max(f.values))))

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
            self.owners[key] = Owner(s, t)
        return self.owners[key]

    def _facts(self, t: torch.Tensor) -> Facts | None:
        r = self.ranges.get(id(t))
        return Facts(lower=r[0], upper=r[1]) if r else None

    def set_contents(self, t: torch.Tensor, contents: str, whole: bool) -> None:
        """A write into the allocation behind `t`; a partial one leaves a mixture."""
        owner = self.owner(t, contents)
        if not whole:
            contents = f"computed part of it, {contents}"
        owner.storage = replace(owner.storage, contents=contents, facts=None)

    def _bound(self, t: torch.Tensor, range_: Span2) -> None:
        self.ranges[id(t)] = range_
        self.homes[id(t)] = storage_key(t)

    def forget(self, t: torch.Tensor) -> None:
        """The allocation behind `t` is written: what was known of any view of it no longer holds."""
        key = storage_key(t)
        for tensor in [i for i, home in self.homes.items() if home == key]:
            del self.ranges[tensor], self.homes[tensor]

    def snapshot(self) -> dict[int, Owner]:
        """The state to come back to."""
        return {k: Owner(o.storage, o.tensor) for k, o in self.owners.items()}

    def restore(self, state: dict[int, Owner]) -> None:
        """Undo what happened to contents since `snapshot`."""
        for k, o in state.items():
            self.owners[k].storage = o.storage

    # ------------------------------------------------------------ operations

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        definition = _custom_op(func)
        if definition is not None:
            with self.world.fake, self:
                return definition._init_fn(*args, **kwargs)
        name = func._schema.name.split("::")[-1]
        if name in ("item", "_local_scalar_dense"):
            return self._item(func, args, kwargs)
        out = func(*args, **kwargs)
        self._note(func, name, args, kwargs, out)
        return out

    def _note(self, func: Any, name: str, args: Any, kwargs: Any, out: Any) -> None:
        outs = [o for o in (out if isinstance(out, tuple | list) else (out,)) if isinstance(o, torch.Tensor)]
        operands = [a for a in _flat(args) if isinstance(a, torch.Tensor)]
        range_ = self._range(name, args, kwargs, operands)
        mutated = _mutated(func, args, kwargs)
        for t in mutated:
            owner = self.owner(t)
            whole = self._same_size(t, owner.tensor)
            self.set_contents(t, self._contents(name, args, kwargs), whole)
            self.forget(t)
        for o in outs:
            if any(o is m for m in mutated):
                continue
            self.alive.append(o)
            if range_ is not None and _is_integer(o) and not (len(outs) > 1 and o is outs[1]):
                if name != "_to_copy" or o.element_size() >= operands[0].element_size():
                    self._bound(o, range_)
            if storage_key(o) not in self.owners:
                self.owner(o, self._contents(name, args, kwargs))

    def _same_size(self, a: torch.Tensor, b: torch.Tensor) -> bool:
        if a is b:
            return True
        span, _ = self.world.oracle.asker()
        size = [T.ONE, T.ONE]
        for i, t in enumerate((a, b)):
            for d in self.world.terms(t.shape, "a size", span):
                size[i] = size[i] * d
        return size[0] is size[1]

    def _contents(self, name: str, args: Any, kwargs: Any) -> str:
        if name in _EMPTY:
            return "uninit"
        if name in _FILLS:
            return f"fill {_FILLS[name]}"
        if name in ("full", "full_like", "new_full", "fill_", "fill"):
            position = 2 if name == "new_full" else 1
            value = kwargs.get("fill_value", args[position] if len(args) > position else None)
            if isinstance(value, bool | int | float):
                return f"fill {value}"
        return f"computed {name}"

    # ------------------------------------------------------------ integer contents

    def _range(self, name: str, args: Any, kwargs: Any, operands: list[torch.Tensor]) -> Span2 | None:
        """Bounds of the elements of an operation's result, where they follow from its operands."""
        if name in _FILLS or name.startswith(("full", "new_full")):
            text = self._contents(name, args, kwargs).split()
            fill = int(text[1]) if text[0] == "fill" and text[1].lstrip("-").isdigit() else None
            return None if fill is None else (T.const(fill), T.const(fill))
        if name == "where" and len(operands) == 3:
            return self._join(operands[1:])
        if name in _SAME and operands:
            return self._join(operands if name == "cat" else operands[:1])
        return None

    def _join(self, operands: list[torch.Tensor]) -> Span2 | None:
        found = [self.ranges.get(id(t)) for t in operands]
        if None in found or not found:
            return None
        low, high = found[0]  # type: ignore[misc]
        for r in found[1:]:
            assert r is not None
            low, high = T.minimum(low, r[0]), T.maximum(high, r[1])
        return low, high

    def _item(self, func: Any, args: Any, kwargs: Any) -> Any:
        """A number read from a tensor: a fresh symbol within the stated range of the tensor's elements."""
        out = func(*args, **kwargs)
        if isinstance(out, torch.SymInt):
            r = self.ranges.get(id(args[0]))
            known = self.world.names.get(out.node.expr)
            term = known or self.world.adopt(out.node.expr, r)
            if r is not None and known is None:
                self.world.oracle.hypotheses += [T.le(r[0], term), T.le(term, r[1])]
                self._record_range(term, r)
        return out

    def _record_range(self, term: Term, r: Span2) -> None:
        registry = self.world.registry
        old = registry.symbols[term.data]
        lower, upper = (x.value if x.op == "const" else None for x in r)
        registry.symbols[term.data] = Symbol(old.name, old.kind, lower, upper, old.about)
        for part in (T.le(r[0], term), T.le(term, r[1])):
            if part not in bounds((registry.symbols[term.data],)):
                registry.assumed.setdefault(part, f"`{term}` is an element of a tensor with a stated range")


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


def _is_integer(t: torch.Tensor) -> bool:
    return not t.dtype.is_floating_point and not t.dtype.is_complex


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


def _custom_op(func: Any) -> Any:
    """The definition behind a `torch.library.custom_op` or `triton_op`: its fake form would hide the launch."""
    from torch._library.custom_ops import OPDEFS

    return OPDEFS.get(func._schema.name)
