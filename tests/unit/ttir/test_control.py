"""Calls are inlined, branch graphs structured, loops and unusual arguments kept."""

from __future__ import annotations

from typing import Any

import pytest

from argus_smt.capture.ttir import Unsupported, import_kernel
from argus_smt.ir import ops as O
from tests.unit.ttir import control_kernels as C
from tests.unit.ttir.imported import imported, lines_with, names, ops

TYPES = {"p": "*i32", "a": "i32", "b": "i32", "n": "i32"}


def kernel_of(fn: Any) -> tuple[str, O.Kernel]:
    return imported(fn, {k: TYPES[k] for k in fn.arg_names})


def test_early_return_becomes_if() -> None:
    _, kernel = kernel_of(C.early)
    *_, branch = kernel.body.ops
    assert isinstance(branch, O.If)
    assert branch.then.ops == ()
    assert [type(op).__name__ for op in branch.orelse.ops] == ["AddPtr", "Const", "Store"]
    assert kernel.params == ("p", "n")
    assert kernel.name == "early"


def test_no_store_is_copied_or_lost() -> None:
    text, kernel = kernel_of(C.nested_returns)
    assert names(kernel)["Store"] == lines_with(text, r"tt\.store") == 4


def test_code_after_returns_on_all_paths_is_dead() -> None:
    text, kernel = kernel_of(C.returns_everywhere)
    assert lines_with(text, r"no predecessors") > 0
    assert names(kernel)["Store"] == 3


def test_helpers_with_early_returns_inside_loops() -> None:
    text, kernel = kernel_of(C.calls_in_loop)
    (loop,) = [op for op in kernel.body.ops if isinstance(op, O.For)]
    assert [v.name for v in loop.body.params] == ["j", "v"]
    assert names(kernel)["If"] == 7
    assert lines_with(text, r"tt\.call") == 2
    helper_lines = {op.span.line for op in ops(kernel) if isinstance(op, O.Binary) and op.fn == "mul"}
    assert helper_lines == {
        C.may_return.starting_line_number + 9,
        C.three_ways.starting_line_number + 5,
    }


def test_loops() -> None:
    text, kernel = kernel_of(C.loops)
    count = names(kernel)
    assert (count["For"], count["While"]) == (3, 2)
    wide = [op for op in ops(kernel) if isinstance(op, O.For) and str(op.lower.type) == "i64"]
    assert len(wide) == 1
    assert [v.name for v in wide[0].body.params] == ["k", "t"]
    first = next(op for op in ops(kernel) if isinstance(op, O.While))
    assert len(first.before.yields) == 1 + len(first.after.params)
    assert first.before.yields[0].type.is_int
    assert lines_with(text, r"scf\.(for|while)") == 5


def test_hint_on_a_loop_argument() -> None:
    _, kernel = kernel_of(C.loop_hint)
    (hint,) = [op for op in ops(kernel) if isinstance(op, O.Hint)]
    assert (hint.kind, hint.values) == ("divisibility", (16,))


def test_conditionals_yield_values() -> None:
    _, kernel = kernel_of(C.conditionals)
    branches = [op for op in ops(kernel) if isinstance(op, O.If)]
    assert [len(b.results) for b in branches] == [1, 2, 0]
    assert [str(v.type) for v in branches[1].results] == ["i32", "f32"]


def test_tuple_arguments_of_both_kinds() -> None:
    types = {"t": ("*i32", ("*i32", "constexpr")), "n": "i32", "W": "constexpr"}
    _, kernel = imported(C.tuple_argument, types, {"W": (3, (4, 5)), ("t", 1, 1): 7})
    assert kernel.params[0] == "t.0"
    assert kernel.params[1] in ("t.1.0", "t.1")  # Triton 3.6 does not keep the nesting
    assert {op.value for op in ops(kernel) if isinstance(op, O.Const)} == {3, 5, 7}


def test_function_as_constant() -> None:
    _, kernel = imported(C.function_argument, {"p": "*i32", "n": "i32", "F": "constexpr"}, {"F": C.twice})
    assert [op.fn for op in ops(kernel) if isinstance(op, O.Binary)] == ["mul", "add", "mul", "add"]


def test_noinline_functions_are_inlined() -> None:
    _, kernel = kernel_of(C.calls_noinline)
    (add,) = [op for op in ops(kernel) if isinstance(op, O.Binary)]
    assert add.result.name == "y"


LOOPING_GRAPH = """
module {
  tt.func public @k(%p: !tt.ptr<i32>, %n: i32) {
    cf.br ^bb1(%n : i32) loc(unknown)
  ^bb1(%i: i32 loc(unknown)):  // 2 preds: ^bb0, ^bb1
    %0 = arith.cmpi slt, %i, %n : i32 loc(unknown)
    cf.cond_br %0, ^bb1(%i : i32), ^bb2 loc(unknown)
  ^bb2:  // pred: ^bb1
    tt.return loc(unknown)
  } loc(unknown)
} loc(unknown)
"""

CROSSING_GRAPH = """
module {
  tt.func public @k(%a: i1 loc(unknown), %b: i1 loc(unknown)) {
    cf.cond_br %a, ^bb1, ^bb2 loc(unknown)
  ^bb1:
    cf.cond_br %b, ^bb3, ^bb4 loc(unknown)
  ^bb2:
    cf.cond_br %b, ^bb3, ^bb4 loc(unknown)
  ^bb3:
    tt.return loc(unknown)
  ^bb4:
    tt.return loc(unknown)
  } loc(unknown)
} loc(unknown)
"""

RECURSION = """
module {
  tt.func public @k(%n: i32 loc(unknown)) {
    tt.call @k(%n) : (i32) -> () loc(unknown)
    tt.return loc(unknown)
  } loc(unknown)
} loc(unknown)
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LOOPING_GRAPH, "a branch goes back"),
        (CROSSING_GRAPH, "branches that do not nest"),
        (RECURSION, "`k` calls itself"),
        ("module {\n}\n", "no function"),
        ("not a module", "line 1 of the module is not understood"),
        ("module {\n  tt.func public @k() {\n", "ends early"),
    ],
)
def test_what_cannot_be_imported_is_said(text: str, message: str) -> None:
    with pytest.raises(Unsupported, match=message):
        import_kernel(text)
