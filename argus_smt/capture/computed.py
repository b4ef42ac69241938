"""Integer tensors that the host computes, element by element: operations of torch as terms over index variables.

The value of an element is a term over the variables `INDEX` (the tensor's own index) and reads of other allocations,
`m<storage>:<type>(byte)`, as the kernel's own loads are written. Exact for the operations listed, wrap-around below
64 bits included; of any other operation nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from argus_smt.capture.sympy_terms import Untranslatable
from argus_smt.capture.world import HOST_DTYPES, World
from argus_smt.ir.launch import INDEX, Facts, Storage, cell_name
from argus_smt.ir.types import element
from argus_smt.smt import term as T
from argus_smt.smt.term import Sort, Term

Operation = Callable[["Computed", Sequence[Any], Mapping[str, Any], tuple[Term, ...], torch.Tensor], Term]


class Unknown(Exception):
    """An element of which no term says the value."""


class Computed:
    """Element functions of the allocations of one run."""

    def __init__(self, world: World, storage_of: Callable[[torch.Tensor], Storage | None]) -> None:
        self.world = world
        self._storage_of = storage_of

    def element(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], out: torch.Tensor) -> Term | None:
        """The value of a fresh result at `INDEX`, or None if it is not followed."""
        operation = OPERATIONS.get(name)
        if operation is None or out.dim() > len(INDEX) or not followable(out):
            return None
        try:
            found = operation(self, args, kwargs, INDEX[: out.dim()], out)
            if out.dtype is torch.int64 and found.op in ("add", "mul"):
                self._in_64_bits()
            return cast(found, out.dtype)
        except (Unknown, Untranslatable):
            return None

    def running(self, args: Sequence[Any], kwargs: Mapping[str, Any], out: torch.Tensor) -> Facts | None:
        """What a running sum over one dimension holds, or None if its summands are not followed."""
        t = args[0]
        if t.dim() != 1 or out.dtype is not torch.int64 or not followable(t):
            return None
        try:
            step = number(self.read(t, INDEX[:1]))
        except (Unknown, Untranslatable):
            return None
        self._in_64_bits()
        return Facts(running=step)

    def _in_64_bits(self) -> None:
        """Sums and products of the host are taken as exact, which is said."""
        self.world.registry.told.setdefault("64-bit arithmetic on index tensors of the host does not wrap")

    def read(self, value: Any, at: tuple[Term, ...]) -> Term:
        """A tensor at an index into its own shape, or a host integer. Raises Unknown."""
        if not isinstance(value, torch.Tensor):
            return self.number(value)
        storage = self._storage_of(value)
        if len(at) != value.dim():
            raise Unknown
        if storage is None or not followable(value) or storage.dtype != HOST_DTYPES[value.dtype]:
            raise Unknown
        shape, strides, start = self.layout(value)
        filled = _filled(storage, value.dtype)
        if filled is not None:
            return filled
        place = T.add(start, *(i * s for i, s in zip(at, strides, strict=True)))
        known = storage.facts.element if storage.facts is not None else None
        if known is not None:
            if (shape, strides) == (storage.shape, storage.strides) and start is T.ZERO:
                return truth(T.substitute(known, dict(zip(INDEX, at, strict=False))), value.dtype)
            if len(storage.shape) == 1 and storage.strides == (T.ONE,):
                return truth(T.substitute(known, {INDEX[0]: place}), value.dtype)
            raise Unknown
        exact = storage.facts is not None and storage.facts.running is not None
        if (storage.contents != "input" and not exact) or value.dtype is torch.bool:
            raise Unknown
        elem = element(storage.dtype)
        return T.app(cell_name(storage.ident, elem.name), place * elem.nbytes)

    def layout(self, t: torch.Tensor) -> tuple[tuple[Term, ...], tuple[Term, ...], Term]:
        """Sizes, strides and start of a tensor, in elements."""
        term = self.world.term
        return tuple(map(term, t.shape)), tuple(map(term, t.stride())), term(t.storage_offset())

    def number(self, value: Any) -> Term:
        """A host number that is an integer or boolean. Raises Unknown for anything else."""
        if isinstance(value, bool | torch.SymBool):
            return self.world.condition(value)
        if isinstance(value, int | torch.SymInt):
            return self.world.term(value)
        if isinstance(value, float) and value.is_integer():
            return T.const(int(value))
        raise Unknown

    def broadcast(self, value: Any, at: tuple[Term, ...], out: torch.Tensor) -> Term:
        """An operand of an element-wise operation at the result's index. Raises Unknown."""
        if not isinstance(value, torch.Tensor):
            return self.read(value, at)
        sizes, whole = self.layout(value)[0], tuple(map(self.world.term, out.shape))
        skip = len(whole) - len(sizes)
        place = []
        for d, size in enumerate(sizes):
            if size is whole[skip + d]:
                place.append(at[skip + d])
            elif size is T.ONE:
                place.append(T.ZERO)
            elif self.world.oracle.known(T.eq(size, whole[skip + d])):
                place.append(at[skip + d])
            else:
                raise Unknown
        return self.read(value, tuple(place))


