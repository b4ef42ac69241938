"""What each operation demands of its operands' and results' types: the reference manual of the Tile IR.

`violations` gives one phrase for each demand that is not met. Scoping and single definition are `check.py`'s.
"""

from __future__ import annotations

from math import prod

from typing_extensions import assert_never

from argus_smt.ir import ops as O
from argus_smt.ir.demands import Phrases, axis_within, is_float, is_int, is_ptr, key, optional, same, same_types, types
from argus_smt.ir.elementwise_rules import cast, elementwise
from argus_smt.ir.ops import Block, Op
from argus_smt.ir.types import I1, I32, Ptr, Scalar, Tile, Type, elem_of, shape_of, with_shape
from argus_smt.ir.walk import walk

ATOMICS = frozenset(("add", "fadd", "and", "or", "xor", "smax", "smin", "umax", "umin", "fmax", "fmin", "xchg"))
ORDERINGS = frozenset(("relaxed", "acquire", "release", "acq_rel"))
SCOPES = frozenset(("cta", "gpu", "sys"))
MEMORY = (O.Load, O.Store, O.AtomicRMW, O.AtomicCAS, O.Barrier)
"""Operations that touch memory."""
HINTS = frozenset(("divisibility", "contiguity", "constancy"))


def violations(op: Op) -> Phrases:
    """Each demand on the types and constants of `op` that is not met, as a phrase."""
    match op:
        case O.Const() | O.Undef() | O.Range() | O.ProgramId() | O.NumPrograms():
            yield from _source(op)
        case O.Unary() | O.Binary() | O.Fma() | O.Cmp() | O.Select():
            yield from elementwise(op)
        case O.Cast():
            yield from cast(op)
        case O.Splat() | O.ExpandDims() | O.Broadcast() | O.Reshape() | O.Trans() | O.Unsplat():
            yield from _reshaping(op)
        case O.Join() | O.Split() | O.Cat():
            yield from _joining(op)
        case O.AddPtr() | O.Load() | O.Store() | O.AtomicRMW() | O.AtomicCAS():
            yield from _memory(op)
        case O.Dot():
            yield from _dot(op)
        case O.Reduce() | O.Scan():
            yield from _combining(op)
        case O.Gather():
            yield from _gather(op)
        case O.Histogram():
            yield from _histogram(op)
        case O.Map():
            yield from _mapping(op)
        case O.Assume() | O.Assert() | O.Hint():
            yield from _statement(op)
        case O.For() | O.While() | O.If():
            yield from _control(op)
        case O.Barrier() | O.Opaque():
            return
        case _:
            assert_never(op)


# ---------------------------------------------------------------- one family each


def _source(op: O.Const | O.Undef | O.Range | O.ProgramId | O.NumPrograms) -> Phrases:
    match op:
        case O.Const(result=r, value=value):
            yield from _constant(elem_of(r.type), value)
        case O.Undef():
            return
        case O.Range(result=r, start=start, end=end):
            if start >= end:
                yield f"empty range {start}..{end}"
            else:
                yield from same("result", r.type, Tile((end - start,), I32))
        case O.ProgramId(result=r, axis=axis) | O.NumPrograms(result=r, axis=axis):
            yield from same("result", r.type, I32)
            yield from axis_within(axis, 3)


def _constant(elem: Scalar | Ptr, value: int | float) -> Phrases:
    """Integers fit the width, read as signed or unsigned; floats are Python floats; pointers have no constants."""
    if isinstance(elem, Ptr):
        yield "a pointer has no constants"
    elif not elem.is_int:
        if not isinstance(value, float):
            yield f"a constant of {elem} is a float, not {value!r}"
    elif isinstance(value, bool) or not isinstance(value, int):
        yield f"a constant of {elem} is an integer, not {value!r}"
    elif elem == I1:
        if value not in (0, 1):
            yield f"a boolean is 0 or 1, not {value}"
    elif not -(1 << elem.bits - 1) <= value < 1 << elem.bits:
        yield f"constant {value} does not fit {elem}"


def _reshaping(op: O.Splat | O.ExpandDims | O.Broadcast | O.Reshape | O.Trans | O.Unsplat) -> Phrases:
    """The element type is kept; the shapes are related as the operation says."""
    source, target = op.operand.type, op.result.type
    old, new = shape_of(source), shape_of(target)
    yield from same("element type", elem_of(target), elem_of(source))
    match op:
        case O.Splat():
            if old or not new:
                yield f"splat takes a scalar to a tile, not {source} to {target}"
        case O.Unsplat():
            if not old or prod(old) != 1 or new:
                yield f"unsplat takes a one-element tile to a scalar, not {source} to {target}"
        case _ if not old or not new:
            yield f"{source} to {target}: both must be tiles"
        case O.ExpandDims(axis=axis):
            yield from axis_within(axis, len(old) + 1)
            yield from same("result", target, with_shape(source, (*old[:axis], 1, *old[axis:])))
        case O.Broadcast():
            if len(old) != len(new) or any(m not in (1, n) for m, n in zip(old, new, strict=False)):
                yield f"{source} does not broadcast to {target}"
        case O.Reshape():
            if prod(old) != prod(new):
                yield f"reshape of {prod(old)} elements to {prod(new)}"
        case O.Trans(order=order):
            if sorted(order) != list(range(len(old))):
                yield f"order {order} is no permutation of {len(old)} dimensions"
            else:
                yield from same("result", target, with_shape(source, tuple(old[i] for i in order)))


