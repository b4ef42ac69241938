"""How many values a shape:stride layout has, exactly, without going through its indices.

Modes sorted by stride fall into groups: where the strides above are multiples of g and the modes below stay under g, values
of both are told apart, and their numbers multiply. A group of one mode, and of two by a formula on their greatest common
divisor, needs no search; what is left is counted as a set of bits, by shifting.
"""

from __future__ import annotations

from math import gcd

from argus_smt.layout.error import LayoutError
from argus_smt.layout.shape_stride import Layout

MOST_BITS = 1 << 24
"""Reach of a group up to which its values are counted as bits."""


def image_size(layout: Layout) -> int:
    """How many different values the layout has; raises `LayoutError` if a group that is left reaches too far."""
    modes = sorted((abs(d), s) for s, d in layout.modes if s > 1 and d)
    count, group = 1, list[tuple[int, int]]()
    for i, mode in enumerate(modes):
        group.append(mode)
        above = gcd(*(d for d, _ in modes[i + 1 :]))
        if not above or sum((s - 1) * d for d, s in group) < above:
            count *= _values(group)
            group = []
    return count


def is_injective(layout: Layout) -> bool:
    """Whether no two indices have one value."""
    return image_size(layout) == layout.size


def is_surjective(layout: Layout) -> bool:
    """Whether every integer from 0 to `cosize` − 1 is a value."""
    return all(d >= 0 for s, d in layout.modes if s > 1) and image_size(layout) == layout.cosize


def _values(group: list[tuple[int, int]]) -> int:
    if len(group) == 1:
        return group[0][1]
    if len(group) == 2:
        return _two(*group)
    step = gcd(*(d for d, _ in group))
    reach = sum((s - 1) * d for d, s in group) // step
    if reach > MOST_BITS:
        raise LayoutError(f"strides {', '.join(str(d) for d, _ in group)} overlap up to {reach} steps: too far to count")
    bits = 1
    for stride, size in group:
        bits = _spread(bits, stride // step, size)
    return bits.bit_count()


def _two(a: tuple[int, int], b: tuple[int, int]) -> int:
    """Values of x·a + y·b: pairs, less those that have the same value as the pair one period on."""
    (d, s), (e, t) = a, b
    step = gcd(d, e)
    return s * t - max(0, s - e // step) * max(0, t - d // step)


def _spread(bits: int, stride: int, size: int) -> int:
    """The union of `size` copies, each `stride` further, by doubling."""
    copies = 1
    while copies < size:
        more = min(copies, size - copies)
        bits |= bits << more * stride
        copies += more
    return bits
