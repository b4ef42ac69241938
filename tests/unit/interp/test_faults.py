"""What a run reports: bounds, initialisation, wraps, undefined values, promises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from argus_smt.interp.events import KINDS, Access, Trace
from argus_smt.interp.memory import Memory, Region
from argus_smt.interp.run import FAULTS, Arg, PointerValue, run_grid, run_program
from argus_smt.ir.ops import (
    AddPtr,
    Assert,
    Assume,
    Binary,
    Cast,
    Cmp,
    Hint,
    If,
    Load,
    NumPrograms,
    Opaque,
    ProgramId,
    Range,
    Select,
    Splat,
    Store,
    Unary,
    Undef,
    Value,
)
from argus_smt.ir.types import I1, I32, I64, Ptr, Scalar, Tile
from tests.unit.interp.build import Builder, memory_of

F32 = Scalar("f32")
P32, PF = Ptr(I32), Ptr(F32)
ONE = (1, 1, 1)


def run(b: Builder, args: list[Arg], memory: Memory, grid: tuple[int, int, int] = ONE, **more: Any) -> Trace:
    trace = run_grid(b.kernel(), args, grid, memory, **more)
    assert {e.kind for e in trace.events} <= KINDS
    return trace


def kinds(trace: Trace) -> list[str]:
    return [e.kind for e in trace.events]


def copy_kernel(masked: bool) -> Builder:
    """x[i] to y[i] for i in this program's block of 8, where i < n if `masked`."""
    b = Builder()
    x, y, n = b.param(PF, "x"), b.param(PF, "y"), b.param(I32, "n")
    start = b.let(I32, Binary, "mul", b.let(I32, ProgramId, 0), b.const(8))
    t = Tile((8,), I32)
    at = b.let(t, Binary, "add", b.let(t, Splat, start), b.let(t, Range, 0, 8))
    mask = b.let(Tile((8,), I1), Cmp, "slt", at, b.let(t, Splat, n)) if masked else None
    ptrs = [b.let(Tile((8,), PF), AddPtr, b.let(Tile((8,), PF), Splat, p), at) for p in (x, y)]
    b.add(Store, ptrs[1], b.let(Tile((8,), F32), Load, ptrs[0], mask), mask)
    return b


