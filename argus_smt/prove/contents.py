"""Contents of an integer tensor for concrete sizes: some elements given, the others chosen so that all that is stated holds.

Rows with bounds on the steps between neighbours are systems of difference constraints on a line: their solutions are
found by pushing bounds from both ends, and whatever is chosen from left to right within the bounds stays completable.
What is chosen is checked against every statement at the end, so a gap in the construction costs an answer, never a
wrong one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from argus_smt.ir.launch import Facts
from argus_smt.smt.term import Term

LARGEST = 1 << 20
"""Elements up to which a tensor with statements about order is written out."""
_FAR = 1 << 70

Index = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Concrete:
    """Statements about contents with numbers for the terms; ends are inclusive, None is open."""

    low: int
    high: int
    values: tuple[int, ...] = ()
    distinct: bool = False
    """All elements differ."""
    repeats: int | None = None
    """All elements differ but those of this value."""
    step: tuple[int, int] | None = None
    """Least and greatest difference of neighbours along the last dimension."""
    covering: tuple[int, int] | None = None
    elements: tuple[tuple[Index, int], ...] = ()

    @property
    def ordered(self) -> bool:
        """Whether elements are bound to each other or to their places."""
        return bool(self.distinct or self.repeats is not None or self.step or self.covering or self.elements)


def concrete(facts: Facts, value: Callable[[Term], int], low: int, high: int) -> Concrete:
    """The statements of a signature where `value` gives the symbols; `low` and `high` are the type's own ends."""
    low = low if facts.lower is None else max(low, value(facts.lower))
    high = high if facts.upper is None else min(high, value(facts.upper))
    step = None
    if facts.steps is not None:
        step = (max(value(facts.steps[0]), 0 if facts.nondecreasing else -_FAR), value(facts.steps[1]))
    elif facts.nondecreasing:
        step = (0, _FAR)
    repeats = None if facts.distinct_except is None else value(facts.distinct_except)
    covering = None if facts.covering is None else (value(facts.covering[0]), value(facts.covering[1]))
    elements = tuple((tuple(value(i) for i in at), value(x)) for at, x in facts.elements)
    return Concrete(low, high, facts.values, facts.distinct and repeats is None, repeats, step, covering, elements)


def complete(shape: Index, stated: Concrete, fixed: Mapping[Index, int], rng: Random | None = None) -> Any:
    """Contents of a tensor as an array of Python-sized integers, or None if none were found.

    `fixed` gives elements by index. Without `rng` the least numbers are taken, with it random ones.
    """
    count = int(np.prod(shape, dtype=object)) if shape else 1
    if count > LARGEST or any(n < 0 for n in shape):
        return None
    given = dict(fixed)
    for at, value in stated.elements:
        if len(at) != len(shape) or not all(0 <= i < n for i, n in zip(at, shape, strict=True)):
            return None
        if given.setdefault(at, value) != value:
            return None
    if any(not stated.low <= v <= stated.high for v in given.values()):
        return None
    out = np.zeros(shape, dtype=object)
    known = np.zeros(shape, dtype=bool)
    for at, value in given.items():
        out[at], known[at] = value, True
    filled = _rows(out, known, stated, rng) if stated.step is not None else _loose(out, known, stated, rng)
    return out if filled and satisfies(out, stated) else None


def satisfies(contents: Any, stated: Concrete) -> bool:
    """Whether an array has all that is stated."""
    flat = [int(v) for v in contents.reshape(-1)]
    if any(not stated.low <= v <= stated.high for v in flat) or (stated.values and not set(flat) <= set(stated.values)):
        return False
    apart = [v for v in flat if v != stated.repeats]
    if (stated.distinct or stated.repeats is not None) and len(set(apart)) != len(apart):
        return False
    if stated.covering is not None and not set(range(stated.covering[0], stated.covering[1] + 1)) <= set(flat):
        return False
    if stated.step is not None and contents.ndim and contents.shape[-1] > 1:
        rises = contents[..., 1:] - contents[..., :-1]
        if any(not stated.step[0] <= r <= stated.step[1] for r in rises.reshape(-1)):
            return False
    return all(contents[at] == value for at, value in stated.elements)


# ---------------------------------------------------------------- rows with steps


def _rows(out: Any, known: Any, stated: Concrete, rng: Random | None) -> bool:
    assert stated.step is not None
    least, most = stated.step
    if stated.distinct and least == 0:
        least = 1
    if out.ndim == 0:
        return _loose(out, known, stated, rng)
    return all(_row(out[at], known[at], (least, most), stated, rng) for at in np.ndindex(out.shape[:-1]))


def _row(row: Any, known: Any, step: tuple[int, int], stated: Concrete, rng: Random | None) -> bool:
    n = len(row)
    low = [int(row[i]) if known[i] else stated.low for i in range(n)]
    high = [int(row[i]) if known[i] else stated.high for i in range(n)]
    if stated.covering is not None and n:  # sorted and without gaps: from the first value to the last
        step = (step[0], min(step[1], 1))
        low[-1], high[0] = max(low[-1], stated.covering[1]), min(high[0], stated.covering[0])
    for i in range(1, n):
        low[i], high[i] = max(low[i], low[i - 1] + step[0]), min(high[i], high[i - 1] + step[1])
    for i in range(n - 2, -1, -1):
        low[i], high[i] = max(low[i], low[i + 1] - step[1]), min(high[i], high[i + 1] - step[0])
    for i in range(n):
        first = low[i] if i == 0 else max(low[i], int(row[i - 1]) + step[0])
        last = high[i] if i == 0 else min(high[i], int(row[i - 1]) + step[1])
        if first > last:
            return False
        row[i] = _chosen(first, last, stated, rng)
    return True


def _chosen(first: int, last: int, stated: Concrete, rng: Random | None) -> int:
    allowed = [v for v in stated.values if first <= v <= last]
    if allowed:
        return rng.choice(allowed) if rng else min(allowed)
    if rng is None:
        return max(first, min(last, 0)) if first < -(1 << 62) else first
    return rng.randint(first, min(last, max(first, 0) + 64))


# ---------------------------------------------------------------- elements that only need to differ


def _loose(out: Any, known: Any, stated: Concrete, rng: Random | None) -> bool:
    """Fill without order: first what must occur, then unused values where they must differ."""
    open_places = [at for at in np.ndindex(out.shape) if not known[at]]
    if rng:
        rng.shuffle(open_places)
    used = {int(out[at]) for at in np.ndindex(out.shape) if known[at]}
    wanted: list[int] = []
    if stated.covering is not None:
        wanted = [v for v in range(stated.covering[0], stated.covering[1] + 1) if v not in used]
        if len(wanted) > len(open_places):
            return False
    for at, value in zip(open_places, wanted, strict=False):
        out[at] = value
    rest = open_places[len(wanted) :]
    if not (stated.distinct or stated.repeats is not None):
        for at in rest:
            out[at] = _chosen(stated.low, stated.high, stated, rng)
        return True
    fresh = _unused(stated, used | set(wanted))
    for at in rest:
        unused = next(fresh, stated.repeats)
        if unused is None:
            return False
        out[at] = unused
    return True


def _unused(stated: Concrete, used: set[int]) -> Iterator[int]:
    """Values that do not occur yet, small ones first."""
    if stated.values:
        yield from (v for v in stated.values if v not in used and v != stated.repeats)
        return
    start = max(stated.low, min(stated.high, 0))
    for v in range(start, stated.high + 1):
        if v not in used and v != stated.repeats:
            yield v
    for v in range(start - 1, stated.low - 1, -1):
        if v not in used and v != stated.repeats:
            yield v
