"""Transfer functions of operations on whole tiles: what survives of integers is the range that all elements stay in."""

from __future__ import annotations

from math import prod

from argus_smt.absint import regions
from argus_smt.absint.integers import is_integer
from argus_smt.absint.regions import Run
from argus_smt.absint.state import State
from argus_smt.absint.values import COORDS, AbsValue, FloatV, IntV
from argus_smt.ir.ops import Binary, Block, Cat, Dot, Histogram, Map, Reduce, Reshape, Scan, Value
from argus_smt.ir.types import Scalar, elem_of, shape_of
from argus_smt.smt import term as T
from argus_smt.smt.interval import ALL, Interval
from argus_smt.smt.term import Sort


def fold(state: State, op: Reduce | Scan, run: Run) -> tuple[AbsValue, ...]:
    """Results of a reduction or scan: unknown integers in the interval that its combine region keeps.

    A sum of n elements lies between n times the least and n times the greatest where that cannot wrap.
    """
    shape = shape_of(op.operands[0].type)
    starts = [regions.interval_of(state, v, shape) if is_integer(v) else ALL for v in op.operands]
    kept = regions.invariant(state, op, starts, run)
    regions.checked(state, op, op.combine, (*kept, *kept), run)
    least = 1 if isinstance(op, Scan) else shape[op.axis]
    kind = "scan" if isinstance(op, Scan) else "reduction"
    out: list[AbsValue] = []
    for i, result in enumerate(op.results):
        end = _extreme_end(state, op) if isinstance(op, Reduce) else None
        if end is not None:
            out.append(end)
            continue
        range_: Interval = kept[i]
        if _adds(op.combine, i, len(op.operands)):
            range_ = regions.total(starts[i], least, shape[op.axis], elem_of(result.type))
            if isinstance(op, Scan) and range_ != ALL:
                out.append(_running_sum(state, op, i, starts[i], range_))
                continue
        out.append(_unknown(state, op, i, result, f"a {kind} of integers", range_))
    return tuple(out)


def _extreme_end(state: State, op: Reduce) -> AbsValue | None:
    """The greatest or least of elements that rise or fall by equal steps along the axis is the one at an end.

    What it needs not to wrap at any element was noted when the interval of the elements was taken.
    """
    fn = _only_function(op.combine)
    if len(op.operands) != 1 or fn not in ("smax", "smin") or not is_integer(op.operands[0]):
        return None
    t, along = state.integer(op.operands[0]).term, COORDS[op.axis]
    if t.sort is not Sort.INT:
        return None
    moving = {m: c for m, c in T.poly(t).items() if any(along in a.free for a in m)}
    slope = T.quotient(T.from_poly(moving), along) if moving else T.ZERO
    if slope is None or along in slope.free:
        return None
    shape = shape_of(op.operands[0].type)
    outer, state.shape = state.shape, shape
    low, high = state.bounds.of(slope)
    state.shape = outer
    rising, falling = low is not None and low >= 0, high is not None and high <= 0
    if not rising and not falling:
        return None
    at = T.const(shape[op.axis] - 1) if rising == (fn == "smax") else T.ZERO
    later = {COORDS[d]: COORDS[d - 1] for d in range(op.axis + 1, len(shape))}
    return IntV(state.simp(T.substitute(t, {along: at, **later})))


def _only_function(block: Block) -> str:
    """The function that a combine region applies to its two parameters, if it does nothing else."""
    match block.ops:
        case (Binary(result=r, fn=fn) as op,) if (r,) == tuple(block.yields) and {op.lhs, op.rhs} == set(block.params):
            return fn
        case _:
            return ""


def _running_sum(state: State, op: Scan, i: int, each: Interval, range_: Interval) -> AbsValue:
    """The unknown sum of the first k elements, held between k times the least and k times the greatest of them.

    Where no element is negative it is also no less than the last one that was added. All of this is true of the sum, so
    the minimum and maximum that say it change nothing.
    """
    low, high = each
    assert low is not None
    assert high is not None
    operand, result = op.operands[i], op.results[i]
    unknown = _unknown(state, op, i, result, "a scan of integers", range_)
    last = state.integer(operand)
    assert isinstance(unknown, IntV)
    place = COORDS[op.axis]
    count = T.const(shape_of(operand.type)[op.axis]) - place if op.reverse else place + 1
    held = T.maximum(T.minimum(unknown.term, count * high), count * low)
    if low >= 0 and last.term.sort is Sort.INT:
        held = T.maximum(held, last.term)
    return IntV(state.simp(held), last.guards)


def _adds(block: Block, i: int, count: int) -> bool:
    """Whether the i-th result is the plain sum of the i-th elements."""
    pair = {block.params[i], block.params[count + i]}
    for op in block.ops:
        match op:
            case Binary(result=r, fn="add") if r == block.yields[i]:
                return {op.lhs, op.rhs} == pair and len(pair) == 2
            case _:
                pass
    return False


def _unknown(state: State, op: Reduce | Scan | Map, i: int, result: Value, reason: str, range_: Interval) -> AbsValue:
    if not is_integer(result):
        return FloatV() if isinstance(elem_of(result.type), Scalar) else state.unknown(result.type, state.site(op), reason)
    state.shape = shape_of(result.type)
    return state.unknown(result.type, f"{state.site(op)}/{i}", reason, range_)


def mapped(state: State, op: Map, run: Run) -> tuple[AbsValue, ...]:
    """Results of a function applied element by element: unknown integers in the interval of what it yields."""
    shape = shape_of(op.operands[0].type)
    starts = [regions.interval_of(state, v, shape) if is_integer(v) else ALL for v in op.operands]
    ranges = regions.yielded(state, op, op.body, starts, run)
    return tuple(
        _unknown(state, op, i, r, "a function applied to each element", range_)
        for i, (r, range_) in enumerate(zip(op.results, ranges, strict=True))
    )


def histogram(state: State, op: Histogram) -> AbsValue:
    """Counts: between 0 and the number of elements."""
    return state.unknown(op.result.type, state.site(op), "a histogram", (0, prod(shape_of(op.operand.type))))


def reordered(state: State, op: Cat | Reshape, reason: str) -> AbsValue:
    """Elements in an order that Triton leaves open: unknown integers in the interval of the operands' elements."""
    operands = (op.lhs, op.rhs) if isinstance(op, Cat) else (op.operand,)
    if not is_integer(op.result):
        return state.unknown(op.result.type, state.site(op), reason)
    range_, *others = (regions.interval_of(state, v, shape_of(v.type)) for v in operands)
    for other in others:
        range_ = regions.hull(range_, other)
    state.shape = shape_of(op.result.type)
    return state.unknown(op.result.type, state.site(op), reason, range_)


def dot(state: State, op: Dot) -> AbsValue:
    """A product of tiles: floats, or integers of which only the width is known."""
    return state.unknown(op.result.type, state.site(op), "an integer dot product")
