"""Races, order and coverage of tensors behind tables of addresses."""

from __future__ import annotations

from pathlib import Path

import pytest

from argus_smt.prove.finding import ProveOptions, Verdict
from tests.integration.pipeline import program_of, prove_all

FILE = Path(__file__).resolve().parents[1] / "cases" / "tables" / "shares.py"
FILL = (
    "fill(table: table[g: G] of f32[sizes[g]] out, sizes: i32[G] in [0, 2**20], programs: int in [1, 64], fault: str = '{}')"
    " where G <= 1000"
)
HALVES = "fill_halves(table: table[g: G] of f32[2 * sizes[g]] out, sizes: i32[G] in [0, 2**20]) where G <= 1000"


def open_codes(call: str) -> tuple[set[str], set[str]]:
    """Codes that are proved, and those that are not."""
    found = [
        f for r in prove_all(program_of(FILE, call), ProveOptions(checks=("races", "order", "coverage"))) for f in r.findings
    ]
    proved = {f.code for f in found if f.verdict is Verdict.PROVED}
    left = {f.code for f in found if f.verdict is not Verdict.PROVED and f.code.startswith("AR4")}
    return proved - left, left


@pytest.mark.parametrize("call", [FILL.format("none"), HALVES], ids=["fill", "halves"])
def test_shares_that_fit_are_proved(call: str) -> None:
    proved, left = open_codes(call)
    assert not left
    assert {"AR401", "AR411"} <= proved


@pytest.mark.parametrize(
    ("fault", "codes"),
    [
        ("entry shared", {"AR401", "AR411"}),
        ("entry skipped", {"AR411"}),
        ("all by all", {"AR401"}),
        ("step too long", {"AR411"}),
        ("step too short", {"AR401"}),
        ("last left out", {"AR411"}),
        ("neighbour too", {"AR401", "AR404"}),
    ],
)
def test_shares_that_do_not_fit_are_not(fault: str, codes: set[str]) -> None:
    proved, left = open_codes(FILL.format(fault))
    assert codes <= left
    assert not codes & proved
