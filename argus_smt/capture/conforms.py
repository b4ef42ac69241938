"""Whether a real value is one that a type of a signature allows."""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch

from argus_smt.capture.domain import contiguous
from argus_smt.capture.signature import Range, ScalarType, TensorType, Type
from argus_smt.capture.world import TORCH_DTYPES
from argus_smt.smt import term as T
from argus_smt.smt.term import Term

Names = dict[str, int]
"""Values of names; those of sizes that a value introduces are entered when they are met."""


def value_of(t: Term, names: Names) -> int | None:
    """The number that a term is; None if some name of it has none, or it speaks of elements."""
    if t.apps or any(v.data not in names for v in t.free):
        return None
    return int(T.evaluate(t, lambda node, _: names[node.data]))


def misfit(value: Any, t: Type, names: Names) -> str:
    """What is wrong with a value, in words that follow "it is …"; empty if nothing is."""
    match t:
        case TensorType():
            return _tensor(value, t, names)
        case ScalarType("int"):
            if isinstance(value, bool) or not isinstance(value, int):
                return f"{_shown(value)}, not an int"
            return _outside(value, value, t.range, names)
        case ScalarType("bool"):
            return "" if isinstance(value, bool) else f"{_shown(value)}, not a bool"
        case ScalarType("float"):
            if not isinstance(value, float):
                return f"{_shown(value)}, not a float"
            low, high = t.floats or (value, value)
            return "" if low <= value <= high and (not t.choices or value in t.choices) else f"{value}, which is not {t.text}"
        case _:
            return ""


def _shown(value: Any) -> str:
    return f"a tensor {tuple(value.shape)}" if isinstance(value, torch.Tensor) else f"{value!r}"[:60]


def _tensor(value: Any, t: TensorType, names: Names) -> str:
    if not isinstance(value, torch.Tensor):
        return f"{_shown(value)}, not a tensor"
    if value.dtype != TORCH_DTYPES[t.dtype]:
        return f"a tensor of {str(value.dtype).removeprefix('torch.')}, not of {t.dtype}"
    if value.dim() != len(t.dims):
        return f"a tensor of {value.dim()} dimensions, not of {len(t.dims)}"
    for i, (size, d) in enumerate(zip(value.shape, t.dims, strict=True)):
        _bind(d, size, names)
        stated = value_of(d, names)
        if stated is not None and stated != size:
            return f"a tensor whose size {i} is {size}, not {d} = {stated}"
    if not t.strided:
        for i, (stride, s) in enumerate(zip(value.stride(), t.strides or contiguous(t.dims), strict=True)):
            stated = value_of(s, names)
            if stated is not None and stated != stride and value.shape[i] > 1:
                return f"a tensor whose stride {i} is {stride}, not {s} = {stated}"
    return _contents(value, t, names) if t.is_int and value.numel() else ""


def _bind(d: Term, size: int, names: Names) -> None:
    """Give the one unknown name of a size such as `G` or `G + 1` its value."""
    p = dict(T.poly(d))
    offset = p.pop((), 0)
    if len(p) == 1:
        ((atoms, factor),) = p.items()
        if len(atoms) == 1 and atoms[0].op == "var" and (size - offset) % factor == 0:
            names.setdefault(atoms[0].data, (size - offset) // factor)


def _contents(value: torch.Tensor, t: TensorType, names: Names) -> str:
    wide = value.to(torch.int64)
    bad = _outside(int(wide.min()), int(wide.max()), t.range, names, wide)
    if bad:
        return f"a tensor that holds {bad}"
    steps = wide.diff(dim=-1) if wide.dim() and wide.shape[-1] > 1 else None
    if t.nondecreasing and steps is not None and bool((steps < 0).any()):
        return "a tensor that decreases along its last dimension"
    if t.steps is not None and steps is not None:
        bad = _outside(int(steps.min()), int(steps.max()), t.steps, names)
        if bad:
            return f"a tensor with a step of {bad}"
    if t.distinct:
        but = None if t.distinct_except is None else value_of(t.distinct_except, names)
        if any(n > 1 and v != but for v, n in Counter(wide.flatten().tolist()).items()):
            return "a tensor with two equal elements"
    if t.covering is not None and t.covering.lower is not None and t.covering.upper is not None:
        low, high = value_of(t.covering.lower, names), value_of(t.covering.upper, names)
        if low is not None and high is not None and not set(range(low, high + 1)) <= set(wide.flatten().tolist()):
            return f"a tensor that lacks some of {low} to {high}"
    return ""


def _outside(low: int, high: int, r: Range | None, names: Names, all_: torch.Tensor | None = None) -> str:
    """An end that is not in the range, in words."""
    if r is None:
        return ""
    if r.values:
        found = all_.flatten().tolist() if all_ is not None else [low, high]
        wrong = [v for v in found if v not in r.values]
        return f"{wrong[0]}, which is not in {set(r.values)}" if wrong else ""
    least = None if r.lower is None else value_of(r.lower, names)
    most = None if r.upper is None else value_of(r.upper, names)
    if least is not None and low < least:
        return f"{low}, which is less than {r.lower}" + ("" if r.lower is not None and r.lower.is_const else f" = {least}")
    if most is not None and high > most:
        return f"{high}, which is more than {r.upper}" + ("" if r.upper is not None and r.upper.is_const else f" = {most}")
    return ""
