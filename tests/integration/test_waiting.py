"""Code behind loops that wait: proved of runs that end, and of nothing if none does."""

from __future__ import annotations

from pathlib import Path

import pytest

from argus_smt.capture.module import Loader
from argus_smt.capture.service import declared_signatures
from argus_smt.prove.finding import CHECKS, ProveOptions, Verdict
from tests.integration.pipeline import program_of, prove_all

FILE = Path(__file__).resolve().parents[1] / "cases" / "waiting" / "ends.py"


@pytest.mark.parametrize(
    ("launcher", "verdict", "codes"),
    [
        ("never", Verdict.UNKNOWN, {"AR905"}),
        ("first", Verdict.PROVED, set()),
        ("before", Verdict.REFUTED, {"AR411"}),  # the store before the loop has a condition that the loop's end does not give
        ("after", Verdict.REFUTED, {"AR411"}),
    ],
)
def test_what_stands_behind_a_loop(launcher: str, verdict: Verdict, codes: set[str]) -> None:
    (declared,) = [s for s in declared_signatures(Loader(str(FILE))) if s.text.startswith(f"{launcher}(")]
    found = [f for r in prove_all(program_of(FILE, declared.text), ProveOptions(checks=CHECKS)) for f in r.findings]
    if verdict is Verdict.PROVED:
        assert all(f.verdict is Verdict.PROVED for f in found)
    else:
        assert {f.code for f in found if f.verdict is verdict} == codes
