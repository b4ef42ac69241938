"""Along which axes of a tile all elements are equal, whatever they are: a tile made by broadcasting repeats itself.

`PROGRAM` counts as one more axis: along it, what no program id and no trip number has gone into is equal in all programs.
"""

from __future__ import annotations

from collections.abc import Callable

from argus_smt.ir import ops as I
from argus_smt.ir.types import shape_of
from argus_smt.ir.walk import operands, results, walk

Axes = frozenset[int]
PROGRAM = -1
Of = Callable[[I.Value], Axes]


def uniform_axes(kernel: I.Kernel) -> dict[int, Axes]:
    """By the number of a value, the axes along which its elements are equal in every execution.

    Axes of one element are among them. Values that a loop carries start with all axes, and lose those that any trip loses
    (greatest fixed point). Loads count where address, mask and fill do not vary: no other program writes there meanwhile,
    which is a duty of its own.
    """
    ops = list(walk(kernel.body))
    found: dict[int, Axes] = {}
    changed = True

    def lower(value: I.Value, axes: Axes) -> None:
        nonlocal changed
        own = axes & _all(value)
        before = found.get(value.number)
        after = own if before is None else before & own
        if after != before:
            found[value.number], changed = after, True

    def of(value: I.Value) -> Axes:
        return found.get(value.number, _all(value))

    for param in kernel.body.params:
        lower(param, _all(param))
    while changed:
        changed = False
        for op in ops:
            _carry(op, of, lower)
            if not isinstance(op, I.For | I.While | I.If):
                for result in results(op):
                    lower(result, _axes(op, result, of))
    return found


def _all(value: I.Value) -> Axes:
    return frozenset(range(PROGRAM, len(shape_of(value.type))))


def _carry(op: I.Op, of: Of, lower: Callable[[I.Value, Axes], None]) -> None:
    """Flow through the parameters and results of structured control."""
    flows: list[tuple[tuple[I.Value, ...], tuple[I.Value, ...]]] = []
    match op:
        case I.For():
            flows = [(op.inits, op.body.params[1:]), (op.body.yields, op.body.params[1:])]
            flows += [(op.inits, op.results), (op.body.yields, op.results)]
        case I.While():
            flows = [(op.inits, op.before.params), (op.after.yields, op.before.params)]
            flows += [(op.before.yields[1:], op.after.params), (op.before.yields[1:], op.results)]
        case I.If():
            flows = [(op.then.yields, op.results), (op.orelse.yields, op.results)]
        case _:
            return
    varies = not isinstance(op, I.If) or PROGRAM not in of(op.cond)  # a trip, or a side, that another program need not be in
    kept = frozenset({PROGRAM}) if varies else frozenset()
    for sources, sinks in flows:
        for a, b in zip(sources, sinks, strict=False):
            lower(b, of(a) - kept)
    if isinstance(op, I.For):
        lower(op.body.params[0], frozenset())


def _axes(op: I.Op, result: I.Value, of: Of) -> Axes:
    shape = shape_of(result.type)
    single = frozenset(d for d, n in enumerate(shape) if n == 1)
    match op:
        case I.Const():
            return _all(result)
        case I.NumPrograms() | I.Range():
            return single | {PROGRAM}
        case I.Splat():
            return _all(result) - (frozenset({PROGRAM}) - of(op.operand))
        case I.ExpandDims():
            return single | frozenset(d + (d >= op.axis) if d >= 0 else d for d in of(op.operand))
        case I.Broadcast():
            before = shape_of(op.operand.type)
            stretched = frozenset(d for d, (m, n) in enumerate(zip(before, shape, strict=True)) if m == 1 < n)
            return single | stretched | of(op.operand)
        case I.Trans():
            carried = of(op.operand)
            return single | frozenset(d for d, source in enumerate(op.order) if source in carried) | (carried & {PROGRAM})
        case I.Reduce():
            both = frozenset.intersection(*(of(v) for v in op.operands))
            return single | frozenset(d - (d > op.axis >= 0) for d in both if d != op.axis or d < 0)
        case I.Dot():
            rank = len(shape)
            rows = of(op.a) & frozenset({rank - 2})
            columns = of(op.b) & frozenset({rank - 1})
            return single | ((rows | columns) & of(op.c))
        case I.Load() if op.volatile or op.sem or (op.mask is not None and op.other is None):
            return single  # what masked lanes hold is undefined, so perhaps not the same
        case I.Load():
            return single | _common(op, result, of) - {PROGRAM}
        case I.Unary() | I.Binary() | I.Fma() | I.Cmp() | I.Select() | I.Cast() | I.AddPtr():
            return single | _common(op, result, of)
        case _:
            return single


def _common(op: I.Op, result: I.Value, of: Of) -> Axes:
    """Axes along which no operand varies; a scalar operand varies with the program at most."""
    out = _all(result)
    for v in operands(op):
        out &= of(v) if shape_of(v.type) else of(v) | (out - {PROGRAM})
    return out
