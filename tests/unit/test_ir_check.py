"""Each rule of the Tile IR's checker, with an operation that keeps it and one that breaks it."""

from __future__ import annotations

import math
from itertools import count

import pytest

from argus_smt.ir import ops as O
from argus_smt.ir.check import check
from argus_smt.ir.ops import Block, Kernel, Op, Value
from argus_smt.ir.parse import parse_kernel, parse_type
from argus_smt.ir.types import I1, I32, I64, Ptr, Scalar, Tile
from argus_smt.ir.walk import blocks, operands, walk
from argus_smt.source import Span

F32 = Scalar("f32")
_numbers = count(100)


def v(text: str) -> Value:
    """A new value of the type `text`; `4xi32` is short for `tile<4xi32>`."""
    return Value(next(_numbers), parse_type(f"tile<{text}>" if text[0].isdigit() else text))


def found(op: Op) -> tuple[str, ...]:
    """What `check` says of a kernel that holds `op` alone, with its operands defined before it."""
    inside = {b for inner in walk(Block((), (op,))) for block in blocks(inner) for b in block.params}
    outside = dict.fromkeys(x for inner in walk(Block((), (op,))) for x in operands(inner))
    yielded = {x: None for block in blocks(op) for x in block.yields}
    known = [x for x in {**outside, **yielded} if x not in inside]
    return check(Kernel("k", Block((), (*(O.Undef(x) for x in known), op)), ()))


def block(params: str, yields: str) -> Block:
    """A block without operations."""
    return Block(tuple(map(v, params.split())), (), tuple(map(v, yields.split())))


