"""Shape operations, dot products, reductions, scans and gathers on lanes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from argus_smt.interp import floats
from argus_smt.interp.context import Context
from argus_smt.interp.formats import poison, settle
from argus_smt.interp.lanes import Array, Lanes, both, is_marked, mark_where, merge
from argus_smt.ir.ops import (
    Block,
    Broadcast,
    Cat,
    Dot,
    ExpandDims,
    For,
    Gather,
    Histogram,
    If,
    Join,
    Reshape,
    Splat,
    Trans,
    Unsplat,
    While,
)
from argus_smt.ir.types import Ptr, elem_of, shape_of

Combine = Callable[[Sequence[Lanes]], list[Lanes]]
"""A combine region: from the elements of the left and then of the right operand to the combined ones."""


def reshape(op: Splat | ExpandDims | Broadcast | Reshape | Trans | Unsplat, x: Lanes) -> Lanes:
    """Operations on one operand that only move lanes."""
    shape = shape_of(op.result.type)
    match op:
        case Splat() | Broadcast():
            return x.map(lambda part: np.broadcast_to(part, shape))
        case ExpandDims() | Reshape() | Unsplat():
            return x.map(lambda part: part.reshape(shape))
        case Trans():
            order = op.order
            return x.map(lambda part: part.transpose(order))


def join(op: Join | Cat, a: Lanes, b: Lanes) -> Lanes:
    """Two tiles in one: along a new last dimension, or one after the other."""
    if isinstance(op, Join):
        return both(lambda x, y: np.stack([x, y], axis=-1), a, b)
    return both(lambda x, y: np.concatenate([x, y]), a, b)


def split(x: Lanes) -> tuple[Lanes, Lanes]:
    """The two halves of a last dimension of extent 2."""
    return x.map(lambda part: part[..., 0]), x.map(lambda part: part[..., 1])


def dot(ctx: Context, op: Dot, a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    """A mark in a row of `a` marks the row of the result, one in a column of `b` the column."""
    elem = elem_of(op.result.type)
    assert not isinstance(elem, Ptr)
    undef = merge(_across(a.undef, -1), _across(b.undef, -2), c.undef)
    wrapped = merge(_across(a.wrapped, -1), _across(b.wrapped, -2), c.wrapped)
    if not elem.is_int:
        return Lanes(floats.dot(a.data, b.data, c.data, elem), None, *_whole((undef, wrapped), c.shape))
    exact = np.matmul(a.data, b.data) + c.data
    data = settle(exact, elem.bits)
    wraps = (data != exact) & ~is_marked(undef, data.shape)
    if wraps.any():
        ctx.recorder.event("wrap", op, wraps, value=int(exact[np.unravel_index(int(np.argmax(wraps)), wraps.shape)]))
        wrapped = merge(wrapped, mark_where(wraps, ctx.recorder.number(op)))
    return Lanes(data, None, *_whole((undef, wrapped), c.shape))


def _across(mark: Array | None, axis: int) -> Array | None:
    """The largest mark along an axis, which stays with extent 1."""
    return None if mark is None else np.asarray(mark.max(axis=axis, keepdims=True))


def _whole(marks: tuple[Array | None, ...], shape: tuple[int, ...]) -> list[Array | None]:
    return [None if m is None else np.broadcast_to(m, shape) for m in marks]


def gather(ctx: Context, op: Gather, x: Lanes, index: Lanes) -> Lanes:
    """Lanes of `x` picked along an axis; an index outside the tile leaves the lane undefined."""
    extent = x.shape[op.axis]
    undef_index = is_marked(index.undef, index.shape)
    bad = ((index.data < 0) | (index.data >= extent)) & ~undef_index
    if bad.any():
        first = int(index.data[np.unravel_index(int(np.argmax(bad)), bad.shape)])
        ctx.recorder.event("gather_index", op, bad, value=first, detail=f"index {first} in a tile of extent {extent}")
    where = np.clip(index.data, 0, extent - 1)
    out = x.map(lambda part: np.take_along_axis(part, where, axis=op.axis))
    undef = merge(out.undef, index.undef, mark_where(bad, ctx.recorder.number(op)))
    data = np.where(bad, poison(elem_of(op.result.type), out.shape), out.data)
    return Lanes(data, out.view, undef, merge(out.wrapped, index.wrapped))


def histogram(ctx: Context, op: Histogram, x: Lanes, mask: Lanes | None) -> Lanes:
    """Counts of the values 0, 1, …; a marked value or mask marks all counts, which it may change."""
    bins = shape_of(op.result.type)[0]
    asked = np.ones(x.shape, bool) if mask is None else mask.data != 0
    counted = x.data[asked & (x.data >= 0) & (x.data < bins)]
    undef, wrapped = (_anywhere(x_mark, m_mark, bins) for x_mark, m_mark in zip(
        (x.undef, x.wrapped), (None, None) if mask is None else (mask.undef, mask.wrapped), strict=True))  # fmt: skip
    return Lanes(np.bincount(counted, minlength=bins).astype(np.int64), None, undef, wrapped)


def _anywhere(a: Array | None, b: Array | None, extent: int) -> Array | None:
    """The largest of two sets of marks, on every lane."""
    largest = max((int(m.max()) for m in (a, b) if m is not None), default=0)
    return np.full(extent, largest, np.int32) if largest else None


def is_straight(block: Block) -> bool:
    """Whether a region has no control flow, so that it can run on many lanes at once."""
    return not any(isinstance(inner, For | While | If) for inner in block.ops)


def reduce(operands: Sequence[Lanes], axis: int, combine: Combine) -> list[Lanes]:
    """Neighbours are combined, in order, until one element is left along the axis."""
    level = [x.map(lambda part: np.moveaxis(part, axis, 0)) for x in operands]
    while (extent := level[0].shape[0]) > 1:
        pairs = extent // 2
        left = [_cut(x, slice(0, 2 * pairs, 2)) for x in level]
        right = [_cut(x, slice(1, 2 * pairs, 2)) for x in level]
        combined = combine([*left, *right])
        if extent % 2:
            combined = [_append(x, _cut(y, slice(-1, None))) for x, y in zip(combined, level, strict=True)]
        level = combined
    return [_cut(x, 0) for x in level]


def scan(operands: Sequence[Lanes], axis: int, reverse: bool, combine: Combine) -> list[Lanes]:
    """Inclusive scan, strictly one element after the other."""
    step = -1 if reverse else 1
    tiles = [x.map(lambda part: np.moveaxis(part, axis, 0)[::step]) for x in operands]
    total = [_cut(x, slice(0, 1)) for x in tiles]
    parts = total
    for place in range(1, tiles[0].shape[0]):
        total = combine([*total, *(_cut(x, slice(place, place + 1)) for x in tiles)])
        parts = [_append(x, y) for x, y in zip(parts, total, strict=True)]
    return [x.map(lambda part: np.moveaxis(part[::step], 0, axis)) for x in parts]


def _cut(x: Lanes, place: int | slice | tuple[int, ...]) -> Lanes:
    return x.map(lambda part: np.asarray(part[place]))


def _append(a: Lanes, b: Lanes) -> Lanes:
    return both(lambda x, y: np.concatenate([x, y]), a, b)


def one_by_one(combine: Combine) -> Combine:
    """A combine region that is run for one lane at a time."""

    def combined(parts: Sequence[Lanes]) -> list[Lanes]:
        shape = parts[0].shape
        rows = [combine([_cut(x, place) for x in parts]) for place in np.ndindex(shape)]
        return [_stack([row[k] for row in rows], shape) for k in range(len(rows[0]))]

    return combined


def _stack(lanes: Sequence[Lanes], shape: tuple[int, ...]) -> Lanes:
    result = lanes[0].map(lambda part: np.asarray(part).reshape(1))
    for other in lanes[1:]:
        result = _append(result, other.map(lambda part: np.asarray(part).reshape(1)))
    return result.map(lambda part: part.reshape(shape))
