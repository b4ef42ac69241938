"""Operations on shape:stride layouts: coalesce, compose, complement, divide, product, inverses, with the meaning of CuTe.

An operation whose result would not be such a layout raises `LayoutError`; it never gives one that is nearly right.
"""

from __future__ import annotations

from argus_smt.layout.error import LayoutError
from argus_smt.layout.shape_stride import Layout, Nested, concatenate, flat

Modes = list[tuple[int, int]]


def coalesce(layout: Layout) -> Layout:
    """The shortest flat layout that is the same function. Two layouts are the same function exactly if these are equal."""
    result: Modes = []
    for size, stride in layout.modes:
        if size == 1:
            continue
        if result and stride == result[-1][0] * result[-1][1]:
            result[-1] = (result[-1][0] * size, result[-1][1])
        else:
            result.append((size, stride))
    return flat(result)


def same_function(a: Layout, b: Layout) -> bool:
    """Whether two layouts have the same size and the same value at every index."""
    return coalesce(a) == coalesce(b)


def compose(outer: Layout, inner: Layout) -> Layout:
    """`outer(inner(i))`, nested as `inner` is."""
    if any(d < 0 for _, d in inner.modes) or inner.cosize > outer.size:
        raise LayoutError(f"{inner} has values outside 0 to {outer.size - 1}, the indices of {outer}")
    digits = coalesce(outer).modes
    reached = [0] * len(digits)

    def composed(shape: Nested, stride: Nested) -> Layout:
        if isinstance(shape, int) and isinstance(stride, int):
            return flat(_compose_mode(outer, digits, shape, stride, reached))
        assert isinstance(shape, tuple)
        assert isinstance(stride, tuple)
        return concatenate(*(composed(s, d) for s, d in zip(shape, stride, strict=True)))

    result = composed(inner.shape, inner.stride)
    for (size, _), most in zip(digits, reached, strict=True):
        if most >= size:
            raise LayoutError(f"{outer} after {inner}: digits of the inner layout carry into each other")
    return result


def _compose_mode(outer: Layout, digits: tuple[tuple[int, int], ...], size: int, stride: int, reached: list[int]) -> Modes:
    """One inner mode, taken apart by the digits of the outer layout; notes how far it reaches in each."""
    if size == 1 or stride == 0:
        return [(size, 0)]
    result: Modes = []
    for i, (have, step) in enumerate(digits):
        if size == 1:
            break
        if i == len(digits) - 1:
            result.append((size, stride * step))
            reached[i] += (size - 1) * stride
            return result
        if stride >= have:
            if stride % have:
                raise LayoutError(f"stride {stride} does not meet the digits of {outer}: {have} does not divide it")
            stride //= have
            continue
        if have % stride:
            raise LayoutError(f"stride {stride} does not meet the digits of {outer}: it does not divide {have}")
        taken = min(have // stride, size)
        if size % taken:
            raise LayoutError(f"size {size} does not meet the digits of {outer}: {taken} does not divide it")
        result.append((taken, stride * step))
        reached[i] += (taken - 1) * stride
        size, stride = size // taken, 1
    return result


def complement(layout: Layout, size: int) -> Layout:
    """A layout whose values fill up: its sums with values of `layout` are different, and cover 0 to `size` − 1 at least."""
    result: Modes = []
    current = 1
    for stride, count in sorted((d, s) for s, d in layout.modes if s > 1):
        if stride <= 0 or stride % current:
            raise LayoutError(f"{layout} has no complement: stride {stride} is no positive multiple of {current}")
        result.append((stride // current, current))
        current = stride * count
    result.append((-(-size // current), current))
    return coalesce(flat(result))


def logical_divide(layout: Layout, tiler: Layout) -> Layout:
    """Two modes: inside a tile, and over the tiles, where `tiler` says which indices a tile has."""
    return compose(layout, concatenate(tiler, complement(tiler, layout.size)))


def logical_product(layout: Layout, tiler: Layout) -> Layout:
    """Two modes: `layout`, and copies of it, put where `tiler` says in units of free places."""
    return concatenate(layout, compose(complement(layout, layout.size * tiler.cosize), tiler))


def right_inverse(layout: Layout) -> Layout:
    """The longest R with `layout(R(i)) == i` that takes whole digits."""
    digits = coalesce(layout).modes
    result: Modes = []
    place, found = 1, []
    for size, stride in digits:
        found.append((stride, size, place))
        place *= size
    current = 1
    for stride, size, place in sorted(found):
        if stride == current and size > 1:
            result.append((size, place))
            current *= size
    return coalesce(flat(result))


def left_inverse(layout: Layout) -> Layout:
    """L with `L(layout(i)) == i` for every index; the layout has to be injective with strides that nest."""
    return right_inverse(concatenate(layout, complement(layout, layout.cosize)))