def followable(t: torch.Tensor) -> bool:
    """Signed integers and booleans: what index arithmetic is made of."""
    return t.dtype in (torch.int64, torch.int32, torch.int16, torch.int8, torch.bool)


def number(t: Term) -> Term:
    """A boolean as 0 or 1."""
    return T.ite(t, T.ONE, T.ZERO) if t.sort is Sort.BOOL else t


def truth(t: Term, dtype: torch.dtype) -> Term:
    """What is kept of a tensor of booleans, which is 0 or 1, as a condition again."""
    return T.ne(t, 0) if dtype is torch.bool and t.sort is not Sort.BOOL else t


def cast(t: Term, dtype: torch.dtype) -> Term:
    """`t` as an integer of a type, wrapped into a width below 64 bits; booleans are 0 and 1."""
    if dtype is torch.bool:
        return number(t if t.sort is Sort.BOOL else T.ne(t, 0))
    if t.sort is Sort.BOOL or t.op == "const":
        return number(t)
    info = torch.iinfo(dtype)
    if info.bits == 64:
        return t
    if t.op == "app" and t.data.endswith(f":i{info.bits}"):
        return t
    return T.mod(t - info.min, T.const(1 << info.bits)) + info.min


def _filled(storage: Storage, dtype: torch.dtype) -> Term | None:
    text = storage.contents.removeprefix("fill ")
    if not storage.contents.startswith("fill ") or not text.lstrip("-").isdigit():
        return None
    return T.boolean(text != "0") if dtype is torch.bool else T.const(int(text))


# ---------------------------------------------------------------- operations


def _pointwise(function: Callable[..., Term], count: int) -> Operation:
    def operation(c: Computed, args: Any, kwargs: Any, at: tuple[Term, ...], out: torch.Tensor) -> Term:
        if kwargs.get("alpha", 1) != 1 or len(args) != count:  # one more is a factor: `rsub(t, number, alpha)`
            raise Unknown
        return function(*(number(c.broadcast(a, at, out)) for a in args[:count]))

    return operation


def _logical(function: Callable[..., Term], count: int) -> Operation:
    def operation(c: Computed, args: Any, kwargs: Any, at: tuple[Term, ...], out: torch.Tensor) -> Term:
        parts = [c.broadcast(a, at, out) for a in args[:count]]
        if any(isinstance(a, torch.Tensor) and a.dtype is not torch.bool for a in args[:count]):
            raise Unknown
        return function(*(p if p.sort is Sort.BOOL else T.ne(p, 0) for p in parts))

    return operation


def _divide(c: Computed, args: Any, kwargs: Any, at: tuple[Term, ...], out: torch.Tensor) -> Term:
    a, b = (number(c.broadcast(x, at, out)) for x in args[:2])
    match kwargs.get("rounding_mode"):
        case "floor":
            return T.div(a, b)
        case "trunc":
            return T.tdiv(a, b)
        case _:
            raise Unknown


