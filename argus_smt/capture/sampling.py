"""Small random inputs that a signature allows, as real tensors on the CPU."""

from __future__ import annotations

import random
from typing import Any

import torch

from argus_smt.capture.conforms import Names, misfit, value_of
from argus_smt.capture.domain import Domain
from argus_smt.capture.signature import Argument, ScalarType, SequenceType, TensorType
from argus_smt.capture.world import TORCH_DTYPES
from argus_smt.smt import term as T
from argus_smt.smt.term import Term

TRIES = 2000
ELEMENTS = 1 << 18
"""Most elements of one tensor."""
_SIZES = (1, 2, 3, 4, 5, 7, 8, 12, 16, 32, 64, 128)


def sample(domain: Domain, seed: int) -> tuple[dict[str, Any], Names] | None:
    """Arguments by name, and the value of each name; None if no small input was found that meets the preconditions."""
    draw = random.Random(seed)
    for _ in range(20):
        names = _numbers(domain, draw)
        if names is None:
            return None
        values = {a.name: _value(a, domain, names, draw) for a in domain.signature.arguments}
        if not any(v is _Unfit for v in values.values()):
            return values, names
    return None


class _Unfit:
    """Stands for a value that could not be made."""


def _numbers(domain: Domain, draw: random.Random) -> Names | None:
    """Values of the symbols, and of the names that stand for terms over them."""
    conditions = [c.term for c in domain.preconditions if not c.term.apps]
    for _ in range(TRIES):
        names = {s.name: _number(s.lower, s.upper, draw) for s in domain.symbols}
        if all(bool(T.evaluate(c, lambda node, _: names[node.data])) for c in conditions):  # noqa: B023
            for name, term in domain.mapping.items():
                value = value_of(term, names)
                if value is not None:
                    names[name.data] = value
            return names
    return None


def _number(lower: int | None, upper: int | None, draw: random.Random) -> int:
    low = -8 if lower is None or lower < -(1 << 31) else lower
    high = low + 200 if upper is None else min(upper, low + 200)
    return min(high, max(low, draw.choice(_SIZES) + (low - 1 if low > 1 and draw.random() < 0.5 else 0)))


def _value(a: Argument, domain: Domain, names: Names, draw: random.Random) -> Any:
    if a.optional and not names.get(a.given, 1):
        return None
    match a.type:
        case TensorType() as t:
            return _tensor(a.name, t, domain, names, draw)
        case SequenceType(kind, items):
            parts = [_value(Argument(f"{a.name}_{i}", t), domain, names, draw) for i, t in enumerate(items)]
            return _Unfit if any(p is _Unfit for p in parts) else tuple(parts) if kind == "tuple" else parts
        case ScalarType(kind) if a.pinned:
            return _pinned(a.value, names, kind == "tuple")
        case ScalarType("int"):
            return names.get(a.name, 1)
        case ScalarType("bool"):
            return bool(names.get(a.name, 0))
        case ScalarType("float") as t:
            return draw.choice(t.choices) if t.choices else draw.uniform(*(t.floats or (0.0, 1.0)))
        case _:
            return _Unfit


def _pinned(value: Any, names: Names, as_tuple: bool) -> Any:
    if isinstance(value, tuple):
        items = [_pinned(v, names, False) for v in value]
        return tuple(items) if as_tuple else items
    return value_of(value, names) if isinstance(value, Term) else value


def _tensor(name: str, t: TensorType, domain: Domain, names: Names, draw: random.Random) -> Any:
    made = domain.tensors[name]
    shape = [value_of(d, names) for d in made.dims]
    strides = [value_of(s, names) for s in made.strides]
    if any(n is None or n < 0 for n in (*shape, *strides)):
        return _Unfit
    sizes, steps = [n or 0 for n in shape], [s or 0 for s in strides]
    extent = 1 + sum((n - 1) * s for n, s in zip(sizes, steps, strict=True))
    if extent > ELEMENTS or extent < 1:
        return _Unfit
    generator = torch.Generator().manual_seed(draw.randrange(1 << 30))
    dtype = TORCH_DTYPES[t.dtype]
    if not t.is_int:
        return torch.randn(extent, generator=generator).to(dtype).as_strided(sizes, steps)
    values = _integers(t, sizes, domain, names, draw, name)
    out = torch.zeros(extent, dtype=dtype).as_strided(sizes, steps)
    if values is None:
        return _Unfit
    out.copy_(values.to(dtype))
    return _Unfit if misfit(out, t, dict(names)) else out


def _integers(
    t: TensorType, sizes: list[int], domain: Domain, names: Names, draw: random.Random, name: str
) -> torch.Tensor | None:
    """Contents within the stated facts as far as they are easily met; the caller checks all of them."""
    made = domain.tensors[name].facts
    low = value_of(made.lower, names) if made is not None and made.lower is not None else 0
    high = value_of(made.upper, names) if made is not None and made.upper is not None else 7
    if t.dtype == "bool":
        low, high = 0, 1
    if low is None or high is None or low > high:
        return None
    count = 1
    for n in sizes:
        count *= n
    pool = t.range.values if t.range and t.range.values else range(low, min(high, low + 4096) + 1)
    if t.distinct:
        if count > len(pool):
            return None
        drawn = draw.sample(pool, count)
    else:
        drawn = [draw.choice(pool) for _ in range(count)]
    flat = torch.tensor(drawn, dtype=torch.int64).reshape(sizes)
    if t.nondecreasing and sizes:
        flat = flat.sort(dim=-1).values
    for at, stated in made.elements if made is not None else ():
        index, value = [value_of(i, names) for i in at], value_of(stated, names)
        if value is not None and all(i is not None and i < n for i, n in zip(index, sizes, strict=True)):
            flat[tuple(index)] = value
    return flat
