"""The text form: what it looks like, and what is said of text that is not it."""

from __future__ import annotations

import pytest

from argus_smt.ir import ops as O
from argus_smt.ir.ops import Block, Kernel, Value
from argus_smt.ir.parse import parse_kernel, parse_type
from argus_smt.ir.text import print_kernel
from argus_smt.ir.types import FLOAT_BITS, I1, I32, INT_BITS, Ptr, Scalar, Tile, Type
from argus_smt.source import Span

F16, F32 = Scalar("f16"), Scalar("f32")
SCALARS = [Scalar(n) for n in (*INT_BITS, *FLOAT_BITS)]
HEAD = 'kernel "k" (%n.0: i32) {\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: the text ends too early"),
        ("hello", "line 1: 'kernel' expected"),
        (HEAD, "line 2: the text ends too early"),
        (HEAD + "  %1 = add %n.0 %2 : i32\n}", "line 2: %2 is not defined"),
        (HEAD + "  %1 = frob %n.0 : i32\n}", "no such operation: frob"),
        (HEAD + "  %1 = binary %n.0 %n.0 : i32\n}", "no such operation: binary"),
        (HEAD + "  %1 = add %n.0 : i32\n}", "binary wants rhs"),
        (HEAD + "  %1 = add %n.0 %n.0 %n.0 : i32\n}", "one operand too many"),
        (HEAD + "  %1 = add %n.0 %n.0 : i33\n}", "no such type: i33"),
        (HEAD + "  %1, %2 = add %n.0 %n.0 : i32, i32\n}", "has not 2 results"),
        (HEAD + "  %1 = add %n.0 %n.0\n}", "':' expected"),
        (HEAD + "  %1 = range start=0 stop=3 : i32\n}", "no field 'stop'"),
        (HEAD + "  barrier @0:1:1\n}", "not a place in a listed file"),
        (HEAD + "  barrier barrier\n}", "one operand too many"),
        (HEAD + "}\n}", "text after the end"),
        (HEAD + "  %1 = reduce (%n.0) axis=0 : i32\n}", "'\\^' expected"),
    ],
)
def test_unreadable_text_is_refused_with_line_and_reason(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_kernel(text)


@pytest.mark.parametrize("t", [*SCALARS, Ptr(F32), Ptr(Ptr(I1)), Tile((4, 1), F16), Tile((2,), Ptr(Ptr(F32)))])
def test_types_read_back(t: Type) -> None:
    assert parse_type(str(t)) == t


@pytest.mark.parametrize("text", ["", "i31", "ptr<>", "tile<f32>", "tile<4xtile<2xf32>>", "ptr<tile<2xf32>>", "ptr<i8"])
def test_other_types_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no such type"):
        parse_type(text)


def test_the_text_of_a_small_kernel() -> None:
    x, n, pid, r = Value(0, Ptr(F32), "x"), Value(1, I32, "n"), Value(2, I32, "pid"), Value(3, Tile((4,), I32))
    s, sum_ = Value(4, Tile((4,), I32), "offs"), Value(5, I32, "total")
    a, b, c = Value(6, I32), Value(7, I32), Value(8, I32)
    body = Block((x, n), (
        O.ProgramId(pid, 0, span=Span("k.py", 3, 11, 3, 27)),
        O.Range(r, 0, 4),
        O.Splat(s, pid),
        O.Reduce((sum_,), (s,), 0, Block((a, b), (O.Binary(c, "add", a, b),), (c,))),
        O.Store(x, Value(9, F32)),
    ))  # fmt: skip
    assert (
        print_kernel(Kernel("k", body, ("x", "n"), Span("k.py", 1)), spans=True)
        == """\
file 0 "k.py"
kernel "k" (%x.0: ptr<f32>, %n.1: i32) @0:1:0 {
  %pid.2 = program_id axis=0 : i32 @0:3:11-3:27
  %3 = range start=0 end=4 : tile<4xi32>
  %offs.4 = splat %pid.2 : tile<4xi32>
  %total.5 = reduce (%offs.4) axis=0 : i32
  ^(%6: i32, %7: i32) {
    %8 = add %6 %7 : i32
    yield %8
  }
  store %x.0 %9
}
"""
    )
