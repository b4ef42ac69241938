"""Executes the operations of one program: values, memory, control flow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from argus_smt.interp import access, atomics, elementwise, tiles
from argus_smt.interp.context import Context
from argus_smt.interp.events import Stop
from argus_smt.interp.formats import lane_dtype, round_to, settle_int
from argus_smt.interp.hints import broken_lanes
from argus_smt.interp.lanes import Array, Lanes, is_marked, merge
from argus_smt.ir.ops import (
    AddPtr,
    Assert,
    Assume,
    AtomicCAS,
    AtomicRMW,
    Barrier,
    Binary,
    Block,
    Broadcast,
    Cast,
    Cat,
    Cmp,
    Const,
    Dot,
    ExpandDims,
    Fma,
    For,
    Gather,
    Hint,
    Histogram,
    If,
    Join,
    Load,
    Map,
    NumPrograms,
    Op,
    Opaque,
    ProgramId,
    Range,
    Reduce,
    Reshape,
    Scan,
    Select,
    Splat,
    Split,
    Store,
    Trans,
    Unary,
    Undef,
    Unsplat,
    Value,
    While,
)
from argus_smt.ir.types import Ptr, Scalar, Type, elem_of, shape_of

_MEETINGS = (Barrier, AtomicRMW, AtomicCAS, Reduce, Scan, Dot, Gather, Histogram, Trans, Reshape)


class Machine:
    """The values of one program. Loops and branches run on scalars; raises Stop where the program is given up."""

    def __init__(self, ctx: Context, step_limit: int) -> None:
        self.ctx = ctx
        self.values: dict[int, Lanes] = {}
        self.steps = 0
        self.step_limit = step_limit

    def run(self, block: Block, args: Sequence[Lanes]) -> list[Lanes]:
        """Execute a block with `args` for its parameters; gives what it yields."""
        for param, arg in zip(block.params, args, strict=True):
            self.values[param.number] = arg
        for op in block.ops:
            self.steps += 1
            if self.steps > self.step_limit:
                self._give_up(op, f"more than {self.step_limit} steps")
            results, values = self._execute(op)
            if isinstance(op, _MEETINGS):
                self._met(op)
            for result, value in zip(results, values, strict=True):
                self.values[result.number] = value
        return self._all(block.yields)

    def _met(self, op: Op) -> None:
        """Count an operation in which the threads of the program meet."""
        passed = self.ctx.recorder.passed
        match op:
            case Barrier():
                self.ctx.recorder.passed = replace(passed, barriers=passed.barriers + 1)
            case AtomicRMW() | AtomicCAS():
                if not shape_of(op.result.type):
                    self.ctx.recorder.passed = replace(passed, atomics=passed.atomics + 1)
            case _:
                self.ctx.recorder.passed = replace(passed, exchanges=passed.exchanges + 1)

    def _give_up(self, op: Op, why: str) -> None:
        self.ctx.recorder.event("limit", op, detail=why)
        raise Stop

    def _get(self, value: Value) -> Lanes:
        return self.values[value.number]

    def _maybe(self, value: Value | None) -> Lanes | None:
        return None if value is None else self._get(value)

    def _all(self, values: Sequence[Value]) -> list[Lanes]:
        return [self._get(v) for v in values]

    def _execute(self, op: Op) -> tuple[Sequence[Value], Sequence[Lanes]]:
        """Results of an operation and their values."""
        match op:
            case For():
                return op.results, self._for(op)
            case While():
                return op.results, self._while(op)
            case If():
                holds = self._branch(op, self._get(op.cond), "the branch")
                return op.results, self.run(op.then if holds else op.orelse, ())
            case Reduce() | Scan():
                return op.results, self._fold(op)
            case Map():
                return op.results, self._map(op)
            case Opaque():
                return op.results, self._opaque(op)
            case Split():
                return op.results, tiles.split(self._get(op.operand))
            case Store():
                access.store(self.ctx, op, self._get(op.ptr), self._get(op.value), self._maybe(op.mask))
                return (), ()
            case Assume() | Assert() | Hint():
                self._promise(op)
                return (), ()
            case Barrier():
                return (), ()
            case _:
                return (op.result,), (self._value(op),)

    def _value(self, op: Op) -> Lanes:
        """Value of an operation with one result."""
        ctx, get = self.ctx, self._get
        match op:
            case Const() | Undef() | Range() | ProgramId() | NumPrograms():
                return self._source(op)
            case Unary():
                return elementwise.unary(ctx, op, get(op.operand))
            case Binary():
                return self._binary(op)
            case Fma():
                return elementwise.fma(op, get(op.a), get(op.b), get(op.c))
            case Cmp():
                return elementwise.compare(ctx, op, get(op.lhs), get(op.rhs))
            case Select():
                return elementwise.select(get(op.cond), get(op.a), get(op.b))
            case Cast():
                return elementwise.cast(ctx, op, get(op.operand))
            case AddPtr():
                return elementwise.add_ptr(ctx, op, get(op.ptr), get(op.offset))
            case Splat() | ExpandDims() | Broadcast() | Reshape() | Trans() | Unsplat():
                return tiles.reshape(op, get(op.operand))
            case Join() | Cat():
                return tiles.join(op, get(op.lhs), get(op.rhs))
            case Dot():
                return self._dot(op)
            case Histogram():
                return tiles.histogram(ctx, op, get(op.operand), self._maybe(op.mask))
            case Gather():
                return tiles.gather(ctx, op, get(op.operand), get(op.index))
            case Load():
                return access.load(ctx, op, get(op.ptr), self._maybe(op.mask), self._maybe(op.other))
            case AtomicRMW():
                return atomics.atomic_rmw(ctx, op, get(op.ptr), get(op.value), self._maybe(op.mask))
            case AtomicCAS():
                return atomics.atomic_cas(ctx, op, get(op.ptr), get(op.compare), get(op.value))
        raise TypeError(f"no meaning for {type(op).__name__}")

    def _source(self, op: Const | Undef | Range | ProgramId | NumPrograms) -> Lanes:
        match op:
            case Const():
                return constant(op.value, op.result.type)
            case Undef():
                return elementwise.undefined(self.ctx, op, elem_of(op.result.type), shape_of(op.result.type))
            case Range():
                return Lanes(np.arange(op.start, op.end, dtype=np.int64))
            case ProgramId():
                return Lanes(np.asarray(self.ctx.program[op.axis], np.int64))
            case NumPrograms():
                return Lanes(np.asarray(self.ctx.grid[op.axis], np.int64))

    def _opaque(self, op: Opaque) -> list[Lanes]:
        if op.effects:
            self.ctx.recorder.event("unsupported", op, detail=f"`{op.name}` may change memory: {op.reason}")
        return [elementwise.undefined(self.ctx, op, elem_of(r.type), shape_of(r.type)) for r in op.results]

    def _region(self, block: Block) -> tiles.Combine:
        """A block of scalar operations as a function of lanes: at once, or lane by lane where it branches."""

        def combine(parts: Sequence[Lanes]) -> list[Lanes]:
            shape = parts[0].shape
            return [x.map(lambda part: np.broadcast_to(part, shape)) for x in self.run(block, parts)]

        return combine if tiles.is_straight(block) else tiles.one_by_one(combine)

    def _map(self, op: Map) -> list[Lanes]:
        return self._region(op.body)(self._all(op.operands))

    def _fold(self, op: Reduce | Scan) -> list[Lanes]:
        how = self._region(op.combine)
        operands = self._all(op.operands)

        def run(given: Sequence[Lanes], combine: tiles.Combine) -> list[Lanes]:
            if isinstance(op, Reduce):
                return tiles.reduce(given, op.axis, combine)
            return tiles.scan(given, op.axis, op.reverse, combine)

        if self.ctx.padding is None:
            return run(operands, how)
        return self.ctx.padding.fold(op, self.ctx.program, operands, op.axis if isinstance(op, Reduce) else None, how, run)

    def _dot(self, op: Dot) -> Lanes:
        a, b, c = self._all((op.a, op.b, op.c))
        if self.ctx.padding is None:
            return tiles.dot(self.ctx, op, a, b, c)
        left, right, pads = self.ctx.padding.product(op, self.ctx.program, a, b)
        made = tiles.dot(self.ctx, op, left, right, c)
        return self.ctx.padding.unmarked(made, pads & (self.ctx.padding.padding(c) | (c.data == 0)))

    def _binary(self, op: Binary) -> Lanes:
        a, b = self._get(op.lhs), self._get(op.rhs)
        made = elementwise.binary(self.ctx, op, a, b)
        if self.ctx.padding is None:
            return made
        if op.fn == "fsub":
            made = self.ctx.padding.difference(made, a, b)
        if id(op) not in self.ctx.padding.accumulating:
            return made
        return self.ctx.padding.accumulated(op, self.ctx.program, made, a, b)

    # ------------------------------------------------------------ promises

    def _promise(self, op: Assume | Assert | Hint) -> None:
        if isinstance(op, Hint):
            self._hint(op)
            return
        cond = self._get(op.cond)
        asked = np.ones(cond.shape, bool)
        if isinstance(op, Assert) and op.mask is not None:
            mask = self._get(op.mask)
            self.ctx.recorder.used(op, mask.undef, mask.wrapped, "the mask", asked)
            asked = np.broadcast_to(mask.data != 0, cond.shape) & ~is_marked(mask.undef, cond.shape)
        self.ctx.recorder.used(op, cond.undef, None, "the condition", asked)
        false = asked & (cond.data == 0) & ~is_marked(cond.undef, cond.shape)
        if false.any():
            kind, detail = ("assert_false", op.message) if isinstance(op, Assert) else ("assume_false", "")
            self.ctx.recorder.event(kind, op, np.asarray(false), detail=detail)

    def _hint(self, op: Hint) -> None:
        operand = self._get(op.operand)
        elem = elem_of(op.operand.type)
        numbers, stride = operand.data, 1
        if isinstance(elem, Ptr):
            numbers, stride = self.ctx.views.addresses(operand), elem.elem.nbytes
        broken = broken_lanes(op.kind, op.values, numbers, stride) & ~is_marked(operand.undef, operand.shape)
        if broken.any():
            first = int(numbers[np.unravel_index(int(np.argmax(broken)), broken.shape)])
            wanted = ", ".join(map(str, op.values))
            self.ctx.recorder.event("hint_false", op, broken, value=first, detail=f"{op.kind} {wanted} at the value {first}")

    # ------------------------------------------------------------ control

    def _branch(self, op: Op, cond: Lanes, what: str) -> bool:
        """Value of a condition; an undefined one ends the program."""
        self._needs(op, cond, what)
        return bool(cond.data != 0)

    def _needs(self, op: Op, value: Lanes, what: str) -> None:
        self.ctx.recorder.used(op, value.undef, value.wrapped, what, np.ones(value.shape, bool))
        if is_marked(value.undef, value.shape).any():
            raise Stop

    def _for(self, op: For) -> list[Lanes]:
        bounds = self._all((op.lower, op.upper, op.step))
        for value, what in zip(bounds, ("the lower bound", "the upper bound", "the step"), strict=True):
            self._needs(op, value, f"{what} of the loop")
        counter, upper, step = (int(x.data) for x in bounds)
        wrapped = merge(*(x.wrapped for x in bounds))
        bits = elementwise.scalar_type(elem_of(op.lower.type)).bits
        if step <= 0 and counter < upper:
            self._give_up(op, f"the loop's step is {step}")
        carried = self._all(op.inits)
        self.ctx.recorder.iteration.append(0)
        while counter < upper:
            now = Lanes(np.asarray(counter, np.int64), None, None, wrapped)
            carried = self.run(op.body, (now, *carried))
            counter = self._advance(op, counter + step, bits)
            self.ctx.recorder.iteration[-1] += 1
            self._count_trip(op)
        self.ctx.recorder.iteration.pop()
        return carried

    def _advance(self, op: For, counter: int, bits: int) -> int:
        """The next counter. One that does not fit ends the program: the loop would run on from its wrapped value."""
        if settle_int(counter, bits) != counter:
            self.ctx.recorder.event("wrap", op, value=counter, detail=f"the loop counter passes {bits} bits")
            self.ctx.recorder.event("wrap_used", op, value=counter, detail="the loop counter", source=op)
            raise Stop
        return counter

    def _while(self, op: While) -> list[Lanes]:
        carried = self._all(op.inits)
        self.ctx.recorder.iteration.append(0)
        while True:
            cond, *passed = self.run(op.before, carried)
            if not self._branch(op, cond, "the condition of the loop"):
                break
            carried = self.run(op.after, passed)
            self.ctx.recorder.iteration[-1] += 1
            self._count_trip(op)
            if self.ctx.on_trip is not None:
                self.ctx.on_trip(op, carried)
        self.ctx.recorder.iteration.pop()
        return passed

    def _count_trip(self, op: For | While) -> None:
        """A trip is a step too, so that a loop with nothing in it ends."""
        self.steps += 1
        if self.steps > self.step_limit:
            self._give_up(op, f"more than {self.step_limit} steps")


def constant(value: int | float, of: Type) -> Lanes:
    """A constant as lanes of a type; integers of either signedness are taken."""
    elem, shape = elem_of(of), shape_of(of)
    if isinstance(elem, Ptr):
        return Lanes(np.full(shape, int(value), np.int64), np.zeros(shape, np.int32))
    if elem.is_int:
        return Lanes(np.full(shape, settle_int(int(value), elem.bits), np.int64))
    return Lanes(np.full(shape, _rounded(float(value), elem)[()], lane_dtype(elem)))


def _rounded(value: float, elem: Scalar) -> Array:
    with np.errstate(all="ignore"):
        return round_to(np.asarray(value, np.float64), elem)
