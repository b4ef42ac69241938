"""Loops and branches."""

from __future__ import annotations

import pytest

from argus_smt.interp.events import Trace
from argus_smt.interp.run import run_grid
from argus_smt.ir.ops import AddPtr, Binary, Cmp, For, If, Load, Store, Value, While
from argus_smt.ir.types import I1, I32, I64, Ptr, Scalar
from tests.unit.interp.build import Builder, memory_of

P32 = Ptr(I32)


def run(b: Builder, *args: int, step_limit: int = 10_000) -> tuple[list[int], Trace]:
    memory, pointers = memory_of(([0, 0, 0, 0], "i32"))
    trace = run_grid(b.kernel(), [*pointers, *args], (1, 1, 1), memory, step_limit=step_limit)
    return memory.read_elements(0, "i32", 0, 4).tolist(), trace


def summing_loop(of: Scalar = I32) -> Builder:
    """x[0] = the sum of the counters, x[1] = the number of trips."""
    b = Builder()
    x, lower, upper, step = b.param(P32), b.param(of), b.param(of), b.param(of)
    zero, one = b.const(0, of), b.const(0)
    counter, total, trips = b.new(of), b.new(of), b.new(I32)

    def body(i: Value, s: Value, n: Value) -> list[Value]:
        return [b.let(of, Binary, "add", s, i), b.let(I32, Binary, "add", n, b.const(1))]

    results = (b.new(of), b.new(I32))
    b.add(For, results, lower, upper, step, (zero, one), b.inside((counter, total, trips), body))
    if of == I32:
        b.add(Store, x, results[0])
    b.add(Store, b.let(P32, AddPtr, x, b.const(1)), results[1])
    return b


@pytest.mark.parametrize(("lower", "upper", "step"), [(0, 10, 3), (5, 5, 1), (7, 2, 1), (-4, 4, 2), (0, 1, 100)])
def test_for(lower: int, upper: int, step: int) -> None:
    cells, trace = run(summing_loop(), lower, upper, step)
    assert trace.events == []
    assert cells[:2] == [sum(range(lower, upper, step)), len(range(lower, upper, step))]


def test_the_counter_past_its_last_value() -> None:
    top = (1 << 31) - 1
    cells, trace = run(summing_loop(), top - 10, top, 4)
    assert [(e.kind, e.value, e.iteration) for e in trace.of("wrap")][-1] == ("wrap", top + 2, (2,))
    assert trace.of("wrap_used")
    assert not trace.complete
    assert cells == [0, 0, 0, 0]
    assert run(summing_loop(I64), top - 10, top, 4)[0] == [0, 3, 0, 0]


def test_loops_that_do_not_end() -> None:
    _, trace = run(summing_loop(), 0, 5, 0)
    assert [(e.kind, e.detail) for e in trace.events] == [("limit", "the loop's step is 0")]
    assert run(summing_loop(), 5, 5, 0)[1].events == []
    _, trace = run(summing_loop(), 0, 1 << 30, 1, step_limit=100)
    assert trace.events[-1].kind == "limit"
    assert trace.steps == 101


def test_nested_loops_number_their_trips() -> None:
    b = Builder()
    x = b.param(P32)
    zero, two, three = b.const(0), b.const(2), b.const(3)
    step = b.const(10)

    def inner(_j: Value) -> list[Value]:
        far = b.let(P32, AddPtr, x, b.const(100))
        b.let(I32, Load, far)
        return []

    def outer(_i: Value) -> list[Value]:
        b.add(For, (), zero, step, b.const(4), (), b.inside((b.new(I32),), inner))
        return []

    b.add(For, (), zero, two, b.const(1), (), b.inside((b.new(I32),), outer))
    assert three.type == I32
    trace = run(b)[1]
    assert [e.iteration for e in trace.events] == [(i, j) for i in range(2) for j in range(3)]


def test_while() -> None:
    """Collatz steps from x's argument: the condition passes the number on."""
    b = Builder()
    x, n = b.param(P32), b.param(I32)

    def before(value: Value, count: Value) -> list[Value]:
        return [b.let(I1, Cmp, "ne", value, b.const(1)), value, count]

    def after(value: Value, count: Value) -> list[Value]:
        odd = b.let(I32, Binary, "and", value, b.const(1))
        result = b.new(I32)

        def up() -> list[Value]:
            return [b.let(I32, Binary, "add", b.let(I32, Binary, "mul", value, b.const(3)), b.const(1))]

        def down() -> list[Value]:
            return [b.let(I32, Binary, "lshr", value, b.const(1))]

        cond = b.let(I1, Cmp, "eq", odd, b.const(1))
        b.add(If, (result,), cond, b.inside((), up), b.inside((), down))
        return [result, b.let(I32, Binary, "add", count, b.const(1))]

    blocks = [b.inside((b.new(I32), b.new(I32)), f) for f in (before, after)]
    results = (b.new(I32), b.new(I32))
    b.add(While, results, (n, b.const(0)), *blocks)
    b.add(Store, x, results[1])
    assert run(b, 1)[0][0] == 0
    assert run(b, 27)[0][0] == 111


def test_an_empty_endless_while_ends() -> None:
    b = Builder()
    b.param(P32)
    yes = b.const(1, I1)
    b.add(While, (), (), b.inside((), lambda: [yes]), b.inside((), list))
    trace = run(b, step_limit=50)[1]
    assert [e.kind for e in trace.events] == ["limit"]
