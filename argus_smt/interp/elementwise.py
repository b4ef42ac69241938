"""Element-wise operations on lanes: values, and how undefined and wrapped lanes travel through them."""

from __future__ import annotations

import numpy as np

from argus_smt.interp import floats
from argus_smt.interp.casts import SCALAR_CASTS
from argus_smt.interp.context import Context
from argus_smt.interp.formats import poison, settle_int
from argus_smt.interp.integers import INT_BINARY, INT_PREDICATES, INT_UNARY, IntResult, exact
from argus_smt.interp.lanes import Array, Lanes, choose, is_marked, keep_where, mark_where, merge
from argus_smt.ir.ops import AddPtr, Binary, Cast, Cmp, Fma, Op, Unary
from argus_smt.ir.types import I1, I64, Ptr, Scalar, elem_of


def scalar_type(elem: Scalar | Ptr) -> Scalar:
    """The type as which lanes are computed with: addresses are 64-bit integers."""
    return I64 if isinstance(elem, Ptr) else elem


def unary(ctx: Context, op: Unary, x: Lanes) -> Lanes:
    """`fn` is a key of UNARY."""
    elem = scalar_type(elem_of(op.operand.type))
    if op.fn in INT_UNARY:
        return _integer(ctx, op, op.fn, elem.bits, INT_UNARY[op.fn](x.data, elem.bits), x)
    if op.fn in floats.FLOAT_TESTS:
        return Lanes(np.asarray(floats.FLOAT_TESTS[op.fn](x.data)).astype(np.int64), None, x.undef, x.wrapped)
    if op.fn in floats.FLOAT_UNARY_NAMES:
        return Lanes(floats.unary(op.fn, x.data, elem), None, x.undef, x.wrapped)
    number = mark_where(np.ones(x.shape, bool), ctx.recorder.number(op))
    return Lanes(poison(elem_of(op.result.type), x.shape), None, merge(x.undef, number), x.wrapped)


def binary(ctx: Context, op: Binary, a: Lanes, b: Lanes) -> Lanes:
    """`fn` is a key of BINARY."""
    elem = scalar_type(elem_of(op.lhs.type))
    if op.fn in floats.FLOAT_BINARY_NAMES:
        data = floats.binary(op.fn, a.data, b.data, elem)
        return Lanes(data, None, merge(a.undef, b.undef), merge(a.wrapped, b.wrapped))
    result = INT_BINARY[op.fn](np.asarray(a.data), np.asarray(b.data), elem.bits)
    out = _integer(ctx, op, op.fn, elem.bits, result, a, b)
    decided = _decided(op.fn, elem.bits, a, b)
    if decided is None:
        return out
    return out.marked(keep_where(out.undef, ~decided), keep_where(out.wrapped, ~decided))


def _decided(fn: str, bits: int, a: Lanes, b: Lanes) -> Array | None:
    """Lanes whose result one unmarked operand decides alone, whatever the other is; None if no lane is marked."""
    if fn not in ("and", "or", "mul") or all(m is None for m in (a.undef, b.undef, a.wrapped, b.wrapped)):
        return None
    decisive = 0 if fn != "or" else (1 if bits == 1 else -1)
    sides = [(x.data == decisive) & (is_marked(merge(x.undef, x.wrapped), x.shape) == 0) for x in (a, b)]
    return np.asarray(sides[0] | sides[1])


def _integer(ctx: Context, op: Unary | Binary | Cast, fn: str, bits: int, result: IntResult, *operands: Lanes) -> Lanes:
    """Lanes of an integer result, with events for what wraps or has no result; undefined lanes are beyond blame."""
    data = np.asarray(result.data)
    undef = merge(*(x.undef for x in operands))
    wrapped = merge(*(x.wrapped for x in operands))
    defined = ~is_marked(undef, data.shape)
    if result.bad is not None and (bad := np.broadcast_to(result.bad, data.shape) & defined).any():
        if result.fault != "undef":
            ctx.recorder.event(result.fault, op, bad, value=_operands_at(bad, operands)[-1])
        undef = merge(undef, mark_where(bad, ctx.recorder.number(op)))
        data = np.where(bad, poison(Scalar(f"i{bits}"), data.shape), data)
        defined = defined & ~bad
    if result.wraps is not None and (wraps := np.broadcast_to(result.wraps, data.shape) & defined).any():
        true_value = exact(fn, _operands_at(wraps, operands))
        detail = f"exactly {true_value}, in {bits} bits {_cut(true_value, bits)}"
        ctx.recorder.event("wrap", op, wraps, value=true_value, detail=detail)
        wrapped = merge(wrapped, mark_where(wraps, ctx.recorder.number(op)))
    return Lanes(data, None, undef, wrapped)


def _cut(value: int | None, bits: int) -> str:
    return "" if value is None else str(settle_int(value, bits))


def _operands_at(hits: Array, operands: tuple[Lanes, ...]) -> tuple[int, ...]:
    """Operands of the first lane of `hits`."""
    first = np.unravel_index(int(np.argmax(hits)), hits.shape)
    return tuple(int(np.broadcast_to(x.data, hits.shape)[first]) for x in operands)


