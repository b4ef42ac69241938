"""Spans and names: line and column of each operation, its end from the syntax tree, the user's name of its value."""

from __future__ import annotations

from pathlib import Path

from argus_smt.capture.ttir import SourceMap, import_kernel
from argus_smt.ir import ops as O
from argus_smt.ir.walk import results
from tests.unit.ttir import control_kernels as C
from tests.unit.ttir import library_kernels as L
from tests.unit.ttir.imported import imported, ops


def excerpt(op: O.Op) -> str:
    """The text under an operation's span."""
    line = Path(op.span.file).read_text(encoding="utf-8").splitlines()[op.span.line - 1]
    assert op.span.end_line == op.span.line
    return line[op.span.column - 1 : op.span.end_column - 1]


def named(kernel: O.Kernel) -> list[str]:
    return [v.name for op in ops(kernel) for v in results(op) if v.name]


def test_binary_operations_point_at_their_own_expression() -> None:
    _, kernel = imported(C.nested_returns, {"p": "*i32", "a": "i32", "b": "i32", "n": "i32"})
    texts = [(type(op).__name__, excerpt(op)) for op in ops(kernel) if isinstance(op, (O.Cmp, O.AddPtr, O.Store))]
    assert ("Cmp", "a > i") in texts
    assert ("AddPtr", "p + 1") in texts
    assert ("Store", "tl.store(p + v, v)") in texts


def test_operations_of_one_start_take_growing_expressions() -> None:
    _, kernel = imported(L.softmax, {"x": "*fp32", "o": "*fp32", "n": "i32", "B": "constexpr"}, {"B": 16})
    reduces = [op for op in ops(kernel) if isinstance(op, O.Reduce)]
    assert {excerpt(op) for op in reduces} == {"tl.softmax(tl.load(x + i))"}
    (add,) = [op for op in kernel.body.ops if isinstance(op, O.Binary) and "sigmoid" in excerpt(op) and op.fn == "fadd"][-1:]
    assert excerpt(add) == "tl.softmax(tl.load(x + i)) + tl.sigmoid(tl.load(x + i))"


def test_indented_function_with_wide_characters() -> None:
    _, kernel = imported(C.Holder.indented, {"p": "*i32", "n": "i32"})
    found = {excerpt(op): op for op in ops(kernel)}
    assert set(found) == {"p + n", "tl.load(p + n)", "tl.load(p + n) + 1", "é * n", "é * n + n", "tl.store(p, z)"}
    assert named(kernel) == ["é", "z"]
    assert kernel.span.column == 5


def test_name_goes_to_the_whole_value() -> None:
    _, kernel = imported(L.swizzle, {"x": "*fp32", "o": "*fp32", "n": "i32", "B": "constexpr"}, {"B": 16})
    assert [v.name for v in kernel.body.params] == ["x", "o", "n"]
    _, kernel = imported(C.loops, {"p": "*i32", "a": "i32", "b": "i32", "n": "i32"})
    assert {"s", "t", "i", "j", "k"} <= set(named(kernel)) | {
        v.name for op in ops(kernel) if isinstance(op, O.For) for v in op.body.params
    }


def test_a_missing_file_leaves_starts_only(tmp_path: Path) -> None:
    text, kernel = imported(C.early, {"p": "*i32", "n": "i32"})
    gone = text.replace(C.__file__, str(tmp_path / "gone.py"))
    spans = [op.span for op in ops(import_kernel(gone))]
    assert all(s.end_line == 0 for s in spans)
    assert [s.line for s in spans[:2]] == [op.span.line for op in ops(kernel)[:2]]
    assert all(s.column for s in spans)


def test_source_text_can_be_handed_in() -> None:
    text, _ = imported(C.early, {"p": "*i32", "n": "i32"})
    moved = text.replace(C.__file__, "elsewhere.py")
    sources = SourceMap({"elsewhere.py": Path(C.__file__).read_text(encoding="utf-8")})
    assert all(op.span.end_line for op in ops(import_kernel(moved, sources=sources)))


def test_enclosing_function() -> None:
    file = SourceMap().file(C.__file__)
    assert file is not None
    line = C.early.starting_line_number + 3
    assert file.function_at(line) == "early"
    assert file.function_at(1) == ""
    assert SourceMap({"x.py": "def ("}).file("x.py") is None
