"""Scalar regions of reductions, scans and maps: the intervals that their results stay in, whatever elements they meet."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from argus_smt.absint.integers import is_integer
from argus_smt.absint.state import State, width_range
from argus_smt.absint.values import AbsValue, FloatV, IntV, LostV
from argus_smt.ir.ops import Block, Map, Op, Reduce, Scan, Value
from argus_smt.ir.types import Ptr, Scalar, elem_of
from argus_smt.smt.interval import ALL, Interval
from argus_smt.smt.term import Sort

Run = Callable[[State, Block], tuple[AbsValue, ...]]
"""How a block is interpreted: what it yields."""
ROUNDS = 4
"""So often the intervals of what a reduction carries are widened before they are given up."""


def yielded(state: State, op: Reduce | Scan | Map, block: Block, intervals: Sequence[Interval], run: Run) -> list[Interval]:
    """Intervals of what a region yields where its parameters are any integers of `intervals`; `ALL` where it may wrap."""
    for i, (param, interval) in enumerate(zip(block.params, intervals, strict=True)):
        state.put(param, element(state, op, i, param, interval))
    state.shape = ()
    out = []
    for value in run(state, block):
        exact = isinstance(value, IntV) and value.term.sort is Sort.INT and not value.guards
        out.append(state.bounds.of(value.term) if isinstance(value, IntV) and exact else ALL)
    return out


def element(state: State, op: Op, i: int, param: Value, interval: Interval) -> AbsValue:
    """Any element: a fresh unknown of an interval."""
    if isinstance(elem_of(param.type), Ptr):
        return LostV("a pointer inside of a reduction")
    if not is_integer(param):
        return FloatV()
    return state.unknown(param.type, f"{state.site(op)}/element{i}", "an element that a function is applied to", interval)


def invariant(state: State, op: Reduce | Scan, starts: Sequence[Interval], run: Run) -> list[Interval]:
    """Intervals that hold the elements (`starts`) and whatever the combine region makes of values inside of them.

    Guessed and checked: each is the hull of the elements, else up to the next power of two, else everything.
    """
    found = list(starts)
    recording, state.recording = state.recording, False
    try:
        for _ in range(ROUNDS):
            made = yielded(state, op, op.combine, (*found, *found), run)
            wider = [i for i, (old, new) in enumerate(zip(found, made, strict=True)) if not within(new, old)]
            if not wider:
                return found
            for i in wider:
                bits = power_hull(hull(starts[i], made[i]))
                found[i] = bits if within(found[i], bits) and bits != found[i] else ALL
    finally:
        state.recording = recording
    return [ALL] * len(found)


def checked(state: State, op: Reduce | Scan | Map, block: Block, intervals: Sequence[Interval], run: Run) -> None:
    """Record what a region's own operations demand: divisors that are not 0, shifts below the width."""
    if state.recording:
        yielded(state, op, block, intervals, run)


def interval_of(state: State, value: Value, shape: tuple[int, ...]) -> Interval:
    """The interval of all elements of an integer tile; what it relies on not to wrap is noted."""
    known = state.integer(value)
    if known.term.sort is not Sort.INT:
        return ALL
    outer, state.shape = state.shape, shape
    out = state.bounds.of(known.term)
    state.shape = outer
    if state.recording and known.guards:  # the interval is that of the exact values of all elements
        state.facts.relied.append((known.guards, state.scope(), shape))
    return out


def hull(a: Interval, b: Interval) -> Interval:
    """The least interval that holds both."""
    low = None if a[0] is None or b[0] is None else min(a[0], b[0])
    high = None if a[1] is None or b[1] is None else max(a[1], b[1])
    return low, high


def within(inner: Interval, outer: Interval) -> bool:
    """Whether an interval lies in another."""
    low = outer[0] is None or (inner[0] is not None and inner[0] >= outer[0])
    high = outer[1] is None or (inner[1] is not None and inner[1] <= outer[1])
    return low and high


def power_hull(a: Interval) -> Interval:
    """From 0 to all ones in as many bits as the interval needs; `ALL` where it may be negative or has no end."""
    low, high = a
    return (0, (1 << high.bit_length()) - 1) if low is not None and low >= 0 and high is not None else ALL


def total(a: Interval, least: int, most: int, elem: Scalar | Ptr) -> Interval:
    """Sums of `least` to `most` elements of an interval, as long as they cannot leave the type; else everything."""
    low, high = a
    if low is None or high is None or not isinstance(elem, Scalar):
        return ALL
    ends = [n * e for n in (least, most) for e in (low, high)]
    bottom, top = width_range(elem)
    return (min(ends), max(ends)) if bottom <= min(ends) and max(ends) <= top else ALL