GOOD = [
    O.Const(v("i32"), -(2**31)),
    O.Const(v("4xi32"), 2**32 - 1),
    O.Const(v("i1"), 1),
    O.Const(v("f16"), math.nan),
    O.Undef(v("4xptr<f32>")),
    O.Range(v("4xi32"), -2, 2),
    O.ProgramId(v("i32"), 2),
    O.NumPrograms(v("i32"), 0),
    O.Unary(v("4xi8"), "clz", v("4xi8")),
    O.Unary(v("4xf32"), "exp2", v("4xf32")),
    O.Unary(v("4xi1"), "isnan", v("4xf32")),
    O.Binary(v("i64"), "mulhi_s", v("i64"), v("i64")),
    O.Binary(v("4xf32"), "fmaximum", v("4xf32"), v("4xf32")),
    O.Fma(v("f32"), v("f32"), v("f32"), v("f32")),
    O.Cmp(v("4xi1"), "slt", v("4xi32"), v("4xi32")),
    O.Cmp(v("i1"), "fult", v("f32"), v("f32")),
    O.Cmp(v("4xi1"), "ult", v("4xptr<f32>"), v("4xptr<f32>")),
    O.Select(v("4xf32"), v("i1"), v("4xf32"), v("4xf32")),
    O.Select(v("4xptr<i8>"), v("4xi1"), v("4xptr<i8>"), v("4xptr<i8>")),
    O.Cast(v("4xi64"), "sext", v("4xi32")),
    O.Cast(v("i1"), "trunc", v("i8")),
    O.Cast(v("f16"), "uitofp", v("i1")),
    O.Cast(v("i64"), "fptosi", v("f64")),
    O.Cast(v("f32"), "fpext", v("bf16")),
    O.Cast(v("f16"), "fptrunc", v("bf16")),
    O.Cast(v("f32"), "bitcast", v("i32")),
    O.Cast(v("i64"), "ptr_to_int", v("ptr<f32>")),
    O.Cast(v("4xptr<f32>"), "int_to_ptr", v("4xi64")),
    O.Cast(v("ptr<i8>"), "ptr_cast", v("ptr<i1>")),
    O.Cast(v("ptr<i8>"), "same", v("ptr<i8>")),
    O.Splat(v("2x4xptr<f32>"), v("ptr<f32>")),
    O.ExpandDims(v("4x1xi32"), v("4xi32"), 1),
    O.Broadcast(v("4x8xi32"), v("4x1xi32")),
    O.Reshape(v("2x4xi32"), v("8xi32")),
    O.Trans(v("2x8x4xi32"), v("4x2x8xi32"), (1, 2, 0)),
    O.Join(v("4x2xf32"), v("4xf32"), v("4xf32")),
    O.Split((v("4xf32"), v("4xf32")), v("4x2xf32")),
    O.Cat(v("8xi32"), v("4xi32"), v("4xi32")),
    O.Unsplat(v("f32"), v("1x1xf32")),
    O.AddPtr(v("4xptr<f32>"), v("4xptr<f32>"), v("4xi64")),
    O.Load(v("4xf32"), v("4xptr<f32>"), v("4xi1"), v("4xf32")),
    O.Load(v("ptr<f32>"), v("ptr<ptr<f32>>")),
    O.Store(v("4xptr<f32>"), v("4xf32"), v("4xi1")),
    O.AtomicRMW(v("4xf32"), "fadd", v("4xptr<f32>"), v("4xf32"), v("4xi1")),
    O.AtomicRMW(v("f32"), "xchg", v("ptr<f32>"), v("f32"), None, "release", "sys"),
    O.AtomicCAS(v("i32"), v("ptr<i32>"), v("i32"), v("i32")),
    O.Barrier(),
    O.Dot(v("4x2xf32"), v("4x8xf16"), v("8x2xf16"), v("4x2xf32")),
    O.Dot(v("3x4x2xi32"), v("3x4x8xi8"), v("3x8x2xi8"), v("3x4x2xi32")),
    O.Reduce((v("f32"),), (v("4xf32"),), 0, block("f32 f32", "f32")),
    O.Reduce((v("4xf32"), v("4xi32")), (v("4x2xf32"), v("4x2xi32")), 1, block("f32 i32 f32 i32", "f32 i32")),
    O.Scan((v("4x2xf32"),), (v("4x2xf32"),), 1, True, block("f32 f32", "f32")),
    O.Gather(v("2x8xf32"), v("2x4xf32"), v("2x8xi32"), 1),
    O.Histogram(v("16xi32"), v("4xi32"), v("4xi1")),
    O.Map((v("4xf32"), v("4xi32")), (v("4xi32"),), block("i32", "f32 i32")),
    O.Load(v("i32"), v("ptr<i32>"), sem="acquire", scope="gpu"),
    O.Store(v("ptr<i32>"), v("i32"), sem="release", scope="sys"),
    O.AtomicRMW(v("f32"), "fmax", v("ptr<f32>"), v("f32"), None),
    O.Assume(v("i1")),
    O.Assert(v("4xi1"), "in range", v("4xi1")),
    O.Hint(v("i32"), "divisibility", (16,)),
    O.Hint(v("4x4xptr<f32>"), "contiguity", (1, 4)),
    O.Opaque((v("i32"),), "tt.new", (v("f32"),), "unknown"),
    O.For((v("f32"),), v("i64"), v("i64"), v("i64"), (v("f32"),), block("i64 f32", "f32")),
    O.While((v("f32"), v("i32")), (v("i64"),), block("i64", "i1 f32 i32"), block("f32 i32", "i64")),
    O.If((v("4xf32"),), v("i1"), block("", "4xf32"), block("", "4xf32")),
]