def _clamp(c: Computed, args: Any, kwargs: Any, at: tuple[Term, ...], out: torch.Tensor) -> Term:
    low = kwargs.get("min", args[1] if len(args) > 1 else None)
    high = kwargs.get("max", args[2] if len(args) > 2 else None)
    x = number(c.broadcast(args[0], at, out))
    x = x if low is None else T.maximum(x, number(c.broadcast(low, at, out)))
    return x if high is None else T.minimum(x, number(c.broadcast(high, at, out)))


def _where(c: Computed, args: Any, kwargs: Any, at: tuple[Term, ...], out: torch.Tensor) -> Term:
    if len(args) != 3:
        raise Unknown
    test, yes, no = (c.broadcast(a, at, out) for a in args)
    return T.ite(test if test.sort is Sort.BOOL else T.ne(test, 0), number(yes), number(no))


def _same(c: Computed, args: Any, kwargs: Any, at: tuple[Term, ...], out: torch.Tensor) -> Term:
    return c.read(args[0], at)


def _arange(c: Computed, args: Any, kwargs: Any, at: tuple[Term, ...], out: torch.Tensor) -> Term:
    start = c.number(args[0]) if len(args) > 1 else T.ZERO
    step = c.number(args[2]) if len(args) > 2 else T.ONE
    return start + at[0] * step


def _full(c: Computed, args: Any, kwargs: Any, at: tuple[Term, ...], out: torch.Tensor) -> Term:
    return c.number(kwargs.get("fill_value", args[1] if len(args) > 1 else None))


def _pad(c: Computed, args: Any, kwargs: Any, at: tuple[Term, ...], out: torch.Tensor) -> Term:
    t, pads = args[0], args[1]
    if len(pads) != 2:
        raise Unknown
    value = c.number(args[2] if len(args) > 2 else kwargs.get("value", 0) or 0)
    inner = at[-1] - c.number(pads[0])
    inside = T.and_(T.ge(inner, 0), T.lt(inner, c.layout(t)[0][-1]))
    return T.ite(inside, number(c.read(t, (*at[:-1], inner))), number(value))


def _cat(c: Computed, args: Any, kwargs: Any, at: tuple[Term, ...], out: torch.Tensor) -> Term:
    parts = list(args[0])
    dim = kwargs.get("dim", args[1] if len(args) > 1 else 0) % out.dim()
    if any(t.dim() != out.dim() for t in parts):  # torch passes over empty tensors of one dimension
        raise Unknown
    starts = [T.ZERO]
    for t in parts[:-1]:
        starts.append(starts[-1] + c.layout(t)[0][dim])
    found = number(c.read(parts[-1], (*at[:dim], at[dim] - starts[-1], *at[dim + 1 :])))
    for i in range(len(parts) - 2, -1, -1):
        here = number(c.read(parts[i], (*at[:dim], at[dim] - starts[i], *at[dim + 1 :])))
        found = T.ite(T.lt(at[dim], starts[i + 1]), here, found)
    return found


def _stack(c: Computed, args: Any, kwargs: Any, at: tuple[Term, ...], out: torch.Tensor) -> Term:
    parts = list(args[0])
    dim = kwargs.get("dim", args[1] if len(args) > 1 else 0) % out.dim()
    inner = (*at[:dim], *at[dim + 1 :])
    found = number(c.read(parts[-1], inner))
    for i in range(len(parts) - 2, -1, -1):
        found = T.ite(T.eq(at[dim], i), number(c.read(parts[i], inner)), found)
    return found


def _index_select(c: Computed, args: Any, kwargs: Any, at: tuple[Term, ...], out: torch.Tensor) -> Term:
    if not args[0].dim():
        raise Unknown
    t, dim, index = args[0], args[1] % args[0].dim(), args[2]
    return c.read(t, (*at[:dim], number(c.read(index, (at[dim],))), *at[dim + 1 :]))


