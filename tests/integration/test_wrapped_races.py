"""Programs that meet only where a 32-bit offset wraps: a limit by default, a fault on demand, never a plain proof."""

from __future__ import annotations

from pathlib import Path

import pytest

from argus_smt.capture.module import Loader
from argus_smt.capture.service import declared_signatures
from argus_smt.prove.finding import CaseResult, ProveOptions, Verdict
from tests.integration.pipeline import errors, program_of, prove_all, undecided

FILE = Path(__file__).resolve().parents[1] / "cases" / "wrapped" / "rows.py"


def results(launcher: str, overflow: str) -> list[CaseResult]:
    (declared,) = [s for s in declared_signatures(Loader(str(FILE))) if s.text.startswith(f"{launcher}(")]
    program = program_of(FILE, declared.text, wide=overflow == "error")
    return prove_all(program, ProveOptions(overflow=overflow, checks=("memory", "races")))


@pytest.mark.parametrize("launcher", ["narrow_rows", "unsigned_rows"])
def test_by_default_the_proof_has_its_limit(launcher: str) -> None:
    found = results(launcher, "warn")
    assert not errors(found)
    assert all("< 2**31" in text for r in found for text in r.limits)
    assert all(r.limits for r in found)


def test_the_wrap_is_a_fault_where_it_counts() -> None:
    assert {"AR302", "AR303"} <= {f.code for f in errors(results("narrow_rows", "error"))}
    found = results("unsigned_rows", "error")
    assert errors(found) or undecided(found)


@pytest.mark.parametrize("overflow", ["warn", "error"])
def test_wide_offsets_do_not_meet(overflow: str) -> None:
    found = results("wide_rows", overflow)
    assert all(f.verdict is Verdict.PROVED for r in found for f in r.findings if f.code.startswith(("AR30", "AR40")))
    assert not any("row" in text or "M" in text for r in found for text in r.limits)