BAD = [
    (O.Const(v("i8"), 256), "256 does not fit i8"),
    (O.Const(v("i1"), -1), "a boolean is 0 or 1, not -1"),
    (O.Const(v("i32"), 1.0), "a constant of i32 is an integer, not 1.0"),
    (O.Const(v("i32"), True), "a constant of i32 is an integer, not True"),
    (O.Const(v("f32"), 1), "a constant of f32 is a float, not 1"),
    (O.Const(v("ptr<f32>"), 0), "a pointer has no constants"),
    (O.Range(v("4xi32"), 0, 5), "result is tile<4xi32>, not tile<5xi32>"),
    (O.Range(v("4xi32"), 4, 4), "empty range 4..4"),
    (O.Range(v("4xi64"), 0, 4), "result is tile<4xi64>, not tile<4xi32>"),
    (O.ProgramId(v("i32"), 3), "axis 3 is outside a rank of 3"),
    (O.NumPrograms(v("i64"), 0), "result is i64, not i32"),
    (O.Unary(v("i32"), "abs ", v("i32")), "no such unary function: abs "),
    (O.Unary(v("i32"), "exp", v("i32")), "exp does not take i32"),
    (O.Unary(v("f32"), "neg", v("f32")), "neg does not take f32"),
    (O.Unary(v("f32"), "isnan", v("f32")), "result is f32, not i1"),
    (O.Unary(v("ptr<f32>"), "not", v("ptr<f32>")), "not does not take ptr<f32>"),
    (O.Binary(v("i32"), "plus", v("i32"), v("i32")), "no such binary function: plus"),
    (O.Binary(v("f32"), "add", v("f32"), v("f32")), "add does not take f32"),
    (O.Binary(v("i32"), "fadd", v("i32"), v("i32")), "fadd does not take i32"),
    (O.Binary(v("i32"), "add", v("i32"), v("i64")), "right operand is i64, not i32"),
    (O.Binary(v("4xi32"), "add", v("4xi32"), v("i32")), "right operand is i32, not tile<4xi32>"),
    (O.Binary(v("i64"), "add", v("i32"), v("i32")), "result is i64, not i32"),
    (O.Fma(v("f32"), v("f32"), v("f16"), v("f32")), "operand 1 is f16, not f32"),
    (O.Fma(v("i32"), v("i32"), v("i32"), v("i32")), "fma does not take i32"),
    (O.Cmp(v("i1"), "lt", v("i32"), v("i32")), "no such predicate: lt"),
    (O.Cmp(v("i1"), "olt", v("i32"), v("i32")), "olt does not compare i32"),
    (O.Cmp(v("i1"), "slt", v("f32"), v("f32")), "slt does not compare f32"),
    (O.Cmp(v("i1"), "slt", v("ptr<i8>"), v("ptr<i8>")), "slt does not compare ptr<i8>"),
    (O.Cmp(v("i1"), "eq", v("4xi32"), v("4xi32")), "result is i1, not tile<4xi1>"),
    (O.Select(v("4xf32"), v("8xi1"), v("4xf32"), v("4xf32")), "condition is tile<8xi1>, not tile<4xi1>"),
    (O.Select(v("4xf32"), v("i1"), v("4xf32"), v("f32")), "second choice is f32, not tile<4xf32>"),
    (O.Cast(v("i32"), "widen", v("i8")), "no such cast: widen"),
    (O.Cast(v("i32"), "sext", v("i32")), "sext does not take i32 to i32"),
    (O.Cast(v("i64"), "trunc", v("i32")), "trunc does not take i32 to i64"),
    (O.Cast(v("f32"), "fptrunc", v("f16")), "fptrunc does not take f16 to f32"),
    (O.Cast(v("f16"), "fpext", v("f32")), "fpext does not take f32 to f16"),
    (O.Cast(v("i32"), "sitofp", v("i32")), "sitofp does not take i32 to i32"),
    (O.Cast(v("i64"), "bitcast", v("f32")), "bitcast does not take f32 to i64"),
    (O.Cast(v("i32"), "ptr_to_int", v("ptr<f32>")), "ptr_to_int does not take ptr<f32> to i32"),
    (O.Cast(v("ptr<i8>"), "bitcast", v("ptr<f32>")), "bitcast does not take ptr<f32> to ptr<i8>"),
    (O.Cast(v("i64"), "same", v("i32")), "same does not take i32 to i64"),
    (O.Cast(v("4xi64"), "sext", v("8xi32")), "a cast keeps the shape"),
    (O.Splat(v("4xi32"), v("4xi32")), "splat takes a scalar to a tile"),
    (O.Splat(v("4xi32"), v("i64")), "element type is i32, not i64"),
    (O.ExpandDims(v("1x4xi32"), v("4xi32"), 1), "result is tile<1x4xi32>, not tile<4x1xi32>"),
    (O.ExpandDims(v("1x4xi32"), v("4xi32"), -1), "axis -1 is outside a rank of 2"),
    (O.ExpandDims(v("1xi32"), v("i32"), 0), "both must be tiles"),
    (O.Broadcast(v("4x8xi32"), v("4x4xi32")), "does not broadcast"),
    (O.Broadcast(v("4x8xi32"), v("8xi32")), "does not broadcast"),
    (O.Reshape(v("2x4xi32"), v("4xi32")), "reshape of 4 elements to 8"),
    (O.Trans(v("2x4xi32"), v("4x2xi32"), (0, 1)), "result is tile<2x4xi32>, not tile<4x2xi32>"),
    (O.Trans(v("2x4xi32"), v("4x2xi32"), (1, 1)), "no permutation of 2 dimensions"),
    (O.Join(v("2x4xi32"), v("4xi32"), v("4xi32")), "result is tile<2x4xi32>, not tile<4x2xi32>"),
    (O.Join(v("2xi32"), v("i32"), v("i32")), "join takes tiles"),
    (O.Split((v("4xf32"), v("4xf32")), v("2x4xf32")), "split wants a last dimension of 2"),
    (O.Split((v("4xf32"), v("4xf16")), v("4x2xf32")), "result 1 is tile<4xf16>, not tile<4xf32>"),
    (O.Cat(v("4xi32"), v("4xi32"), v("4xi32")), "result is tile<4xi32>, not tile<8xi32>"),
    (O.Cat(v("8x1xi32"), v("4x1xi32"), v("4x1xi32")), "cat takes one-dimensional tiles"),
    (O.Unsplat(v("f32"), v("2xf32")), "unsplat takes a one-element tile"),
    (O.AddPtr(v("i64"), v("i64"), v("i64")), "i64 is no pointer"),
    (O.AddPtr(v("4xptr<f32>"), v("4xptr<f32>"), v("i32")), "offset i32 does not go with tile<4xptr<f32>>"),
    (O.AddPtr(v("ptr<f32>"), v("ptr<f32>"), v("f32")), "offset f32 does not go with ptr<f32>"),
    (O.AddPtr(v("ptr<f16>"), v("ptr<f32>"), v("i32")), "result is ptr<f16>, not ptr<f32>"),
    (O.Load(v("4xf16"), v("4xptr<f32>")), "result is tile<4xf16>, not tile<4xf32>"),
    (O.Load(v("4xf32"), v("4xptr<f32>"), v("i1")), "mask is i1, not tile<4xi1>"),
    (O.Load(v("4xf32"), v("4xptr<f32>"), v("4xi1"), v("f32")), "other is f32, not tile<4xf32>"),
    (O.Store(v("4xptr<f32>"), v("f32")), "value is f32, not tile<4xf32>"),
    (O.Store(v("4xptr<f32>"), v("4xf32"), v("4xi8")), "mask is tile<4xi8>, not tile<4xi1>"),
    (O.AtomicRMW(v("i32"), "sub", v("ptr<i32>"), v("i32"), None), "no such atomic function: sub"),
    (O.AtomicRMW(v("i32"), "fadd", v("ptr<i32>"), v("i32"), None), "atomic fadd does not take i32"),
    (O.AtomicRMW(v("f32"), "smax", v("ptr<f32>"), v("f32"), None), "atomic smax does not take f32"),
    (O.AtomicRMW(v("i32"), "add", v("ptr<i32>"), v("i32"), None, "seq"), "no such memory ordering: seq"),
    (O.AtomicRMW(v("i32"), "add", v("ptr<i32>"), v("i64"), None), "is i64, not i32"),
    (O.AtomicCAS(v("i32"), v("ptr<i32>"), v("i32"), v("i32"), scope="all"), "no such memory scope: all"),
    (O.AtomicCAS(v("i32"), v("ptr<i32>"), v("i32"), v("i64")), "is i64, not i32"),
    (O.Dot(v("4x2xf32"), v("4x8xf16"), v("4x2xf16"), v("4x2xf32")), "do not fit"),
    (O.Dot(v("2x2xf32"), v("4x8xf16"), v("8x2xf16"), v("2x2xf32")), "do not fit"),
    (O.Dot(v("3x4x2xf32"), v("2x4x8xf16"), v("2x8x2xf16"), v("3x4x2xf32")), "do not fit"),
    (O.Dot(v("f32"), v("4xf16"), v("4xf16"), v("f32")), "do not fit"),
    (O.Dot(v("4x2xf32"), v("4x8xi8"), v("8x2xf16"), v("4x2xf32")), "all integer or all float"),
    (O.Reduce((v("f32"),), (v("4xf32"),), 1, block("f32 f32", "f32")), "axis 1 is outside a rank of 1"),
    (O.Reduce((v("4xf32"),), (v("4xf32"),), 0, block("f32 f32", "f32")), "result 0 is tile<4xf32>, not f32"),
    (O.Reduce((v("f32"),), (v("4xf32"),), 0, block("f32", "f32")), "region parameter: 1 where 2 are wanted"),
    (O.Reduce((v("f32"),), (v("4xf32"),), 0, block("f32 f32", "f16")), "region yield 0 is f16, not f32"),
    (O.Reduce((), (), 0, block("", "")), "no operands"),
    (
        O.Reduce((v("f32"), v("i32")), (v("4xf32"), v("4xi32")), 0, block("f32 f32 i32 i32", "f32 i32")),
        "region parameter 1 is f32, not i32",
    ),
    (
        O.Reduce((v("f32"), v("i32")), (v("4xf32"), v("2xi32")), 0, block("f32 i32 f32 i32", "f32 i32")),
        "operand tile<2xi32> has another shape",
    ),
    (O.Scan((v("f32"),), (v("4xf32"),), 0, False, block("f32 f32", "f32")), "result 0 is f32, not tile<4xf32>"),
    (O.Gather(v("2x8xf32"), v("2x4xf32"), v("2x8xf32"), 1), "is no integer tile"),
    (O.Gather(v("8xf32"), v("2x4xf32"), v("8xi32"), 1), "has another rank"),
    (O.Gather(v("2x8xf32"), v("2x4xf32"), v("2x8xi32"), 0), "differs from tile<2x4xf32> outside axis 0"),
    (O.Gather(v("2x4xf32"), v("2x4xf32"), v("2x8xi32"), 1), "result is tile<2x4xf32>, not tile<2x8xf32>"),
    (O.Histogram(v("16xi32"), v("4xf32")), "tile<4xf32> is no one-dimensional integer tile"),
    (O.Histogram(v("16xi32"), v("4xi32"), v("i1")), "mask is i1, not tile<4xi1>"),
    (O.Map((v("4xf32"),), (v("2xi32"),), block("i32", "f32")), "tile<4xf32> is no tile of the shape of tile<2xi32>"),
    (O.Map((v("4xf32"),), (v("4xi32"),), block("f32", "f32")), "region parameter 0 is f32, not i32"),
    (O.Map((), (), block("", "")), "no operands"),
    (O.Load(v("i32"), v("ptr<i32>"), sem="release", scope="gpu"), "an access of this kind cannot be release"),
    (O.Store(v("ptr<i32>"), v("i32"), sem="relaxed"), "no such memory scope: "),
    (O.AtomicRMW(v("i32"), "fmin", v("ptr<i32>"), v("i32"), None), "atomic fmin does not take i32"),
    (O.Assume(v("4xi1")), "condition is tile<4xi1>, not i1"),
    (O.Assert(v("4xi32"), ""), "condition tile<4xi32> is no boolean"),
    (O.Assert(v("4xi1"), "", v("i1")), "mask is i1, not tile<4xi1>"),
    (O.Hint(v("i32"), "evenness", (2,)), "no such hint: evenness"),
    (O.Hint(v("f32"), "divisibility", (16,)), "which is no integer or pointer"),
    (O.Hint(v("4x4xi32"), "contiguity", (16,)), "wants one positive number a dimension"),
    (O.Hint(v("i32"), "divisibility", (0,)), "wants one positive number a dimension"),
    (O.For((), v("f32"), v("f32"), v("f32"), (), block("f32", "")), "loop bound f32 is no integer scalar"),
    (O.For((), v("i32"), v("i64"), v("i32"), (), block("i32", "")), "upper bound or step 0 is i64, not i32"),
    (O.For((), v("i32"), v("i32"), v("i32"), (), block("i64", "")), "loop parameter 0 is i64, not i32"),
    (
        O.For((v("f32"),), v("i32"), v("i32"), v("i32"), (v("f32"),), block("i32", "f32")),
        "loop parameter: 1 where 2 are wanted",
    ),
    (
        O.For((v("f32"),), v("i32"), v("i32"), v("i32"), (v("f32"),), block("i32 f32", "f16")),
        "loop yield 0 is f16, not f32",
    ),
    (
        O.For((), v("i32"), v("i32"), v("i32"), (v("f32"),), block("i32 f32", "f32")),
        "loop result: 0 where 1 are wanted",
    ),
    (O.While((), (v("i32"),), block("i32", "i32"), block("", "i32")), "yield of the condition 0 is i32, not i1"),
    (O.While((), (v("i32"),), block("i64", "i1"), block("", "i32")), "parameter of the condition 0 is i64, not i32"),
    (O.While((v("f32"),), (), block("", "i1 f32"), block("f16", "")), "loop parameter 0 is f16, not f32"),
    (O.While((), (v("i32"),), block("i32", "i1"), block("", "")), "loop yield: 0 where 1 are wanted"),
    (O.If((), v("i32"), block("", ""), block("", "")), "condition is i32, not i1"),
    (O.If((v("f32"),), v("i1"), block("", "f32"), block("", "")), "yield of the else branch: 0 where 1 are wanted"),
    (O.If((), v("i1"), block("i32", ""), block("", "")), "the then branch takes no parameters"),
    (O.Undef(Value(7, Tile((4, 0), F32))), "tile extents of tile<4x0xf32> are not all positive"),
    (O.Undef(Value(7, Tile((), F32))), "are not all positive"),
    (O.Undef(Value(7, Ptr(Scalar("i7")))), "no such scalar type: i7"),
]


