"""Texts that the front end rarely prints: literals, types, unknown operations, unsigned loops, odd lines."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest

from argus_smt.capture.ttir import Unsupported, import_kernel
from argus_smt.capture.ttir.constants import parse_literal
from argus_smt.capture.ttir.locations import Location, LocationTable
from argus_smt.capture.ttir.site import take_apart
from argus_smt.capture.ttir.syntax import parse_module, statements_of
from argus_smt.capture.ttir.text import cut_dictionaries, dictionary, integers, split_list, unquote
from argus_smt.capture.ttir.type_text import HANDLE, UnknownType, parse_type, result_texts, type_or_handle
from argus_smt.ir import ops as O
from argus_smt.ir.check import check
from argus_smt.ir.types import I32, Ptr, Scalar, Tile


@pytest.mark.parametrize(
    ("text", "elem", "value"),
    [
        ("100", "i32", 100),
        ("-5", "i64", -5),
        ("true", "i1", 1),
        ("dense<false>", "i1", 0),
        ("dense<-7>", "i8", -7),
        ("1.000000e+00", "f32", 1.0),
        ("dense<-2.5e-01>", "bf16", -0.25),
        ("0xFF800000", "f32", -math.inf),
        ("0x7F800000", "f32", math.inf),
        ("0x7C00", "f16", math.inf),
        ("0xFF80", "bf16", -math.inf),
        ("0x7FF0000000000000", "f64", math.inf),
        ("0x7C", "f8e5m2", math.inf),
        ("0x7E", "f8e4m3fn", 448.0),
        ("0x01", "f8e4m3fn", 2.0**-9),
        ("0x7F", "f8e4m3fnuz", 240.0),
        ("0xFF", "f8e5m2fnuz", -57344.0),
        ("0x08", "f8e4m3b15", 2.0**-14),
    ],
)
def test_literals(text: str, elem: str, value: float) -> None:
    assert parse_literal(text, Scalar(elem)) == value


@pytest.mark.parametrize(("text", "elem"), [("0x7FC00000", "f32"), ("0x80", "f8e4m3fnuz"), ("0x7F", "f8e4m3fn")])
def test_not_a_number(text: str, elem: str) -> None:
    value = parse_literal(text, Scalar(elem))
    assert isinstance(value, float)
    assert math.isnan(value)


@pytest.mark.parametrize(("text", "elem"), [("dense<[1, 2]>", "i32"), ('dense<"0x00">', "i8"), ("one", "f32")])
def test_other_literals_have_no_value(text: str, elem: str) -> None:
    assert parse_literal(text, Scalar(elem)) is None


def test_types() -> None:
    assert parse_type("tensor<2x16x!tt.ptr<bf16>>") == Tile((2, 16), Ptr(Scalar("bf16")))
    assert parse_type("!tt.ptr<!tt.ptr<i64>, 1>") == Ptr(Ptr(Scalar("i64")))
    assert parse_type("tensor<16xf8E4M3FNUZ, #blocked>") == Tile((16,), Scalar("f8e4m3fnuz"))
    assert type_or_handle("!tt.tensordesc<16x16xf32>") == HANDLE
    for text in ("!tt.ptr<tensor<16xf32>>", "index", "tensor<16x", "i7"):
        with pytest.raises(UnknownType):
            parse_type(text)
    assert result_texts("(tensor<2x4xf32>, i32) -> (f32, i32)") == ("f32", "i32")
    assert result_texts("i32 to i64") == ("i64",)


def test_pieces_of_text() -> None:
    assert split_list('a, (b, c), "x, \\" y", <d, e>') == ("a", "(b, c)", '"x, \\" y"', "<d, e>")
    assert cut_dictionaries('"{" <{axis = 1 : i32}> %x {a, b = "}"} : i32') == (
        '"{" %x : i32',
        'axis = 1 : i32, a, b = "}"',
    )
    assert dictionary("a, b = <c = 1, d>") == {"a": "", "b": "<c = 1, d>"}
    assert integers("array<i32: 1, 0>") == (1, 0)
    assert integers("dense<8> : tensor<2xi32>") == (8, 8)
    assert integers("dense<[8, 16]> : tensor<2xi32>") == (8, 16)
    assert unquote('"a\\22b\\C3\\A9\\\\"') == 'a"bé\\'
    parts = take_apart('fadd, acq_rel, gpu, %p#1, "s", %v {k = 1 : i32} : (i32, i32) -> i32')
    assert parts is not None
    assert (parts.operands, parts.words, parts.strings) == (("%p#1", "%v"), "fadd acq_rel gpu", ("s",))
    assert take_apart("%a ?? : i32") is None


def test_locations() -> None:
    table = LocationTable(
        {
            "loc1": '"a.py":3:4',
            "loc2": '"x"(#loc1)',
            "loc3": "callsite(#loc2 at #loc1)",
            "loc4": "fused<1>[#loc9, #loc2]",
            "loc5": '"a.py":3:4 to :5:6',
            "loc6": "#loc6",
        }
    )
    here = Location("a.py", 3, 4, "x")
    assert [table.resolve(f"#loc{i}") for i in (2, 3, 4)] == [here, here, here]
    assert table.resolve("#loc5") == table.resolve("#loc1") == Location("a.py", 3, 4)
    assert table.resolve("#loc6") == table.resolve("unknown") == Location()
    assert table.resolve('"i"') == Location(name="i")
    assert Location("/x/triton/language/standard.py", 1).in_library


def wrap(body: str, params: str = "%p: !tt.ptr<i32>, %n: i32") -> str:
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    head, end = f"module {{\n  tt.func public @k({params}) {{\n", "    tt.return loc(unknown)\n  } loc(unknown)\n}"
    return f"{head}{lines}\n{end} loc(unknown)"


def ops(body: str) -> tuple[O.Op, ...]:
    kernel = import_kernel(wrap(body))
    assert check(kernel) == ()
    return kernel.body.ops


def test_unsigned_loop_counts_in_64_bits() -> None:
    *_, loop = ops(
        """
