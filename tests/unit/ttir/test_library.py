"""Every function of Triton's library that kernels commonly use imports with a meaning."""

from __future__ import annotations

from typing import Any

import pytest

from argus_smt.ir import ops as O
from argus_smt.ir.types import I32, Scalar, Tile
from tests.unit.ttir import library_kernels as L
from tests.unit.ttir.imported import imported, ops

TYPES = {"x": "*fp32", "o": "*fp32", "n": "i32", "B": "constexpr"}


def of(fn: Any) -> tuple[O.Op, ...]:
    return ops(imported(fn, TYPES, {"B": 16})[1])


@pytest.mark.parametrize("fn", L.KERNELS, ids=lambda fn: fn.__name__)
def test_no_operation_is_opaque(fn: Any) -> None:
    found = of(fn)
    assert [op for op in found if isinstance(op, O.Opaque)] == []
    assert all(op.span.file == L.__file__ for op in found)


def test_atomics_keep_function_order_and_scope() -> None:
    rmw = [op for op in of(L.atomics) if isinstance(op, O.AtomicRMW)]
    assert (rmw[0].fn, rmw[0].sem, rmw[0].scope) == ("fadd", "relaxed", "sys")
    assert {op.fn for op in rmw} == {"fadd", "smax", "umin", "smin", "umax", "xchg", "and", "or", "xor", "add"}
    (cas,) = [op for op in of(L.atomics) if isinstance(op, O.AtomicCAS)]
    assert (cas.sem, cas.scope) == ("acquire", "gpu")


def test_statements_keep_promises() -> None:
    found = of(L.statements)
    assert [op.message for op in found if isinstance(op, O.Assert)] == ['n is small; "quoted"']
    assert sum(isinstance(op, O.Assume) for op in found) == 1
    hints = [(op.kind, op.values) for op in found if isinstance(op, O.Hint)]
    assert sorted(hints) == [
        ("contiguity", (8,)),
        ("divisibility", (4,)),
        ("divisibility", (16,)),
        ("divisibility", (16,)),
    ]
    (load,) = [op for op in found if isinstance(op, O.Load)]
    assert load.volatile
    assert load.mask is not None
    assert load.other is None


def test_hints_on_a_placeholder_are_none() -> None:
    assert [op for op in of(L.hinted_counter) if isinstance(op, O.Hint)] == []


def test_reductions_have_inlined_regions() -> None:
    sums = [op for op in of(L.sums) if isinstance(op, O.Reduce)]
    assert [op.axis for op in sums] == [0, 1, 0]
    assert all([type(o).__name__ for o in op.combine.ops] == ["Binary"] for op in sums)
    first, *_ = (op for op in of(L.extremes) if isinstance(op, O.Reduce) and len(op.operands) == 2)
    assert [str(v.type) for v in first.results] == ["f32", "i32"]


def test_early_return_in_a_combine_function() -> None:
    scans = [op for op in of(L.custom_scan) if isinstance(op, O.Scan)]
    assert [len(s.operands) for s in scans] == [2, 1]
    assert [s.reverse for s in scans] == [False, True]
    assert sum(isinstance(o, O.If) for o in scans[0].combine.ops) == 1


def test_device_library_functions_are_known_by_name() -> None:
    assert {op.fn for op in of(L.device_library) if isinstance(op, O.Unary)} == {"tanh", "log1p", "exp"}


def test_functions_of_both_libraries_mean_the_same() -> None:
    found = of(L.both_libraries)
    assert [op.fn for op in found if isinstance(op, O.Unary)] == [
        "acos", "tanh", "fn", "isnan", "isinf", "clz", "popc", "rsqrt",
    ]  # fmt: skip
    assert [op.fn for op in found if isinstance(op, O.Binary) and not op.fn.endswith("add")] == [
        "pow", "atan2", "pow", "mulhi_s", "frem",
    ]  # fmt: skip
    assert sum(isinstance(op, O.Fma) for op in found) == 2


def test_dot_takes_accumulator() -> None:
    first, second = (op for op in of(L.product) if isinstance(op, O.Dot))
    assert second.c == first.result == second.a
    assert first.result.type == Tile((16, 16), first.result.type.elem)


def test_unknown_operations_are_opaque_in_place() -> None:
    found = [op for op in of(L.opaque_parts) if isinstance(op, O.Opaque)]
    asm = "tt.elementwise_inline_asm"
    assert [(op.name, op.effects) for op in found] == [
        ("tt.map_elementwise", False), (asm, False), (asm, True), (asm, False), (asm, True),
    ]  # fmt: skip
    assert found[2].reason == f"Argus has no meaning for `{asm}`"
    assert [str(op.results[0].type) for op in found][3] == "i32"
    with open(L.__file__, encoding="utf-8") as f:
        line = f.read().splitlines()[found[2].span.line - 1]
    call = line[found[2].span.column - 1 : found[2].span.end_column - 1]
    assert call.startswith("tl.inline_asm_elementwise(")
    assert call.endswith("pack=1)")


def test_a_scaled_product_is_a_product_of_scaled_factors() -> None:
    found = of(L.scaled_product)
    assert [op for op in found if isinstance(op, O.Opaque)] == []
    (product,) = [op for op in found if isinstance(op, O.Dot)]
    makers = {op.result: op for op in found if isinstance(op, O.Binary)}
    assert [makers[v].fn for v in (product.a, product.b)] == ["fmul", "fmul"]


def test_functions_of_elements_and_histograms() -> None:
    found = of(L.counted)
    (mapped,) = [op for op in found if isinstance(op, O.Map)]
    assert [str(v.type) for v in mapped.results] == ["tile<16xi32>", "tile<16xi32>"]
    assert any(isinstance(op, O.If) for op in mapped.body.ops)
    assert [op.mask is None for op in found if isinstance(op, O.Histogram)] == [False, True]


def test_a_descriptor_is_a_masked_block_of_pointers() -> None:
    found = of(L.descriptors)
    assert [op for op in found if isinstance(op, O.Opaque)] == []
    (load,) = [op for op in found if isinstance(op, O.Load)]
    assert load.result.type == Tile((16, 16), Scalar("f32"))
    assert load.mask is not None
    assert load.other is not None
    assert all(op.operand.type != I32 for op in found if isinstance(op, O.Splat))  # places and strides are 64 bits wide
