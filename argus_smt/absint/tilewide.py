"""Transfer functions of reductions, scans and dot products on integers: what survives is a range."""

from __future__ import annotations

from argus_smt.absint.integers import is_integer
from argus_smt.absint.state import State
from argus_smt.absint.values import AbsValue, FloatV
from argus_smt.ir.ops import Binary, Block, Dot, Reduce, Scan, Select, Value
from argus_smt.ir.types import shape_of
from argus_smt.smt.interval import ALL, Interval
from argus_smt.smt.term import Sort


def reduce(state: State, op: Reduce) -> tuple[AbsValue, ...]:
    """Each result is unknown; one that only picks among the operand's elements keeps the operand's interval."""
    return _picked(state, op, [shape_of(v.type) for v in op.operands])


def scan(state: State, op: Scan) -> tuple[AbsValue, ...]:
    """As `reduce`."""
    return _picked(state, op, [shape_of(v.type) for v in op.operands])


def _picked(state: State, op: Reduce | Scan, shapes: list[tuple[int, ...]]) -> tuple[AbsValue, ...]:
    out: list[AbsValue] = []
    n = len(op.operands)
    for i, (result, operand) in enumerate(zip(op.results, op.operands, strict=True)):
        if not is_integer(result):
            out.append(FloatV())
            continue
        name = f"{state.site(op)}/{i}"
        kind = "reduction" if isinstance(op, Reduce) else "scan"
        picks = _picks(op.combine, op.combine.yields[i], (op.combine.params[i], op.combine.params[n + i]))
        value = state.integer(operand)
        range_: Interval = ALL
        if picks and value.term.sort is Sort.INT:
            state.shape = shapes[i]
            range_ = state.bounds.of(value.term)
            state.shape = shape_of(result.type)
            if state.recording and value.guards:  # the interval is that of the exact values of all elements
                state.facts.relied.append((value.guards, state.scope(), shapes[i]))
        out.append(state.unknown(result.type, name, f"a {kind} of integers", range_))
    return tuple(out)


def _picks(block: Block, value: Value, sources: tuple[Value, Value]) -> bool:
    """Whether `value` is always one of `sources`: minima, maxima and selections of them."""
    if value in sources:
        return True
    for op in block.ops:
        match op:
            case Binary(result=r, fn="smin" | "smax") if r == value:
                return _picks(block, op.lhs, sources) and _picks(block, op.rhs, sources)
            case Select(result=r) if r == value:
                return _picks(block, op.a, sources) and _picks(block, op.b, sources)
            case _:
                pass
    return False


def dot(state: State, op: Dot) -> AbsValue:
    """A product of tiles: floats, or integers of which only the width is known."""
    return state.unknown(op.result.type, state.site(op), "an integer dot product")