def _joining(op: O.Join | O.Split | O.Cat) -> Phrases:
    match op:
        case O.Join(result=r, lhs=a, rhs=b):
            yield from same("right operand", b.type, a.type)
            yield from same("result", r.type, with_shape(a.type, (*shape_of(a.type), 2)))
            if not shape_of(a.type):
                yield f"join takes tiles, not {a.type}"
        case O.Split(results=rs, operand=x):
            if shape_of(x.type)[-1:] != (2,):
                yield f"split wants a last dimension of 2, not {x.type}"
            else:
                yield from same_types("result", rs, (with_shape(x.type, shape_of(x.type)[:-1]),) * 2)
        case O.Cat(result=r, lhs=a, rhs=b):
            if len(shape_of(a.type)) != 1 or len(shape_of(b.type)) != 1:
                yield f"cat takes one-dimensional tiles, not {a.type} and {b.type}"
            else:
                yield from same("element type of the right operand", elem_of(b.type), elem_of(a.type))
                extent = shape_of(a.type)[0] + shape_of(b.type)[0]
                yield from same("result", r.type, with_shape(a.type, (extent,)))


def _memory(op: O.AddPtr | O.Load | O.Store | O.AtomicRMW | O.AtomicCAS) -> Phrases:
    """Everything has the shape of the pointer; what is read or written is of its pointee's type."""
    address = elem_of(op.ptr.type)
    if not isinstance(address, Ptr):
        yield f"{op.ptr.type} is no pointer"
        return
    shape = shape_of(op.ptr.type)
    data, mask = with_shape(address.elem, shape), with_shape(I1, shape)
    match op:
        case O.AddPtr(result=r, offset=offset):
            if not is_int(offset.type) or shape_of(offset.type) != shape:
                yield f"offset {offset.type} does not go with {op.ptr.type}"
            yield from same("result", r.type, op.ptr.type)
        case O.Load(result=r, mask=m, other=other, sem=sem, scope=scope):
            yield from same("result", r.type, data)
            yield from _plain_or_atomic(sem, scope, "release")
            yield from optional("mask", m, mask)
            yield from optional("other", other, data)
        case O.Store(value=v, mask=m, sem=sem, scope=scope):
            yield from _plain_or_atomic(sem, scope, "acquire")
            yield from same("value", v.type, data)
            yield from optional("mask", m, mask)
        case O.AtomicRMW(result=r, fn=fn, value=v, mask=m, sem=sem, scope=scope):
            yield from same_types("value or result", (v, r), (data, data))
            yield from optional("mask", m, mask)
            yield from _atomic(sem, scope)
            yield from key("atomic function", fn, ATOMICS)
            if fn != "xchg" and not (is_float(data) if fn.startswith("f") else is_int(data)):
                yield f"atomic {fn} does not take {data}"
        case O.AtomicCAS(result=r, compare=c, value=v, sem=sem, scope=scope):
            yield from same_types("compared value, value or result", (c, v, r), (data,) * 3)
            yield from _atomic(sem, scope)


def _plain_or_atomic(sem: str, scope: str, other: str) -> Phrases:
    """An ordering and a scope together or neither; `other` is the ordering that this kind of access cannot have."""
    if sem or scope:
        yield from _atomic(sem, scope)
        if sem in (other, "acq_rel"):
            yield f"an access of this kind cannot be {sem}"


def _atomic(sem: str, scope: str) -> Phrases:
    yield from key("memory ordering", sem, ORDERINGS)
    yield from key("memory scope", scope, SCOPES)


def _dot(op: O.Dot) -> Phrases:
    """(…, M, K) by (…, K, N) plus (…, M, N); both factors integer or both float."""
    a, b, c = (shape_of(v.type) for v in (op.a, op.b, op.c))
    fits = len(a) == len(b) == len(c) >= 2
    if not fits or a[:-2] != b[:-2] or a[-1] != b[-2] or c != (*a[:-1], b[-1]):
        yield f"shapes of {op.a.type} @ {op.b.type} + {op.c.type} do not fit"
    if not any(all(is_kind(v.type) for v in (op.a, op.b, op.c)) for is_kind in (is_int, is_float)):
        yield f"dot of {op.a.type}, {op.b.type} and {op.c.type}: all integer or all float"
    yield from same("result", op.result.type, op.c.type)


