"""Sizes that are compiled in: left symbolic where the kernel uses them as numbers, tried one by one elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from argus_smt.ir.launch import Program, ScalarArg
from argus_smt.prove.finding import ProveOptions, Verdict
from tests.integration.pipeline import errors, program_of, prove_all

FILE = Path(__file__).resolve().parents[2] / "cases" / "launchers" / "compiled_sizes.py"


def program(launcher: str, more: str = "") -> Program:
    return program_of(FILE, f"{launcher}(x: f32[M, N], o: f32[M, N] out){more}")


def passed(p: Program) -> bool:
    """Whether every case takes N at run time."""
    return all(dict(c.values).get("N") is None for launch in p.launches for c in launch.cases)


@pytest.mark.parametrize("launcher", ["masked", "looped", "branched", "divided"])
def test_a_size_used_as_a_number_stays_symbolic(launcher: str) -> None:
    p = program(launcher)
    assert passed(p)
    assert not p.not_covered
    assert any(isinstance(a, ScalarArg) and a.value is not None for a in p.launches[0].cases[0].args)


@pytest.mark.parametrize("launcher", ["shaped", "narrow", "halved", "ceiled"])
def test_a_size_that_is_more_than_a_number_is_tried_by_value(launcher: str) -> None:
    assert not passed(program(launcher))


@pytest.mark.parametrize(("launcher", "right"), [("masked", True), ("looped", True), ("off_by_one", False)])
def test_verdicts_for_all_sizes(launcher: str, right: bool) -> None:
    results = prove_all(program(launcher), ProveOptions())
    assert all(f.verdict is not Verdict.UNKNOWN for r in results for f in r.findings if f.code != "AR307")
    assert bool(errors(results)) is not right
