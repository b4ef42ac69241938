"""Atomic operations: lanes one after the other, exact for any number of lanes at one address."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from argus_smt.interp.access import (
    by_storage,
    bytes_at,
    encode_lanes,
    live_lanes,
    note_access,
    pointee,
    report_uninitialised,
)
from argus_smt.interp.context import Context
from argus_smt.interp.elementwise import scalar_type, undefined
from argus_smt.interp.floats import binary as float_binary
from argus_smt.interp.formats import decode, encode
from argus_smt.interp.integers import INT_BINARY
from argus_smt.interp.lanes import Array, Lanes, is_marked, mark_where
from argus_smt.ir.ops import AtomicCAS, AtomicRMW
from argus_smt.ir.types import Ptr, Scalar

_Step = Callable[[Array, Array, Array], tuple[Array, Array, Array]]
"""From lane numbers (flat), old bytes and whether they are undefined: new bytes, whether those are, whether they are written."""

RMW_INT = frozenset(["add", "and", "or", "xor", "smax", "smin", "umax", "umin"])
"""Atomic read-modify-write on integers, named as in BINARY."""
RMW_FLOAT = frozenset(["fadd", "fmax", "fmin"])
RMW = RMW_INT | RMW_FLOAT | {"xchg"}


def _update(fn: str, old: Array, value: Array, elem: Scalar) -> Array:
    match fn:
        case "xchg":
            return value
        case "fadd" | "fmax" | "fmin":
            return float_binary(fn, old, value, elem)
        case _:
            return np.asarray(INT_BINARY[fn](old, value, elem.bits).data)


def atomic_rmw(ctx: Context, op: AtomicRMW, ptr: Lanes, value: Lanes, mask: Lanes | None) -> Lanes:
    """Lanes one after the other in row-major order; gives the old values."""
    elem, shape = scalar_type(pointee(op)), ptr.shape
    raw, spoilt = _flat_bytes(ctx, op, value, shape), is_marked(value.undef, shape).reshape(-1)

    def step(lanes: Array, old: Array, undef: Array) -> tuple[Array, Array, Array]:
        new = encode(_update(op.fn, decode(old, elem), decode(raw[lanes], elem), elem), elem)
        keeps = undef if op.fn != "xchg" else np.zeros_like(undef)
        return new, keeps | spoilt[lanes], np.ones_like(undef)

    return _atomic(ctx, op, ptr, mask, value, step, reads=op.fn != "xchg")


def atomic_cas(ctx: Context, op: AtomicCAS, ptr: Lanes, compare: Lanes, value: Lanes) -> Lanes:
    """Lanes one after the other; bits are compared. Gives the old values."""
    shape = ptr.shape
    expected, raw = (_flat_bytes(ctx, op, x, shape) for x in (compare, value))
    spoilt = is_marked(value.undef, shape).reshape(-1)
    ctx.recorder.used(op, compare.undef, None, "the compared value", np.ones(shape, bool))

    def step(lanes: Array, old: Array, undef: Array) -> tuple[Array, Array, Array]:
        equal = (old == expected[lanes]).all(axis=-1)
        new = np.where(equal[:, None], raw[lanes], old)
        return new, undef | (equal & spoilt[lanes]), equal

    return _atomic(ctx, op, ptr, None, value, step, reads=True)


def _flat_bytes(ctx: Context, op: AtomicRMW | AtomicCAS, value: Lanes, shape: tuple[int, ...]) -> Array:
    """Bytes of each lane, one row a lane."""
    return encode_lanes(ctx, value, pointee(op), shape).reshape(-1, pointee(op).nbytes)


def _atomic(
    ctx: Context, op: AtomicRMW | AtomicCAS, ptr: Lanes, mask: Lanes | None, value: Lanes, step: _Step, reads: bool
) -> Lanes:
    """Apply `step` to all live lanes, those of one address in row-major order. Gives the old values.

    `reads`: an uninitialised old value matters.
    """
    elem, shape = pointee(op), ptr.shape
    live = live_lanes(ctx, op, ptr, mask)
    out = undefined(ctx, op, elem, shape)
    raw = encode(out.data, scalar_type(elem)).reshape(-1, elem.nbytes).copy()
    undef, fresh = is_marked(out.undef, shape).reshape(-1).copy(), np.zeros(ptr.data.size, bool)
    wrote = np.zeros(ptr.data.size, bool)
    for storage, here in by_storage(ctx, ptr, live):
        lanes = np.flatnonzero(here)
        offsets = ptr.data.reshape(-1)
        for turn in _turns(offsets[lanes], elem.nbytes):
            now = lanes[turn]
            at = bytes_at(offsets[now], elem.nbytes)
            raw[now], code = ctx.memory.take(storage, at)
            fresh[now] = ctx.memory.uninitialised(storage, code).any(axis=-1)
            undef[now] = fresh[now] | (code < 0).any(axis=-1)
            new, undefined_now, wrote[now] = step(now, raw[now], undef[now])
            codes = np.where(undefined_now, -ctx.writer_code, ctx.writer_code).astype(np.int32)
            ctx.memory.put(storage, at, new, np.broadcast_to(codes[:, None], at.shape))
        if reads:
            report_uninitialised(ctx, op, storage, ptr, here, fresh[lanes])
        note_access(ctx, op, "atomic", storage, ptr, here, np.broadcast_to(value.data, shape), wrote=wrote[lanes])
    data = decode(raw.reshape(*shape, elem.nbytes), scalar_type(elem))
    view = None
    if isinstance(elem, Ptr):
        data, view = ctx.views.from_addresses(data)
    return Lanes(data, view, mark_where(undef.reshape(shape), ctx.recorder.number(op)))


def _turns(offsets: Array, size: int) -> list[Array]:
    """Positions in `offsets` grouped so that no group touches a byte twice, and equal offsets keep their order."""
    order = np.argsort(offsets, kind="stable")
    gaps = np.diff(offsets[order])
    if ((gaps > 0) & (gaps < size)).any():
        return [np.array([i]) for i in range(offsets.size)]
    starts = np.flatnonzero(np.concatenate([[True], gaps > 0]))
    rank = np.empty(offsets.size, np.int64)
    rank[order] = np.arange(offsets.size) - np.repeat(starts, np.diff(np.append(starts, offsets.size)))
    return [np.flatnonzero(rank == turn) for turn in range(int(rank.max()) + 1)]