def fma(op: Fma, a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    """`a * b + c` on floats."""
    data = floats.fma(a.data, b.data, c.data, scalar_type(elem_of(op.result.type)))
    return Lanes(data, None, merge(a.undef, b.undef, c.undef), merge(a.wrapped, b.wrapped, c.wrapped))


def compare(ctx: Context, op: Cmp, a: Lanes, b: Lanes) -> Lanes:
    """Comparison to i1; pointers compare by address."""
    elem = elem_of(op.lhs.type)
    x, y = (ctx.views.addresses(v) if isinstance(elem, Ptr) else v.data for v in (a, b))
    kind = scalar_type(elem)
    holds = INT_PREDICATES[op.pred](x, y, kind.bits) if kind.is_int else floats.compare(op.pred, x, y)
    return Lanes(np.asarray(holds).astype(np.int64), None, merge(a.undef, b.undef), merge(a.wrapped, b.wrapped))


def select(cond: Lanes, a: Lanes, b: Lanes) -> Lanes:
    """`a` where `cond`, else `b`. A marked condition marks the lanes in which the two differ."""
    out = choose(np.asarray(cond.data != 0), *_same_shape(cond, a, b))
    if cond.undef is None and cond.wrapped is None:
        return out
    differ = np.asarray(a.data != b.data)
    if a.view is not None or b.view is not None:
        differ = differ | (np.asarray(a.view) != np.asarray(b.view))
    differ = np.broadcast_to(differ, out.shape) | is_marked(out.undef, out.shape)
    undef = merge(out.undef, keep_where(cond.undef, differ))
    return out.marked(undef, merge(out.wrapped, keep_where(cond.wrapped, differ)))


def _same_shape(cond: Lanes, a: Lanes, b: Lanes) -> tuple[Lanes, Lanes]:
    shape = np.broadcast_shapes(cond.shape, a.shape, b.shape)
    return a.map(lambda x: np.broadcast_to(x, shape)), b.map(lambda x: np.broadcast_to(x, shape))


def cast(ctx: Context, op: Cast, x: Lanes) -> Lanes:
    """`kind` is a key of CASTS."""
    source, target = elem_of(op.operand.type), elem_of(op.result.type)
    match op.kind:
        case "ptr_to_int":
            return Lanes(ctx.views.addresses(x), None, x.undef, x.wrapped)
        case "int_to_ptr":
            offset, view = ctx.views.from_addresses(np.asarray(x.data))
            return Lanes(offset, view, x.undef, x.wrapped)
        case "ptr_cast" | "same":
            return x
        case "bitcast" if isinstance(source, Ptr) or isinstance(target, Ptr):
            return x
    assert isinstance(source, Scalar)
    assert isinstance(target, Scalar)
    result = SCALAR_CASTS[op.kind](np.asarray(x.data), source, target)
    if target.is_int:
        return _integer(ctx, op, op.kind, target.bits, result, x)
    return Lanes(np.asarray(result.data), None, x.undef, x.wrapped)


def add_ptr(ctx: Context, op: AddPtr, ptr: Lanes, offset: Lanes) -> Lanes:
    """Pointer moved by `offset` elements of its pointee; the byte arithmetic is in 64 bits, modulo 2**64."""
    pointee = elem_of(op.ptr.type)
    assert isinstance(pointee, Ptr)
    index = -offset.data if elem_of(op.offset.type) == I1 else offset.data
    scaled = INT_BINARY["mul"](np.asarray(index), np.asarray(pointee.elem.nbytes, np.int64), 64)
    moved = INT_BINARY["add"](np.asarray(ptr.data), np.asarray(scaled.data), 64)
    undef, wrapped = merge(ptr.undef, offset.undef), merge(ptr.wrapped, offset.wrapped)
    data = np.asarray(moved.data)
    wraps = (_flags(scaled.wraps) | _flags(moved.wraps)) & ~is_marked(undef, data.shape)
    if wraps.any():
        start, by = _operands_at(wraps, (ptr, Lanes(np.asarray(index))))
        exactly = start + by * pointee.elem.nbytes
        ctx.recorder.event("wrap", op, wraps, value=exactly, detail="a byte offset past 64 bits")
        wrapped = merge(wrapped, mark_where(wraps, ctx.recorder.number(op)))
    view = None if ptr.view is None else np.broadcast_to(ptr.view, data.shape)
    return Lanes(data, view, undef, wrapped)


def _flags(wraps: Array | None) -> Array:
    return np.asarray(False) if wraps is None else wraps


def undefined(ctx: Context, op: Op, elem: Scalar | Ptr, shape: tuple[int, ...]) -> Lanes:
    """Lanes left undefined by `op`."""
    view = np.zeros(shape, np.int32) if isinstance(elem, Ptr) else None
    return Lanes(poison(elem, shape), view, mark_where(np.ones(shape, bool), ctx.recorder.number(op)))
