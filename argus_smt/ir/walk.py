"""What an operation reads, defines and encloses, for passes that treat all operations alike."""

from __future__ import annotations

from collections.abc import Iterator

from typing_extensions import assert_never

from argus_smt.ir import ops as O
from argus_smt.ir.ops import Block, Op, Value


def operands(op: Op) -> tuple[Value, ...]:
    """Values that `op` itself reads, in the order of its fields; not those read inside its blocks."""
    match op:
        case O.Const() | O.Undef() | O.Range() | O.ProgramId() | O.NumPrograms() | O.Barrier():
            return ()
        case O.Unary() | O.Cast() | O.Splat() | O.ExpandDims() | O.Broadcast() | O.Reshape() | O.Trans():
            return (op.operand,)
        case O.Split() | O.Unsplat() | O.Hint():
            return (op.operand,)
        case O.Binary() | O.Cmp() | O.Join() | O.Cat():
            return (op.lhs, op.rhs)
        case O.Fma() | O.Dot():
            return (op.a, op.b, op.c)
        case O.Select():
            return (op.cond, op.a, op.b)
        case O.AddPtr():
            return (op.ptr, op.offset)
        case O.Load():
            return (op.ptr, *_present(op.mask, op.other))
        case O.Store() | O.AtomicRMW():
            return (op.ptr, op.value, *_present(op.mask))
        case O.AtomicCAS():
            return (op.ptr, op.compare, op.value)
        case O.Gather():
            return (op.operand, op.index)
        case O.Histogram():
            return (op.operand, *_present(op.mask))
        case O.Assume() | O.If():
            return (op.cond,)
        case O.Assert():
            return (op.cond, *_present(op.mask))
        case O.Reduce() | O.Scan() | O.Map() | O.Opaque():
            return op.operands
        case O.For():
            return (op.lower, op.upper, op.step, *op.inits)
        case O.While():
            return op.inits
        case _:
            assert_never(op)


def _present(*values: Value | None) -> tuple[Value, ...]:
    return tuple(v for v in values if v is not None)


def results(op: Op) -> tuple[Value, ...]:
    """Values that `op` defines in the block that holds it."""
    match op:
        case O.Store() | O.Barrier() | O.Assume() | O.Assert() | O.Hint():
            return ()
        case O.Split() | O.Reduce() | O.Scan() | O.Map() | O.Opaque() | O.For() | O.While() | O.If():
            return op.results
        case (
            O.Const() | O.Undef() | O.Range() | O.ProgramId() | O.NumPrograms() | O.Unary() | O.Binary() | O.Fma()
            | O.Cmp() | O.Select() | O.Cast() | O.Splat() | O.ExpandDims() | O.Broadcast() | O.Reshape() | O.Trans()
            | O.Join() | O.Cat() | O.Unsplat() | O.AddPtr() | O.Load() | O.AtomicRMW() | O.AtomicCAS() | O.Dot()
            | O.Gather() | O.Histogram()
        ):  # fmt: skip
            return (op.result,)
        case _:
            assert_never(op)


def blocks(op: Op) -> tuple[Block, ...]:
    """Blocks nested in `op`: loop bodies, branches, combine regions; in the order of its fields."""
    match op:
        case O.For() | O.Map():
            return (op.body,)
        case O.While():
            return (op.before, op.after)
        case O.If():
            return (op.then, op.orelse)
        case O.Reduce() | O.Scan():
            return (op.combine,)
        case (
            O.Const() | O.Undef() | O.Range() | O.ProgramId() | O.NumPrograms() | O.Unary() | O.Binary() | O.Fma()
            | O.Cmp() | O.Select() | O.Cast() | O.Splat() | O.ExpandDims() | O.Broadcast() | O.Reshape() | O.Trans()
            | O.Join() | O.Split() | O.Cat() | O.Unsplat() | O.AddPtr() | O.Load() | O.Store() | O.AtomicRMW()
            | O.AtomicCAS() | O.Barrier() | O.Dot() | O.Gather() | O.Histogram() | O.Assume() | O.Assert() | O.Hint() | O.Opaque()
        ):  # fmt: skip
            return ()
        case _:
            assert_never(op)


def walk(block: Block) -> Iterator[Op]:
    """All operations of `block`, each before those that it encloses; combine regions included."""
    for op in block.ops:
        yield op
        for inner in blocks(op):
            yield from walk(inner)