def _index(c: Computed, args: Any, kwargs: Any, at: tuple[Term, ...], out: torch.Tensor) -> Term:
    t, indices = args[0], list(args[1])
    if len(indices) != 1 or indices[0] is None or indices[0].dtype is torch.bool:
        raise Unknown
    rank = indices[0].dim()
    chosen = number(c.read(indices[0], at[:rank]))
    return c.read(t, (T.ite(T.lt(chosen, 0), chosen + c.layout(t)[0][0], chosen), *at[rank:]))


def _flip(c: Computed, args: Any, kwargs: Any, at: tuple[Term, ...], out: torch.Tensor) -> Term:
    sizes = c.layout(args[0])[0]
    dims = {d % out.dim() for d in args[1]}
    return c.read(args[0], tuple(n - 1 - i if d in dims else i for d, (i, n) in enumerate(zip(at, sizes, strict=True))))


_COMPARE: dict[str, Callable[[Term, Term], Term]] = {
    "eq": T.eq, "ne": T.ne, "lt": T.lt, "le": T.le, "gt": T.gt, "ge": T.ge,
}  # fmt: skip

OPERATIONS: dict[str, Operation] = {
    "add": _pointwise(lambda a, b: a + b, 2), "sub": _pointwise(lambda a, b: a - b, 2),
    "rsub": _pointwise(lambda a, b: b - a, 2), "mul": _pointwise(lambda a, b: a * b, 2),
    "neg": _pointwise(lambda a: -a, 1), "abs": _pointwise(lambda a: T.maximum(a, -a), 1),
    "floor_divide": _pointwise(T.div, 2), "remainder": _pointwise(T.mod, 2), "div": _divide,
    "minimum": _pointwise(T.minimum, 2), "maximum": _pointwise(T.maximum, 2),
    "scalar_tensor": lambda c, args, kwargs, at, out: c.number(args[0]),
    "clamp": _clamp, "clamp_min": _pointwise(T.maximum, 2), "clamp_max": _pointwise(T.minimum, 2),
    "logical_and": _logical(T.and_, 2), "logical_or": _logical(T.or_, 2), "logical_not": _logical(T.not_, 1),
    "bitwise_and": _logical(T.and_, 2), "bitwise_or": _logical(T.or_, 2), "bitwise_not": _logical(T.not_, 1),
    **{name: _pointwise(test, 2) for name, test in _COMPARE.items()},
    "where": _where, "clone": _same, "_to_copy": _same, "arange": _arange, "full": _full, "full_like": _full,
    "constant_pad_nd": _pad, "cat": _cat, "stack": _stack, "index_select": _index_select, "index": _index, "flip": _flip,
}  # fmt: skip


def padded(args: Sequence[Any]) -> torch.Tensor | None:
    """An allocation for `constant_pad_nd` of small rank; torch's own fake form asks for the sizes as numbers."""
    t, pads = args[0], list(args[1])
    if t.dim() > 3 or any(not isinstance(p, int) or p < 0 for p in pads):
        return None
    sizes = list(t.shape)
    for d in range(len(pads) // 2):
        sizes[-1 - d] = sizes[-1 - d] + pads[2 * d] + pads[2 * d + 1]
    return torch.empty(sizes, dtype=t.dtype, device=t.device)


def reads(facts: Facts, storage: int) -> bool:
    """Whether exact contents are made of those of a storage."""
    start = cell_name(storage, "")
    return any(a.data.startswith(start) for t in (facts.element, facts.running) if t is not None for a in t.apps)


def outdated(s: Storage, written: int) -> Storage:
    """A storage after another one is written, from whose former contents its own, or the sizes behind it, may be made."""
    if s.members is not None and (s.ident == written or any(r.startswith(cell_name(written, "")) for r in s.members.reads)):
        s = replace(s, members=None)
    if s.facts is None or not s.facts.exact or not reads(s.facts, written):
        return s
    return replace(s, facts=replace(s.facts, element=None, running=None))
