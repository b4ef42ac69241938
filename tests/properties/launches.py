"""Small concrete calls of a generated launcher: all small sizes, several layouts, extreme and random index contents."""

from __future__ import annotations

import random
from itertools import product
from math import prod

from tests.oracle.jobs import Argument, TensorArg
from tests.properties.drafting import Tensor
from tests.properties.generate import Generated

Call = tuple[Argument, ...]
SIZES = {1: tuple(range(1, 11)), 2: (1, 2, 3, 4, 5, 7, 9), 3: (1, 2, 3, 5)}
LAYOUTS = ("contiguous", "padded", "reversed", "broadcast")
CONTENTS = ("low", "high", "random")


def value(text: str, sizes: dict[str, int]) -> int:
    """Value of an expression over sizes."""
    return int(eval(text, {"__builtins__": {}}, dict(sizes)))


def strides_of(shape: tuple[int, ...], layout: str) -> tuple[int, ...]:
    """Strides, in elements, of a layout."""
    match layout:
        case "reversed":
            return tuple(prod(shape[:k]) for k in range(len(shape)))
        case "broadcast":
            return (0, *(prod(shape[k + 1 :]) for k in range(1, len(shape))))
        case "padded":
            return tuple(prod(shape[k + 1 :]) * 2 + (2 if k + 1 < len(shape) else 0) for k in range(len(shape)))
        case _:
            return tuple(prod(shape[k + 1 :]) for k in range(len(shape)))


def tensor_arg(t: Tensor, sizes: dict[str, int], layout: str, contents: str, seed: int) -> TensorArg:
    """The concrete tensor of an argument."""
    shape = tuple(sizes[dim] for dim in t.dims)
    strides = strides_of(shape, layout) if t.strided else None
    if not t.high:
        return TensorArg(t.dtype, shape, strides, low=-3, high=3, seed=seed)
    low, high = value(t.low, sizes), value(t.high, sizes) - 1
    if contents == "random":
        return TensorArg(t.dtype, shape, strides, low=low, high=high, seed=seed)
    return TensorArg(t.dtype, shape, strides, values=(low if contents == "low" else high,) * prod(shape))


def calls(g: Generated, limit: int) -> list[Call]:
    """Every combination of small sizes, layouts, contents and integers, or a fixed random part of `limit` of them."""
    layouts = LAYOUTS if any(t.strided for t in g.tensors) else LAYOUTS[:1]
    contents = CONTENTS if any(t.high for t in g.tensors) else CONTENTS[-1:]
    ends = product((False, True), repeat=len(g.ints))
    sizes = product(SIZES[len(g.dims)], repeat=len(g.dims))
    every = list(product(sizes, layouts, contents, ends))
    if len(every) > limit:
        every = random.Random(g.seed).sample(every, limit)
    out: list[Call] = []
    for number, (extents, layout, content, tops) in enumerate(every):
        named = dict(zip(g.dims, extents, strict=True))
        tensors = [tensor_arg(t, named, layout, content, number) for t in g.tensors]
        numbers = [value(bound, named) - 1 if top else 0 for (_, bound), top in zip(g.ints, tops, strict=True)]
        out.append((*tensors, *numbers))
    return out