@pytest.mark.parametrize("op", GOOD, ids=lambda op: repr(op)[:60])
def test_rules_kept(op: Op) -> None:
    assert found(op) == ()


@pytest.mark.parametrize(("op", "message"), BAD, ids=lambda x: x if isinstance(x, str) else type(x).__name__)
def test_rules_broken(op: Op, message: str) -> None:
    assert any(message in sentence for sentence in found(op)), found(op)


def test_every_operation_has_a_good_example() -> None:
    assert {type(op) for op in GOOD} == set(O.Op.__args__)  # type: ignore[attr-defined]


# ---------------------------------------------------------------- scoping and signature

HEAD = 'kernel "k" (%n.0: i32, %c.1: i1, %x.2: ptr<f32>) {\n'


def verdict(body: str) -> tuple[str, ...]:
    return check(parse_kernel(f"{HEAD}{body}\n}}\n"))


def test_values_are_visible_below_and_inside() -> None:
    assert (
        verdict(
            """
        %3 = add %n.0 %n.0 : i32
        %4 = if %c.1 : i32
        ^() {
            %5 = mul %3 %3 : i32
            yield %5
        }
        ^() {
            yield %3
        }
        %6 = add %4 %3 : i32"""
        )
        == ()
    )


def test_a_value_of_a_branch_is_invisible_outside() -> None:
    text = """
        if %c.1
        ^() {
            %3 = add %n.0 %n.0 : i32
        }
        ^() {
            %4 = add %3 %n.0 : i32
        }
        %5 = add %3 %n.0 : i32"""
    assert verdict(text) == (
        "add %4: %3 is used outside the block that defines it",
        "add %5: %3 is used outside the block that defines it",
    )