def _combining(op: O.Reduce | O.Scan) -> Phrases:
    """Operands have one shape. The region takes their elements twice (a₀ … aₙ, b₀ … bₙ) and yields them once."""
    if not op.operands:
        yield "no operands"
        return
    shape = shape_of(op.operands[0].type)
    for v in op.operands:
        if shape_of(v.type) != shape:
            yield f"operand {v.type} has another shape than {op.operands[0].type}"
    if any(axis_within(op.axis, len(shape))):
        yield from axis_within(op.axis, len(shape))
        return
    after = shape if isinstance(op, O.Scan) else shape[: op.axis] + shape[op.axis + 1 :]
    yield from same_types("result", op.results, tuple(with_shape(v.type, after) for v in op.operands))
    elements: tuple[Type, ...] = tuple(elem_of(v.type) for v in op.operands)
    yield from same_types("region parameter", op.combine.params, elements * 2)
    yield from same_types("region yield", op.combine.yields, elements)


def _gather(op: O.Gather) -> Phrases:
    source, index = shape_of(op.operand.type), shape_of(op.index.type)
    if not is_int(op.index.type):
        yield f"index {op.index.type} is no integer tile"
    if len(source) != len(index):
        yield f"index {op.index.type} has another rank than {op.operand.type}"
        return
    yield from axis_within(op.axis, len(source))
    if any(m != n for d, (m, n) in enumerate(zip(source, index, strict=True)) if d != op.axis):
        yield f"index {op.index.type} differs from {op.operand.type} outside axis {op.axis}"
    yield from same("result", op.result.type, with_shape(op.operand.type, index))


def _histogram(op: O.Histogram) -> Phrases:
    for v in (op.operand, op.result):
        if not is_int(v.type) or len(shape_of(v.type)) != 1:
            yield f"{v.type} is no one-dimensional integer tile"
    yield from optional("mask", op.mask, with_shape(I1, shape_of(op.operand.type)))


def _mapping(op: O.Map) -> Phrases:
    """All tiles have one shape; the region takes and yields their elements and does not touch memory."""
    if not op.operands:
        yield "no operands"
        return
    shape = shape_of(op.operands[0].type)
    for v in (*op.operands, *op.results):
        if not shape or shape_of(v.type) != shape:
            yield f"{v.type} is no tile of the shape of {op.operands[0].type}"
    yield from same_types("region parameter", op.body.params, tuple(elem_of(v.type) for v in op.operands))
    yield from same_types("region yield", op.body.yields, tuple(elem_of(v.type) for v in op.results))
    for inner in walk(op.body):
        if isinstance(inner, MEMORY):
            yield f"{type(inner).__name__} inside of a mapped function"


def _statement(op: O.Assume | O.Assert | O.Hint) -> Phrases:
    match op:
        case O.Assume(cond=cond):
            yield from same("condition", cond.type, I1)
        case O.Assert(cond=cond, mask=mask):
            if elem_of(cond.type) != I1:
                yield f"condition {cond.type} is no boolean"
            yield from optional("mask", mask, cond.type)
        case O.Hint(operand=x, kind=kind, values=values):
            yield from key("hint", kind, HINTS)
            if not is_int(x.type) and not is_ptr(x.type):
                yield f"{kind} of {x.type}, which is no integer or pointer"
            if len(values) != max(1, len(shape_of(x.type))) or any(n <= 0 for n in values):
                yield f"{kind} of {x.type} wants one positive number a dimension, not {values}"


def _control(op: O.For | O.While | O.If) -> Phrases:
    match op:
        case O.For(results=rs, lower=lower, upper=upper, step=step, inits=inits, body=body):
            if not isinstance(lower.type, Scalar) or not lower.type.is_int:
                yield f"loop bound {lower.type} is no integer scalar"
            yield from same_types("upper bound or step", (upper, step), (lower.type,) * 2)
            carried = types(inits)
            yield from same_types("loop parameter", body.params, (lower.type, *carried))
            yield from same_types("loop yield", body.yields, carried)
            yield from same_types("loop result", rs, carried)
        case O.While(results=rs, inits=inits, before=before, after=after):
            yield from same_types("parameter of the condition", before.params, types(inits))
            yield from same_types("loop parameter", after.params, types(rs))
            yield from same_types("yield of the condition", before.yields, (I1, *types(rs)))
            yield from same_types("loop yield", after.yields, types(inits))
        case O.If(results=rs, cond=cond, then=then, orelse=orelse):
            yield from same("condition", cond.type, I1)
            for name, block in (("then", then), ("else", orelse)):
                yield from _branch(name, block, types(rs))


def _branch(name: str, block: Block, wanted: tuple[Type, ...]) -> Phrases:
    if block.params:
        yield f"the {name} branch takes no parameters"
    yield from same_types(f"yield of the {name} branch", block.yields, wanted)