def test_bounds_with_and_without_mask() -> None:
    data = np.arange(20, dtype=np.float32)
    for masked in (True, False):
        memory, args = memory_of((data, "f32"), (np.zeros(20, np.float32), "f32"))
        trace = run(copy_kernel(masked), [*args, 20], memory, (3, 1, 1))
        assert memory.read_elements(1, "f32", 0, 20).tolist() == data.tolist()
        assert memory.writers(1, 0, 80)[::4].tolist() == [k // 8 for k in range(20)]
        if masked:
            assert trace.events == []
            continue
        assert kinds(trace) == ["oob_read", "oob_write"]
        event = trace.events[0]
        assert (event.program, event.element, event.count, event.address, event.extent) == ((2, 0, 0), (4,), 4, 80, 80)
        assert event.hits is not None
        assert event.hits.tolist() == [False] * 4 + [True] * 4


def test_the_view_bounds_not_the_storage() -> None:
    memory, _ = memory_of((np.arange(40, dtype=np.float32), "f32"))
    x, y = PointerValue(0, 16, 8, 36), PointerValue(0, 80, 80, 160)
    trace = run_program(copy_kernel(False).kernel(), [x, y, 0], (1, 1, 1), (0, 0, 0), memory)
    assert kinds(trace) == ["oob_read"]
    event = trace.events[0]
    assert (event.element, event.address, event.lower, event.upper, event.extent) == ((5,), 36, 8, 36, 160)


def test_an_access_must_fit_whole() -> None:
    memory, _ = memory_of((np.zeros(4, np.float32), "f32"))
    b = Builder()
    b.let(F32, Load, b.param(PF))
    assert kinds(run(b, [PointerValue(0, 13, 0, 16)], memory)) == ["oob_read"]
    assert kinds(run(b, [PointerValue(0, 12, 0, 16)], memory)) == []
    assert kinds(run(b, [PointerValue(0, -1, 0, 16)], memory)) == ["oob_read"]


def test_uninitialised_reads_and_undefined_bytes() -> None:
    b = Builder()
    x, y = b.param(P32), b.param(P32)
    b.add(Store, x, b.let(I32, Load, y))
    read = b.let(I32, Load, x)
    b.let(I32, Load, b.let(P32, AddPtr, x, read))
    memory = Memory([Region(0, "x", "i32", 8), Region(1, "y", "i32", 4)])
    memory.mark_uninitialised(1)
    trace = run(b, [PointerValue(0, 0, 0, 8), PointerValue(1, 0, 0, 4)], memory)
    assert kinds(trace) == ["uninit_read", "undef_used"]
    assert (trace.events[0].storage, trace.events[0].address) == (1, 0)
    memory.write_elements(1, 0, np.array([1], np.int32))
    assert kinds(run(b, [PointerValue(0, 0, 0, 8), PointerValue(1, 0, 0, 4)], memory)) == []


def wrapping_row(elem: Scalar, wide: bool) -> Builder:
    """Store to x[row * stride + column], in 32 bits unless `wide`."""
    b = Builder()
    x, row, stride = b.param(Ptr(elem), "x"), b.param(I32, "row"), b.param(I32, "stride")
    kind = I64 if wide else I32
    operands = [b.let(I64, Cast, "sext", v) if wide else v for v in (row, stride)]
    start = b.let(kind, Binary, "mul", *operands)
    t = Tile((4,), kind)
    column = b.let(Tile((4,), I32), Range, 0, 4)
    column = b.let(t, Cast, "sext", column) if wide else column
    at = b.let(t, Binary, "add", b.let(t, Splat, start), column)
    ptr = b.let(Tile((4,), Ptr(elem)), AddPtr, b.let(Tile((4,), Ptr(elem)), Splat, x), at)
    b.add(Store, ptr, b.const(1.0, Tile((4,), elem)))
    return b


def test_a_row_past_two_to_the_31_wraps_on_sparse_memory() -> None:
    rows, stride = (1 << 17) + 1, 1 << 14
    nbytes = rows * stride * 2
    memory = Memory([Region(0, "x", "f16", nbytes)])
    args: list[Arg] = [PointerValue(0, 0, 0, nbytes), rows - 1, stride]
    trace = run(wrapping_row(Scalar("f16"), False), args, memory)
    assert kinds(trace) == ["wrap", "wrap_used", "oob_write"]
    wrap, used, outside = trace.events
    assert wrap.value == 1 << 31
    assert used.source is wrap.op
    assert outside.address == -(1 << 32)
    assert outside.detail == f"address derives from wrapped op at line {wrap.span.line}"
    trace = run(wrapping_row(Scalar("f16"), True), args, memory)
    assert kinds(trace) == []
    assert memory.read_elements(0, "f16", 1 << 32, 5).tolist() == [1, 1, 1, 1, 0]


def test_64_bit_offsets_that_wrap() -> None:
    b = Builder()
    b.let(F32, Load, b.let(PF, AddPtr, b.param(PF), b.const(1 << 62, I64)))
    memory, args = memory_of((np.zeros(1, np.float32), "f32"))
    trace = run(b, list(args), memory)
    assert kinds(trace) == ["wrap", "wrap_used"]
    assert trace.events[0].value == 1 << 64


def test_wrapped_values_in_masks_and_branches_are_reported() -> None:
    b = Builder()
    x, n = b.param(P32), b.param(I32)
    more = b.let(I32, Binary, "add", n, b.const(1))
    cond = b.let(I1, Cmp, "sgt", more, b.const(0))
    b.let(I32, Load, x, cond)
    b.add(If, (), cond, b.inside((), list), b.inside((), list))
    memory, args = memory_of(([0], "i32"))
    assert kinds(run(b, [*args, 5], memory)) == []
    trace = run(b, [*args, (1 << 31) - 1], memory)
    assert [(e.kind, e.detail.split(" ")[1]) for e in trace.of("wrap_used")] == [
        ("wrap_used", "mask"),
        ("wrap_used", "branch"),
    ]


def test_a_clean_false_hides_a_marked_operand() -> None:
    b = Builder()
    x, n = b.param(P32), b.param(I32)
    more = b.let(I32, Binary, "add", n, b.const(1))
    wrapped = b.let(I1, Cmp, "sgt", more, b.const(0))
    undefined = b.let(I1, Undef)
    no, yes = b.const(0, I1), b.const(1, I1)
    for fn, side in (("and", no), ("or", yes), ("mul", no)):
        for marked in (wrapped, undefined):
            b.let(I32, Load, x, b.let(I1, Binary, fn, side, marked))
    memory, args = memory_of(([0], "i32"))
    assert kinds(run(b, [*args, (1 << 31) - 1], memory)) == ["wrap"]


def undefined_use(where: str, source: Any) -> Trace:
    b = Builder()
    x = b.param(P32)
    bad = source(b)
    if where == "address":
        b.let(I32, Load, b.let(P32, AddPtr, x, bad))
    elif where == "mask":
        b.let(I32, Load, x, b.let(I1, Cmp, "eq", bad, bad))
    elif where == "masked off":
        b.let(I32, Load, b.let(P32, AddPtr, x, bad), b.const(0, I1))
    else:
        b.add(If, (), b.let(I1, Cmp, "eq", bad, bad), b.inside((), list), b.inside((), list))
    memory, args = memory_of(([0], "i32"))
    return run(b, list(args), memory)


def opaque(b: Builder) -> Value:
    result = b.new(I32)
    b.add(Opaque, (result,), "asm", (), "inline assembly")
    return result


def nameless(b: Builder) -> Value:
    return b.let(I32, Cast, "bitcast", b.let(F32, Unary, "fn", b.const(1.0, F32)))


@pytest.mark.parametrize("where", ["address", "mask", "branch", "masked off"])
def test_undefined_values(where: str) -> None:
    for source, kind in (
        (lambda b: b.let(I32, Undef), "undef_used"),
        (lambda b: b.let(I32, Load, b.params[0], b.const(0, I1)), "undef_used"),
        (opaque, "unsupported"),
        (nameless, "unsupported"),
    ):
        trace = undefined_use(where, source)
        assert kinds(trace) == ([kind] if where != "masked off" else [])
        assert trace.complete == (where != "branch")


def test_select_drops_what_it_does_not_take() -> None:
    b = Builder()
    x, c = b.param(P32), b.param(I1)
    picked = b.let(I32, Select, c, b.let(I32, Undef), b.const(0))
    b.let(I32, Load, b.let(P32, AddPtr, x, picked))
    either = b.let(I32, Select, b.let(I1, Undef), b.const(0), b.const(0))
    b.let(I32, Load, b.let(P32, AddPtr, x, either))
    memory, args = memory_of(([0], "i32"))
    assert kinds(run(b, [*args, 0], memory)) == []
    assert kinds(run(b, [*args, 1], memory)) == ["undef_used"]


def test_masked_load_gives_other() -> None:
    b = Builder()
    x = b.param(P32)
    t, p = Tile((4,), I32), Tile((4,), P32)
    at = b.let(t, Range, 0, 4)
    ptr = b.let(p, AddPtr, b.let(p, Splat, x), at)
    mask = b.let(Tile((4,), I1), Cmp, "slt", at, b.const(2, t))
    b.add(Store, ptr, b.let(t, Load, ptr, mask, b.const(9, t)))
    memory, args = memory_of(([5, 6, 7, 8], "i32"))
    assert run(b, list(args), memory).events == []
    assert memory.read_elements(0, "i32", 0, 4).tolist() == [5, 6, 9, 9]


@pytest.mark.parametrize(("fn", "b", "kind"), [
    ("sdiv", 0, "div_zero"), ("urem", 0, "div_zero"), ("shl", 32, "shift_width"), ("lshr", -1, "shift_width"),
])  # fmt: skip
def test_arithmetic_without_result(fn: str, b: int, kind: str) -> None:
    k = Builder()
    x = k.param(P32)
    bad = k.let(I32, Binary, fn, k.const(7), k.const(b))
    k.let(I32, Binary, fn, k.const(7), bad)
    k.let(I32, Load, k.let(P32, AddPtr, x, bad))
    memory, args = memory_of(([0], "i32"))
    assert kinds(run(k, list(args), memory)) == [kind, "undef_used"]


def test_pointers_of_two_storages_and_through_integers() -> None:
    b = Builder()
    x, y = b.param(P32), b.param(P32)
    t, p = Tile((2,), I32), Tile((2,), P32)
    at = b.let(t, Range, 0, 2)
    first = b.let(Tile((2,), I1), Cmp, "eq", at, b.const(0, t))
    ptr = b.let(p, Select, first, b.let(p, Splat, x), b.let(p, Splat, y))
    as_int = b.let(Tile((2,), I64), Cast, "ptr_to_int", ptr)
    moved = b.let(Tile((2,), I64), Binary, "add", as_int, b.const(4, Tile((2,), I64)))
    back = b.let(p, Cast, "int_to_ptr", moved)
    b.add(Store, ptr, b.let(t, Load, back))
    b.let(I1, Cmp, "ult", x, y)
    memory, args = memory_of(([1, 2], "i32"), ([3, 4], "i32"))
    assert run(b, list(args), memory).events == []
    assert [memory.read_elements(k, "i32", 0, 2).tolist() for k in (0, 1)] == [[2, 2], [4, 4]]
    outside = Builder()
    outside.let(I32, Load, outside.let(P32, Cast, "int_to_ptr", outside.const(64, I64)))
    (event,) = run(outside, [], memory).events
    assert (event.kind, event.storage, event.value) == ("oob_read", None, 64)


def test_a_table_of_pointers() -> None:
    b = Builder()
    table = b.param(Ptr(P32))
    second = b.let(P32, Load, b.let(Ptr(P32), AddPtr, table, b.const(1)))
    b.add(Store, table, second)
    b.add(Store, b.let(P32, AddPtr, second, b.const(1)), b.const(77))
    memory = Memory([Region(0, "table", "i64", 16), Region(1, "a", "i32", 8), Region(2, "b", "i32", 8)])
    memory.write_elements(0, 0, np.array([memory.base(1), memory.base(2)]))
    assert run(b, [PointerValue(0, 0, 0, 16)], memory).events == []
    assert memory.read_elements(2, "i32", 0, 2).tolist() == [0, 77]
    assert memory.read_elements(0, "i64", 0, 1).tolist() == [memory.base(2)]


def test_promises() -> None:
    b = Builder()
    n = b.param(I32)
    b.add(Assume, b.let(I1, Cmp, "sgt", n, b.const(0)))
    t = Tile((4,), I32)
    small = b.let(Tile((4,), I1), Cmp, "slt", b.let(t, Range, 0, 4), b.let(t, Splat, n))
    b.add(Assert, small, "too far")
    b.add(Assert, small, "too far", small)
    b.add(Hint, n, "divisibility", (4,))
    memory = Memory([])
    assert kinds(run(b, [4], memory)) == []
    trace = run(b, [0], memory)
    assert [(e.kind, e.element, e.detail) for e in trace.events] == [
        ("assume_false", (), ""),
        ("assert_false", (0,), "too far"),
    ]
    assert [(e.kind, e.value) for e in run(b, [6], memory).events] == [("hint_false", 6)]


def test_stop_at_first() -> None:
    b = Builder()
    x = b.param(P32)
    b.let(I32, Binary, "add", b.const((1 << 31) - 1), b.const(1))
    b.let(I32, Load, b.let(P32, AddPtr, x, b.let(I32, ProgramId, 0)))
    memory, args = memory_of(([0], "i32"))
    trace = run(b, list(args), memory, (4, 1, 1), stop_at_first=True)
    assert kinds(trace) == ["wrap", "wrap", "oob_read"]
    assert not trace.complete
    assert kinds(run(b, list(args), memory, (4, 1, 1), stop_at_first=frozenset(["wrap"]))) == ["wrap"]
    assert FAULTS < KINDS


def test_access_log() -> None:
    log: list[Access] = []
    memory, args = memory_of((np.arange(8, dtype=np.float32), "f32"), (np.zeros(8, np.float32), "f32"))
    run(copy_kernel(True), [*args, 5], memory, on_access=log.append)
    assert [(a.kind, a.storage, a.size) for a in log] == [("load", 0, 4), ("store", 1, 4)]
    assert log[1].offsets[log[1].active].tolist() == [0, 4, 8, 12, 16]
    assert log[1].values[log[1].active].tolist() == [0, 1, 2, 3, 4]


def test_arguments_must_fit() -> None:
    b = copy_kernel(True)
    memory, args = memory_of((np.zeros(8, np.float32), "f32"))
    with pytest.raises(ValueError, match="takes 3 arguments, not 1"):
        run_grid(b.kernel(), args, ONE, memory)
    with pytest.raises(ValueError, match=r"`n` of type i32: 4294967296 does not fit"):
        run_grid(b.kernel(), [args[0], args[0], 1 << 32], ONE, memory)
    with pytest.raises(ValueError, match="wants a pointer"):
        run_grid(b.kernel(), [1.5, args[0], 1], ONE, memory)
    with pytest.raises(ValueError, match="cannot be"):
        run_grid(b.kernel(), [args[0], args[0], args[0]], ONE, memory)
    with pytest.raises(ValueError, match="outside the grid"):
        run_program(b.kernel(), [args[0], args[0], 1], ONE, (1, 0, 0), memory)


def test_ids_of_programs() -> None:
    b = Builder()
    x = b.param(P32)
    ids = [b.let(I32, ProgramId, a) for a in range(3)]
    extent = [b.let(I32, NumPrograms, a) for a in range(2)]
    flat = b.let(I32, Binary, "mul", extent[1], ids[2])
    flat = b.let(I32, Binary, "mul", extent[0], b.let(I32, Binary, "add", flat, ids[1]))
    flat = b.let(I32, Binary, "add", flat, ids[0])
    b.add(Store, b.let(P32, AddPtr, x, flat), flat)
    memory, args = memory_of((np.zeros(24), "i32"))
    assert run(b, list(args), memory, (2, 3, 4)).events == []
    assert memory.read_elements(0, "i32", 0, 24).tolist() == list(range(24))
    assert memory.writers(0, 0, 96)[::4].tolist() == list(range(24))