def test_a_loop_counter_is_invisible_outside() -> None:
    text = """
        for %n.0 %n.0 %n.0 ()
        ^(%3: i32) {
        }
        %4 = add %3 %n.0 : i32"""
    assert verdict(text) == ("add %4: %3 is used outside the block that defines it",)


def test_a_parameter_of_a_combine_region_is_invisible_outside() -> None:
    text = """
        %3 = splat %n.0 : tile<4xi32>
        %4 = reduce (%3) axis=0 : i32
        ^(%5: i32, %6: i32) {
            yield %n.0
        }
        %7 = add %4 %5 : i32"""
    assert verdict(text) == ("add %7: %5 is used outside the block that defines it",)


def test_yields_are_uses() -> None:
    text = """
        %3 = if %c.1 : i32
        ^() {
            %4 = add %n.0 %n.0 : i32
            yield %4
        }
        ^() {
            yield %4
        }"""
    assert verdict(text) == ("yield of if %3: %4 is used outside the block that defines it",)


def test_a_result_is_invisible_in_its_own_blocks() -> None:
    n, c, r = Value(0, I32), Value(1, I1), Value(2, I32)
    op = O.If((r,), c, Block((), (), (r,)), Block((), (), (n,)))
    assert check(Kernel("k", Block((n, c), (op,)), ("n", "c"))) == ("yield of if %2: %2 is used before any definition",)


