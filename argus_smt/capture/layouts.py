"""Results that keep the layout of a tensor of free strides (`empty_like`, `clone`, `to`, arithmetic), and contiguity.

Torch gives the result dense strides in the order of the strides of the tensor. Asking it for that order takes many paths
where the strides are free; here the strides of the result are symbols, each with the value that it has for each order.
"""

from __future__ import annotations

from itertools import combinations, pairwise, permutations
from typing import Any

import torch

from argus_smt.capture.sympy_terms import Untranslatable
from argus_smt.capture.world import World
from argus_smt.ir.launch import Condition, Symbol
from argus_smt.smt import term as T
from argus_smt.smt.term import Term

Layout = tuple[tuple[Term, ...], tuple[Term, ...]]
LARGEST_RANK = 4
_LIKE = ("empty_like", "zeros_like", "ones_like", "full_like", "rand_like", "randn_like", "clone", "_to_copy")
_INT64 = (1 << 63) - 1
_DENSE = "dense_s"


def like(world: World, func: Any, name: str, args: Any, kwargs: Any) -> torch.Tensor | None:
    """The result of an operation that keeps the layout of its operand; None where torch itself is to be asked."""
    tensors = [a for a in args if isinstance(a, torch.Tensor) and a.dim()]
    pointwise = torch.Tag.pointwise in func.tags and not func._schema.is_mutable and len(func._schema.returns) == 1
    if not tensors or not (name in _LIKE or pointwise) or any(isinstance(a, torch.Tensor) for a in kwargs.values()):
        return None
    t = tensors[0]
    if any(_layout(world, other) != _layout(world, t) for other in tensors[1:]) and not _decides(world, t, tensors[1:]):
        return None
    wanted = kwargs.get("memory_format") or torch.preserve_format
    layout = _layout(world, t) if wanted in (torch.preserve_format, torch.contiguous_format) else None
    if layout is None or kwargs.get("layout") not in (None, torch.strided) or kwargs.get("pin_memory"):
        return None
    rows = wanted is torch.contiguous_format
    strides = _packed(layout[0], list(reversed(range(t.dim())))) if rows else _dense(world, *layout)
    sizes = [world.integer(n) for n in layout[0]]
    made = [world.integer(s) for s in strides]
    dtype: Any = kwargs.get("dtype") or t.dtype
    if name not in _LIKE:
        dtype = func(*map(_small, args), **kwargs).dtype
    out: torch.Tensor = torch.empty_strided(sizes, made, dtype=dtype, device=kwargs.get("device") or t.device)
    return out


def _decides(world: World, first: torch.Tensor, others: list[torch.Tensor]) -> bool:
    """Whether the first operand alone settles the layout: torch asks the next one only where strides are equal or 0.

    A result made here has neither, but in dimensions of extent 1, whose strides mean nothing.
    """
    layout = _layout(world, first)
    made = {name for name in world.registry.readings.values() if name.startswith(_DENSE)}
    if layout is None or not all(s.op == "var" and s.data in made for s in layout[1]):
        return False
    return all(len(o.shape) == len(layout[0]) and tuple(map(world.term, o.shape)) == layout[0] for o in others)


def _small(value: Any) -> Any:
    """A tensor of the same type with one element; one of no dimension stays as it is."""
    whole = isinstance(value, torch.Tensor) and value.dim()
    return torch.empty((1, 1), dtype=value.dtype, device=value.device) if whole else value


def contiguity(world: World) -> dict[str, Any]:
    """Methods of a tensor that ask whether it is contiguous, in one question."""

    def asked(self: Any, memory_format: Any = torch.contiguous_format) -> bool:
        known = _is_contiguous(world, self) if memory_format is torch.contiguous_format else None
        return torch.Tensor.is_contiguous(self, memory_format=memory_format) if known is None else known

    def made(self: Any, memory_format: Any = torch.contiguous_format) -> torch.Tensor:
        known = _is_contiguous(world, self) if memory_format is torch.contiguous_format else None
        if known is None:
            return torch.Tensor.contiguous(self, memory_format=memory_format)
        out: torch.Tensor = self if known else self.clone(memory_format=torch.contiguous_format)
        return out

    return {"is_contiguous": asked, "contiguous": made}


def _is_contiguous(world: World, t: torch.Tensor) -> bool | None:
    """Whether a tensor is contiguous, as one question; None where torch itself is to be asked."""
    layout = _layout(world, t)
    if layout is None:
        return None
    parts, expected = [], T.ONE
    for n, s in zip(reversed(layout[0]), reversed(layout[1]), strict=True):
        parts.append(T.or_(T.eq(n, 1), T.eq(s, expected)))
        expected = expected * n
    return world.oracle.decide(T.and_(*parts), "framework", world.oracle.asker()[0])