scf.for unsigned %i = %n to %n step %n  : i32 {
  %q = tt.addptr %p, %i : !tt.ptr<i32>, i32 loc(unknown)
} loc(unknown)
"""
    )
    assert isinstance(loop, O.For)
    assert str(loop.lower.type) == "i64"
    narrow = loop.body.ops[0]
    assert isinstance(narrow, O.Cast)
    assert (narrow.kind, narrow.operand) == ("trunc", loop.body.params[0])


@pytest.mark.parametrize(
    ("line", "name", "effects"),
    [
        ("%x = tt.future %n : i32 loc(unknown)", "tt.future", True),
        ("%x = arith.future %n : i32 loc(unknown)", "arith.future", False),
        ("%x = arith.addi %n, %n overflow<nsw> : i32 loc(unknown)", "arith.addi", False),
        ("%x = arith.addi %n, %n {future = 1 : i32} : i32 loc(unknown)", "arith.addi", False),
        ("%x = tt.load %p {future} : !tt.ptr<i32> -> i32 loc(unknown)", "tt.load", True),
        ("%x = arith.constant dense<[1, 2]> : tensor<2xi32> loc(unknown)", "arith.constant", False),
        ("%x = tt.splat %n twice : i32 -> tensor<4xi32> loc(unknown)", "tt.splat", True),
        ("%x = tt.fp_to_fp %n, rounding = up : i32 -> f16 loc(unknown)", "tt.fp_to_fp", False),
        ("ttg.barrier local loc(unknown)", "ttg.barrier", True),
        ("<<what is this>> loc(unknown)", "<<what", True),
        ("tt.store %p, %n sideways : !tt.ptr<i32> loc(unknown)", "tt.store", True),
    ],
)
def test_what_is_not_understood_is_opaque(line: str, name: str, effects: bool) -> None:
    (op,) = ops(line)
    assert isinstance(op, O.Opaque)
    assert (op.name, op.effects) == (name, effects)


def test_known_forms_without_a_place() -> None:
    found = ops(
        """
%a = tt.bitcast %p : !tt.ptr<i32> -> !tt.ptr<f32> loc(unknown)
%b = arith.index_cast %n : i32 to i64 loc(unknown)
%c = arith.addi %n, %n {tt.divisibility = dense<4> : tensor<1xi32>, tt.latency = 1 : i32} : i32 loc(unknown)
%d = arith.sitofp %n : i32 to f32 loc(unknown)
%e = arith.mulf %d, %d fastmath<contract> : f32 loc(unknown)
%f:2 = tt.future %n : (i32) -> (i32, f32) loc(unknown)
%g = arith.addi %f#0, %n : i32 loc(unknown)
"""
    )
    assert [type(op).__name__ for op in found] == [
        "Cast",
        "Cast",
        "Binary",
        "Hint",
        "Cast",
        "Binary",
        "Opaque",
        "Binary",
    ]
    assert [op.kind for op in found if isinstance(op, O.Cast)] == ["ptr_cast", "sext", "sitofp"]


def test_results_without_a_type_are_an_error() -> None:
    with pytest.raises(Unsupported, match=r"no meaning for `tt\.future`"):
        import_kernel(wrap("%x:2 = tt.future %n loc(unknown)"))


def test_every_line_is_accounted_for() -> None:
    text = wrap(
        """
%a = arith.addi %n, %n : i32 loc(unknown)
%b = scf.if %c -> (i32) {
  scf.yield %n : i32 loc(unknown)
} else {
  scf.yield %a : i32 loc(unknown)
} loc(unknown)
"""
    )
    module = parse_module(text)
    (f,) = module.functions.values()
    assert [s.op for s in statements_of(f.blocks)] == ["arith.addi", "scf.if", "scf.yield", "scf.yield", "tt.return"]
    assert f.blocks[0].statements[1].results == ("%b",)
    assert [p.type for p in f.params] == ["!tt.ptr<i32>", "i32"]


def test_named_kernel() -> None:
    assert import_kernel(wrap(""), name="nicer").name == "nicer"
    assert import_kernel(wrap(""), name="k").body.params[1].type == I32


def test_the_front_end_is_loaded_on_use_only() -> None:
    code = "import sys, argus_smt.capture.ttir; sys.exit(any(m in sys.modules for m in ('triton', 'torch', 'z3')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_too_deep_a_graph_is_said() -> None:
    guard = "cf.cond_br %c, ^bb{0}, ^bb{1} loc(unknown)\n^bb{0}:\ntt.return loc(unknown)\n^bb{1}:"
    guards = "\n".join(guard.format(i, i + 1) for i in range(1, 800, 2))
    with pytest.raises(Unsupported, match="nested too deeply"):
        import_kernel(wrap(f"%c = arith.constant true loc(unknown)\n{guards}"))