def test_single_definition() -> None:
    n, r = Value(0, I32), Value(1, I32)
    twice = (O.Binary(r, "add", n, n, span=Span("k.py", 3, 5)), O.Binary(r, "mul", n, n, span=Span("k.py", 4, 5)))
    assert check(Kernel("k", Block((n,), twice), ("n",))) == ("mul %1 (k.py:4:5): %1 is defined twice",)
    apart = O.If((), Value(2, I1), Block((), twice[:1]), Block((), twice[1:]))
    kernel = Kernel("k", Block((n, Value(2, I1)), (apart,)), ("n", "c"))
    assert check(kernel) == ("mul %1 (k.py:4:5): %1 is defined twice",)


def test_use_before_definition_and_under_another_type() -> None:
    n, r = Value(0, I32), Value(1, I32)
    ops = (O.Binary(Value(2, I32), "add", r, n), O.Const(r, 3), O.Assume(Value(1, I1)))
    assert check(Kernel("k", Block((n,), ops), ("n",))) == (
        "add %2: %1 is used before any definition",
        "assume: %1 is used as i1 and defined as i32",
    )


def test_signature() -> None:
    n, t = Value(0, I64), Value(1, Tile((4,), I32))
    assert check(Kernel("k", Block((n,), ()), ())) == ("kernel k: 0 parameter names for 1 parameters",)
    assert check(Kernel("k", Block((t,), ()), ("t",))) == ("kernel k: parameter %1 is a tile: tile<4xi32>",)
    assert check(Kernel("k", Block((n,), (), (n,)), ("n",))) == ("kernel k: the body yields values",)
    names = check(Kernel("k", Block((n, Value(2, I32)), ()), ("n", "n")))
    assert names == ("kernel k: parameter names repeat",)