def _layout(world: World, t: torch.Tensor) -> Layout | None:
    """Sizes and strides of a tensor of free layout that has elements; None for other tensors."""
    if not 2 <= t.dim() <= LARGEST_RANK:
        return None
    try:
        sizes, strides = tuple(map(world.term, t.shape)), tuple(map(world.term, t.stride()))
    except Untranslatable:
        return None
    row_major, expected = True, T.ONE
    for n, s in zip(reversed(sizes), reversed(strides), strict=True):
        row_major = row_major and s is expected
        expected = expected * n
    return None if row_major or not all(world.oracle.known(T.ge(n, 1)) for n in sizes) else (sizes, strides)


# ---------------------------------------------------------------- dense strides


def _dense(world: World, sizes: tuple[Term, ...], strides: tuple[Term, ...]) -> tuple[Term, ...]:
    """Strides of the result. A stride of a dimension of extent 1 may be another one than torch's: it means nothing."""
    settled = _settled(world, sizes, strides)
    if settled is not None:
        return _packed(sizes, settled)
    span = world.oracle.asker()[0]
    positive = world.oracle.decide(T.and_(*(T.ge(s, 1) for s in strides)), "framework", span)
    return _symbols(world, sizes, strides, positive)


def _settled(world: World, sizes: tuple[Term, ...], strides: tuple[Term, ...]) -> list[int] | None:
    """The dimensions from the innermost out, if their order is known."""
    known = world.oracle.known
    if not all(known(T.ge(s, 1)) for s in strides):
        return None
    inside = [0] * len(sizes)
    for a, b in combinations(range(len(sizes)), 2):
        order = _inner(sizes, strides, a, b)
        if not known(order) and not known(T.not_(order)):
            return None
        inside[b if known(order) else a] += 1
    return sorted(range(len(sizes)), key=lambda d: inside[d])


def _inner(sizes: tuple[Term, ...], strides: tuple[Term, ...], a: int, b: int) -> Term:
    """Whether dimension `a` comes inside of `b`: the lesser stride, then the lesser size, then the later one."""
    smaller = T.lt(sizes[a], sizes[b]) if a < b else T.le(sizes[a], sizes[b])
    return T.or_(T.lt(strides[a], strides[b]), T.and_(T.eq(strides[a], strides[b]), smaller))


def _symbols(world: World, sizes: tuple[Term, ...], strides: tuple[Term, ...], positive: bool) -> tuple[Term, ...]:
    """A symbol for each stride of the result, with facts that define it."""
    registry = world.registry
    what = f"sizes {', '.join(map(str, sizes))} in the order of {', '.join(map(str, strides))}"
    facts = _facts(sizes, strides, positive)
    out = []
    for d in range(len(sizes)):
        mark = (what, d, str(positive), "")
        if mark not in registry.readings:
            registry.readings[mark] = registry.name(f"{_DENSE}{d}")
        name = registry.readings[mark]
        r = T.var(name)
        if name not in registry.facts:
            registry.symbols[name] = Symbol(name, "stride", 1, _INT64, f"stride {d} of a dense tensor of {what}")
            registry.facts[name] = tuple(
                Condition(T.implies(where, T.eq(r, values[d])), "default", f"`{name}` is the stride that torch gives")
                for where, values in facts
            )
        world.register(registry.symbols[name])
        if registry.facts[name][0].term not in world.oracle.hypotheses:
            world.oracle.hypotheses += [T.ge(r, 1), T.le(r, _INT64), *(c.term for c in registry.facts[name])]
        out.append(r)
    return tuple(out)


def _facts(sizes: tuple[Term, ...], strides: tuple[Term, ...], positive: bool) -> list[tuple[Term, tuple[Term, ...]]]:
    """Every order of the dimensions: where torch finds it, and the strides of the result.

    Torch sorts by insertion, from the last dimension on. A stride of 0 compares with nothing, so that its dimension stays
    where it is and the others are sorted around it.
    """
    dims = range(len(sizes))
    out = []
    for count in range(1) if positive else range(1, len(sizes) + 1):
        for zeros in combinations(dims, count):
            moved = [d for d in reversed(dims) if d not in zeros]
            pattern = [T.eq(strides[d], 0) if d in zeros else T.ge(strides[d], 1) for d in dims]
            for chosen in permutations(moved):
                ordered = [_inner(sizes, strides, a, b) for a, b in pairwise(chosen)]
                rest = iter(chosen)
                order = [d if d in zeros else next(rest) for d in reversed(dims)]
                out.append((T.and_(*pattern, *ordered), _packed(sizes, order)))
    return out


def _packed(sizes: tuple[Term, ...], order: list[int]) -> tuple[Term, ...]:
    """Dense strides where `order` lists the dimensions from the innermost out."""
    out, stride = [T.ONE] * len(sizes), T.ONE
    for d in order:
        out[d] = stride
        stride = stride * sizes[d]
    return tuple(out)
