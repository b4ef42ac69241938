"""Captures that would take long or say much: few values, short conditions, and a limit on time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from argus_smt.capture.constants import MAX_VALUES
from argus_smt.capture.module import Loader
from argus_smt.capture.program import capture
from argus_smt.capture.service import answer
from argus_smt.ir.launch import Program
from tests.unit.capture.conftest import HEADER

Capture = Callable[[str, str], Program]

MANY = """
@triton.jit
def many(x, H: tl.constexpr, D: tl.constexpr, S: tl.constexpr, T: tl.constexpr):
    tl.static_assert(H.value * D.value * S.value > 0)  # sizes that cannot be passed at run time
    tl.store(x + H * D * S + T, 1.0)


def launch(x):
    a, b, c = x.shape
    many[(1,)](x, a, b, c, triton.next_power_of_2(a * b))
"""


def test_several_open_constants_are_tried_for_few_values(launcher: Capture) -> None:
    program = launcher(MANY, "launch(x: f32[A, B, C])")
    assert 0 < sum(len(x.cases) for x in program.launches) <= 64
    reasons = {r.reason for r in program.not_covered if not r.rejected}
    assert any("values of the constexpr A; tried are 64, 128; state one, as in `where A == 64`" in r for r in reasons)


def test_stated_sizes_are_all_tried(launcher: Capture) -> None:
    program = launcher(MANY, "launch(x: f32[8, 128, C]) where C <= 20")
    values = {dict(c.values)["S"] for x in program.launches for c in x.cases}
    assert values == {str(v) for v in range(1, 21)}
    assert len(values) < MAX_VALUES
    assert not program.not_covered


def test_what_is_left_after_the_limit_is_said(tmp_path: Path) -> None:
    path = tmp_path / "user.py"
    path.write_text(HEADER + "def launch(x):\n    copy[(1,)](x, x, 3, BLOCK=triton.next_power_of_2(x.shape[0]))\n")
    program = capture(Loader(str(path)), "launch(x: f32[N])", limit_s=0.0)
    assert not [c for x in program.launches for c in x.cases]
    assert any("not looked at: the capture took 0 s; fewer cases" in r.reason for r in program.not_covered)
    (reply,) = answer({"file": str(path), "call": "launch(x: f32[N])", "limit_s": 30})
    assert reply["schema"]


@pytest.mark.parametrize("shape", ["B, N", "B, S, N", "A, B, S, N"])
def test_rows_of_any_rank_have_short_conditions(launcher: Capture, shape: str) -> None:
    body = """
def launch(x):
    rows = x.view(-1, x.shape[-1])
    M, N = rows.shape
    block = triton.next_power_of_2(N)
    if block > 1024:
        raise RuntimeError("too wide")
    copy[(M,)](rows, rows, rows.stride(0), BLOCK=block, num_warps=min(max(block // 256, 1), 8))
"""
    program = launcher(body, f"launch(x: f32[{shape}])")
    assert all(len(c.text) < 60 for x in program.launches for c in x.path)
    (rejected,) = program.not_covered
    assert (rejected.rejected, str(rejected.condition)) == (True, "np2_N >= 1025")
    blocks = sorted(int(dict(c.values)["BLOCK"]) for x in program.launches for c in x.cases if len(c.label.split(",")) == 1)
    assert blocks == [1 << k for k in range(11)]
