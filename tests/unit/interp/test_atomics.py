"""Atomic operations: duplicates, order, old values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from argus_smt.interp.events import Trace
from argus_smt.interp.memory import Memory, Region
from argus_smt.interp.run import PointerValue, run_grid
from argus_smt.ir.ops import AddPtr, AtomicCAS, AtomicRMW, Cast, Load, Range, Splat, Store, Value
from argus_smt.ir.types import I1, I32, Ptr, Scalar, Tile
from tests.unit.interp.build import Builder, memory_of

P32 = Ptr(I32)
AT = [2, 0, 2, 2, 1, 0]
T, P = Tile((6,), I32), Tile((6,), P32)


def run(make: Any, cells: list[int], values: list[int], mask: list[int] | None = None) -> tuple[list[int], list[int], Trace]:
    """Lane k works on cell AT[k] with values[k]; the cells afterwards, the old values, the trace."""
    memory, args = memory_of((cells, "i32"), (AT, "i32"), (values, "i32"), ([0] * 6, "i32"), (mask or [1] * 6, "i1"))
    b = Builder()
    params = [b.param(P32) for _ in range(4)] + [b.param(Ptr(I1))]
    at, value = (b.let(T, Load, b.lanes_of(p, (6,))) for p in params[1:3])
    live = b.let(Tile((6,), I1), Load, b.lanes_of(params[4], (6,)))
    ptr = b.let(P, AddPtr, b.let(P, Splat, params[0]), at)
    old = make(b, ptr, value, live if mask else None)
    b.add(Store, b.lanes_of(params[3], (6,)), old)
    trace = run_grid(b.kernel(), args, (1, 1, 1), memory)
    return memory.read_elements(0, "i32", 0, len(cells)).tolist(), memory.read_elements(3, "i32", 0, 6).tolist(), trace


COMBINE: dict[str, Any] = {
    "add": lambda a, b: a + b, "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
    "smax": max, "smin": min, "umax": lambda a, b: max(a, b, key=lambda v: v % (1 << 32)),
    "umin": lambda a, b: min(a, b, key=lambda v: v % (1 << 32)), "xchg": lambda a, b: b,
}  # fmt: skip


@pytest.mark.parametrize("fn", sorted(COMBINE))
@pytest.mark.parametrize("mask", [None, [1, 0, 1, 0, 1, 1]])
def test_lanes_in_order(fn: str, mask: list[int] | None) -> None:
    cells, values = [5, -3, 12], [7, -9, 1, 6, 4, 2]
    found, old, trace = run(lambda b, p, v, m: b.let(T, AtomicRMW, fn, p, v, m), cells, values, mask)
    assert trace.events == []
    for lane, (at, value) in enumerate(zip(AT, values, strict=True)):
        if mask is None or mask[lane]:
            assert old[lane] == cells[at]
            cells[at] = COMBINE[fn](cells[at], value)
    assert found == cells


def test_compare_and_swap() -> None:
    """Of the lanes at one cell that expect 0 the first one wins."""

    def make(b: Builder, ptr: Value, value: Value, _mask: Any) -> Value:
        return b.let(T, AtomicCAS, ptr, b.const(0, T), value)

    found, old, trace = run(make, [0, 8, 0], [1, 2, 3, 4, 5, 6])
    assert trace.events == []
    assert found == [2, 8, 1]
    assert old == [0, 0, 1, 1, 8, 2]


def test_bounds_and_initialisation() -> None:
    _, _, trace = run(lambda b, p, v, m: b.let(T, AtomicRMW, "add", p, v, m), [1, 2], [0] * 6)
    assert [(e.kind, e.element, e.count) for e in trace.events] == [("oob_write", (0,), 3)]
    for fn, kinds in (("add", ["uninit_read"]), ("xchg", [])):
        memory = Memory([Region(0, "x", "i32", 4)])
        memory.mark_uninitialised(0)
        b = Builder()
        b.let(I32, AtomicRMW, fn, b.param(P32), b.const(3), None)
        assert [e.kind for e in run_grid(b.kernel(), [PointerValue(0, 0, 0, 4)], (1, 1, 1), memory).events] == kinds


def test_floats_add_in_their_precision() -> None:
    f16 = Scalar("f16")
    memory, args = memory_of((np.array([2048], np.float16), "f16"))
    b = Builder()
    ptr = b.let(Tile((4,), Ptr(f16)), Splat, b.param(Ptr(f16)))
    b.let(Tile((4,), f16), AtomicRMW, "fadd", ptr, b.const(1.0, Tile((4,), f16)), None)
    run_grid(b.kernel(), args, (1, 1, 1), memory)
    assert memory.read_elements(0, "f16", 0, 1).tolist() == [2048]


def test_overlapping_cells() -> None:
    """Two 32-bit cells that share two bytes are worked on one after the other."""
    memory, args = memory_of((np.zeros(6, np.int64), "i8"))
    b = Builder()
    x = b.param(Ptr(Scalar("i8")))
    at = b.let(Tile((2,), Ptr(Scalar("i8"))), Splat, x)
    two = b.let(Tile((2,), I32), Range, 0, 2)
    at = b.let(at.type, AddPtr, b.let(at.type, AddPtr, at, two), two)
    ptr = b.let(Tile((2,), P32), Cast, "ptr_cast", at)
    b.let(Tile((2,), I32), AtomicRMW, "add", ptr, b.const(0x00020003, Tile((2,), I32)), None)
    run_grid(b.kernel(), args, (1, 1, 1), memory)
    assert memory.read_bytes(0, 0, 6).tolist() == [3, 0, 5, 0, 2, 0]


def test_tiles_of_two_dimensions() -> None:
    memory, args = memory_of((np.zeros(4), "i32"), (np.arange(6), "i32"))
    b = Builder()
    x, y = b.param(P32), b.param(P32)
    ptr = b.let(Tile((2, 3), P32), Splat, x)
    b.let(Tile((2, 3), I32), AtomicRMW, "add", ptr, b.let(Tile((2, 3), I32), Load, b.lanes_of(y, (2, 3))), None)
    assert run_grid(b.kernel(), args, (1, 1, 1), memory).events == []
    assert memory.read_elements(0, "i32", 0, 4).tolist() == [15, 0, 0, 0]
