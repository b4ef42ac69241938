"""Loads and stores on lanes, and the checks that every access undergoes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from argus_smt.interp.context import Context
from argus_smt.interp.elementwise import scalar_type, undefined
from argus_smt.interp.events import Access, first_hit
from argus_smt.interp.formats import decode, encode
from argus_smt.interp.lanes import Array, Lanes, choose, is_marked, mark_where, merge
from argus_smt.ir.ops import AtomicCAS, AtomicRMW, Load, Store
from argus_smt.ir.types import Ptr, Scalar, elem_of

MemoryOp = Load | Store | AtomicRMW | AtomicCAS


def pointee(op: MemoryOp) -> Scalar | Ptr:
    """Type of the element that an access moves."""
    pointer = elem_of(op.ptr.type)
    assert isinstance(pointer, Ptr)
    return pointer.elem


def live_lanes(ctx: Context, op: MemoryOp, ptr: Lanes, mask: Lanes | None) -> Array:
    """The lanes to access: active, at a defined address, in bounds. Reports all that is wrong with the others."""
    everywhere = np.ones(ptr.shape, bool)
    active = everywhere
    if mask is not None:
        ctx.recorder.used(op, mask.undef, mask.wrapped, "the mask", everywhere)
        active = np.broadcast_to(mask.data != 0, ptr.shape) & ~is_marked(mask.undef, ptr.shape)
    ctx.recorder.used(op, ptr.undef, ptr.wrapped, "the address", active)
    active = active & ~is_marked(ptr.undef, ptr.shape)
    inside = _inside(ctx, ptr, pointee(op).nbytes)
    outside = active & ~inside
    if outside.any():
        _report_outside(ctx, op, ptr, mask, outside)
    return np.asarray(active & inside)


def _inside(ctx: Context, ptr: Lanes, size: int) -> Array:
    views = ctx.views.views_of(ptr)
    return np.asarray((ptr.data >= ctx.views.lower[views]) & (ptr.data <= ctx.views.upper[views] - size))


def _report_outside(ctx: Context, op: MemoryOp, ptr: Lanes, mask: Lanes | None, outside: Array) -> None:
    first = first_hit(outside)
    view = int(ctx.views.views_of(ptr)[first])
    storage = int(ctx.views.storage[view])
    detail, source = "", None
    for what, mark in (("address", ptr.wrapped), ("mask", mask.wrapped if mask is not None else None)):
        if source is None and mark is not None and (number := int(np.broadcast_to(mark, ptr.shape)[first])):
            source = ctx.recorder.origin(number)
            detail = f"{what} derives from wrapped op at line {source.span.line}"
    address = int(ptr.data[first])
    ctx.recorder.event(
        "oob_read" if isinstance(op, Load) else "oob_write",
        op,
        outside,
        storage=storage if view else None,
        address=address if view else None,
        extent=ctx.memory.region(storage).nbytes if view else None,
        size=pointee(op).nbytes,
        value=address,
        detail=detail,
        lower=int(ctx.views.lower[view]) if view else None,
        upper=int(ctx.views.upper[view]) if view else None,
        source=source,
    )


def by_storage(ctx: Context, ptr: Lanes, live: Array) -> Iterator[tuple[int, Array]]:
    """Storages that live lanes touch, with the lanes that touch each."""
    owner = ctx.views.storage[ctx.views.views_of(ptr)]
    for storage in np.unique(owner[live]):
        yield int(storage), np.asarray(live & (owner == storage))


def bytes_at(offsets: Array, size: int) -> Array:
    """Byte offsets of elements: shape (n, size)."""
    return np.asarray(offsets[:, None] + np.arange(size, dtype=np.int64))


def _decode(ctx: Context, raw: Array, elem: Scalar | Ptr) -> tuple[Array, Array | None]:
    """Data and, for pointers, views of elements in memory."""
    data = decode(raw, scalar_type(elem))
    return ctx.views.from_addresses(data) if isinstance(elem, Ptr) else (data, None)


def encode_lanes(ctx: Context, value: Lanes, elem: Scalar | Ptr, shape: tuple[int, ...]) -> Array:
    data = ctx.views.addresses(value) if isinstance(elem, Ptr) else value.data
    return encode(np.broadcast_to(data, shape), scalar_type(elem))


def note_access(
    ctx: Context, op: MemoryOp, kind: str, storage: int, ptr: Lanes, here: Array, values: Array,
    raw: Array | None = None, defined: Array | None = None, wrote: Array | None = None,
) -> None:  # fmt: skip
    """Tell whoever watches the run; see `Access`."""
    tell = ctx.recorder.on_access
    if tell is not None:
        trips, size = tuple(ctx.recorder.iteration), pointee(op).nbytes
        passed = ctx.recorder.passed
        tell(Access(op, kind, ctx.program, trips, storage, ptr.data, here, size, values, raw, defined, wrote, passed))


def report_uninitialised(ctx: Context, op: MemoryOp, storage: int, ptr: Lanes, here: Array, fresh: Array) -> None:
    """`fresh`: which of the lanes `here` read a byte that nobody wrote."""
    if fresh.any():
        hits = np.zeros(ptr.shape, bool)
        hits[here] = fresh
        extent, address, size = ctx.memory.region(storage).nbytes, int(ptr.data[first_hit(hits)]), pointee(op).nbytes
        ctx.recorder.event("uninit_read", op, hits, storage=storage, address=address, extent=extent, size=size)


def load(ctx: Context, op: Load, ptr: Lanes, mask: Lanes | None, other: Lanes | None) -> Lanes:
    """Read live lanes; masked lanes give `other`. Lanes out of bounds or never written are undefined."""
    elem, shape = pointee(op), ptr.shape
    live = live_lanes(ctx, op, ptr, mask)
    out = undefined(ctx, op, elem, shape)
    data, undef = out.data.copy(), is_marked(out.undef, shape).copy()
    view = None if out.view is None else out.view.copy()
    for storage, here in by_storage(ctx, ptr, live):
        raw, code = ctx.memory.take(storage, bytes_at(ptr.data[here], elem.nbytes))
        fresh = np.asarray(ctx.memory.uninitialised(storage, code).any(axis=-1))
        report_uninitialised(ctx, op, storage, ptr, here, fresh)
        data[here], views = _decode(ctx, raw, elem)
        if view is not None and views is not None:
            view[here] = views
        undef[here] = fresh | (code < 0).any(axis=-1)
        note_access(ctx, op, "load", storage, ptr, here, data)
    read = Lanes(data, view, mark_where(undef, ctx.recorder.number(op)))
    if mask is None or (other is None and ctx.padding is None):
        return read
    masked = np.broadcast_to(mask.data == 0, shape) & ~is_marked(mask.undef, shape)
    if other is None:
        assert ctx.padding is not None
        fill = ctx.padding.fill if op is ctx.padding.op else 0.0
        other = Lanes(np.full(shape, fill, data.dtype))
    out = choose(masked, other.map(lambda x: np.broadcast_to(x, shape)), read)
    if ctx.padding is None or not masked.any():
        return out
    number = ctx.recorder.number(op)
    ctx.padding.marks.add(number)
    return out.marked(out.undef, merge(out.wrapped, mark_where(masked, number)))


def store(ctx: Context, op: Store, ptr: Lanes, value: Lanes, mask: Lanes | None) -> None:
    """Write live lanes; of lanes at one address the last one stays. Undefined values leave undefined bytes."""
    elem, shape = pointee(op), ptr.shape
    live = live_lanes(ctx, op, ptr, mask)
    raw = encode_lanes(ctx, value, elem, shape)
    code = np.where(is_marked(value.undef, shape), -ctx.writer_code, ctx.writer_code).astype(np.int32)
    for storage, here in by_storage(ctx, ptr, live):
        at = bytes_at(ptr.data[here], elem.nbytes)
        ctx.memory.put(storage, at, raw[here], np.broadcast_to(code[here][:, None], at.shape))
        note_access(ctx, op, "store", storage, ptr, here, np.broadcast_to(value.data, shape), raw[here], code[here] > 0)
