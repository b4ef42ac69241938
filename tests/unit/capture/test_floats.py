"""Conditions over float arguments: comparisons with numbers are exact, others mark the launch."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from argus_smt.capture.failure import SignatureError
from argus_smt.capture.floats import order
from argus_smt.ir.launch import Program, ScalarArg

Capture = Callable[[str, str], Program]
VALUES = (-math.inf, -1e300, -2.5, -1.0, -5e-324, 0.0, 5e-324, 0.5, 1.0, 1.0000000000000002, 3e38, math.inf)


def test_order_keeps_the_order_of_floats() -> None:
    assert [order(v) for v in VALUES] == sorted(order(v) for v in VALUES)
    assert len({order(v) for v in VALUES}) == len(VALUES)
    assert order(-0.0) == order(0.0) == 0


def grids(program: Program) -> set[str]:
    """First entries of the grids."""
    return {str(x.grid[0]) for x in program.launches}


def opaque(program: Program) -> list[str]:
    """Texts of what is not followed."""
    return [c.text for x in program.launches for c in x.path if c.source == "opaque"]


@pytest.mark.parametrize(
    ("type_", "body", "expected"),
    [
        ("float", "1 if p > 1 and p < 0.5 else 2", {"2"}),
        ("float", "1 if p > 0 and p < 1 else 2", {"1", "2"}),
        ("float in [0, 1]", "1 if p < 0 else 2", {"2"}),
        ("float in [0, 1]", "1 if p == 1.0 else 2", {"1", "2"}),
        ("float in [0, 1)", "1 if p == 1.0 else 2", {"2"}),
        ("float in [-0.5, 0.5]", "1 if p <= -0.75 or p >= 0.75 else 2", {"2"}),
        ("float in {0.5, 2}", "1 if p == 0.5 else 2 if p == 2 else 3", {"1", "2"}),
        ("float", "1 if p > q > p else 2", {"2"}),
        ("float", "1 if p > q else 2", {"1", "2"}),
        ("float in [1, 2]", "1 if p else 2", {"1"}),
        ("float", "1 if p else 2", {"1", "2"}),
        ("float in [1, 2]", "1 if math.isinf(p) or math.isnan(p) else 2", {"2"}),
        ("float", "1 if 1 < p < 1.5 else 2", {"1", "2"}),
    ],
)
def test_comparisons_are_exact(launcher: Capture, type_: str, body: str, expected: set[str]) -> None:
    text = f"import math\n\n\ndef launch(x, p, q):\n    copy[({body},)](x, x, 3, BLOCK=64)\n"
    program = launcher(text, f"launch(x: f32[N], p: {type_}, q: float)")
    assert grids(program) == expected
    assert not program.not_covered
    assert not opaque(program)
    assert "float arguments are numbers, not NaN" in program.notes
    assert all(v.op == "var" or v.data == c.text for x in program.launches for c in x.path for v in c.term.free)


def test_paths_name_their_floats_as_written(launcher: Capture) -> None:
    text = "def launch(x, p):\n    copy[(1 if 0.5 < p < 2 else 2,)](x, x, 3, BLOCK=64)\n"
    program = launcher(text, "launch(x: f32[N], p: float)")
    assert {str(x.grid[0]): [c.text for c in x.path] for x in program.launches} == {
        "1": ["p > 0.5 and p < 2.0"],
        "2": ["p >= 2.0 or p <= 0.5"],
    }


@pytest.mark.parametrize("test", ["p * 2 > 1", "p > x.shape[0]", "x.max().item() > 0.5"])
def test_other_conditions_mark_the_launch(launcher: Capture, test: str) -> None:
    text = f"def launch(x, p):\n    copy[(1 if {test} else 2,)](x, x, 3, BLOCK=64)\n"
    program = launcher(text, "launch(x: f32[N], p: float)")
    assert grids(program) == {"1", "2"}
    assert opaque(program) == ["condition over floats or data at line 13"] * 2


def test_a_condition_that_changes_nothing_marks_nothing(launcher: Capture) -> None:
    text = "def launch(x, p):\n    y = 1 if p * 2 > 1 else 2\n    copy[(3,)](x, x, 3, BLOCK=64)\n"
    program = launcher(text, "launch(x: f32[N], p: float)")
    assert len(program.launches) == 1
    assert not opaque(program)


def test_rejected_floats_are_named_as_written(launcher: Capture) -> None:
    text = "def launch(x, p):\n    if p < 0:\n        raise ValueError('negative')\n    copy[(3,)](x, x, 3, BLOCK=64)\n"
    program = launcher(text, "launch(x: f32[N], p: float)")
    (region,) = program.not_covered
    assert region.rejected
    assert str(region.condition) == "p < 0.0"


def test_numbers_are_kept_where_they_are_the_same_in_every_launch(launcher: Capture) -> None:
    body = """
@triton.jit
def scale(x, a, b, c, d):
    tl.store(x, a + b + c + d)


def launch(x, p, q):
    scale[(1,)](x, 0.5, p, q, q * 2)
"""
    (launch,) = launcher(body, "launch(x: f32[N], p: float, q: float = 0.25)").launches
    case = launch.cases[0]
    numbers = {n: a.number for n, a in zip(case.kernel.params, case.args, strict=True) if isinstance(a, ScalarArg)}
    assert numbers == {"a": 0.5, "b": None, "c": 0.25, "d": 0.5}


@pytest.mark.parametrize("range_", ["[0, N]", "[1, 0]", "{x}"])
def test_ranges_of_floats_are_numbers(launcher: Capture, range_: str) -> None:
    with pytest.raises(SignatureError):
        launcher("def launch(x, p):\n    copy[(3,)](x, x, 3, BLOCK=64)\n", f"launch(x: f32[N], p: float in {range_})")


@pytest.mark.parametrize(("given", "flags"), [("float", {"0", "1"}), ("float in [0.5, 1]", {"1"}), ("float in [-1, 0]", {"0"})])
def test_a_flag_that_depends_on_a_float_is_a_path_for_each_answer(launcher: Capture, given: str, flags: set[str]) -> None:
    text = (
        "@triton.jit\ndef flagged(x, y, n, FLAG: tl.constexpr, B: tl.constexpr):\n"
        "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
        "    tl.store(y + i, tl.load(x + i, mask=i < n) * (2 if FLAG else 1), mask=i < n)\n\n"
        "def launch(x, p):\n    flagged[(1,)](x, x, x.numel(), FLAG=p > 0.0, B=64)\n"
    )
    program = launcher(text, f"launch(x: f32[N], p: {given})")
    assert {str(int(dict(c.values)["FLAG"] in ("1", "True"))) for x in program.launches for c in x.cases} == flags
    assert {c.text for x in program.launches for c in x.path} == ({"p > 0.0", "p <= 0.0"} if len(flags) == 2 else set())
    assert not program.not_covered
