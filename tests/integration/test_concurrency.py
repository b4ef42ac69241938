"""Argus on the concurrency suite: nothing wrong, and what is not decided is counted."""

from __future__ import annotations

import pytest

from argus_smt.capture.module import Loader
from argus_smt.capture.program import capture
from argus_smt.capture.service import declared_signatures, warm_up
from argus_smt.prove.families import FAMILIES
from argus_smt.prove.finding import CaseResult, ProveOptions, Severity, Verdict
from tests.integration.concurrency import CASES, GROUP_OF, PAIRS
from tests.integration.pipeline import prove_all

GROUPS = tuple(g for g in ("races", "order", "coverage", "init") if g in FAMILIES)
DECIDED_AT_LEAST = 0.95
"""Share of the launchers that must be decided right; all others must be unknown."""

Results = dict[tuple[str, str], list[CaseResult]]


@pytest.fixture(scope="module")
def results() -> Results:
    """Of both launchers of every file, by its name."""
    warm_up()
    out: Results = {}
    for name in PAIRS:
        loader = Loader(str(CASES / f"{name}.py"))
        for launcher, declared in zip(("ok", "bug"), declared_signatures(loader), strict=True):
            assert declared.text.startswith(f"{launcher}(")
            out[name, launcher] = prove_all(capture(loader, declared.text), ProveOptions(checks=GROUPS))
    return out


def codes(found: list[CaseResult], verdict: Verdict) -> set[str]:
    """Codes of findings of the groups that are on, with a verdict."""
    every = (f for r in found for f in r.findings)
    return {f.code for f in every if f.verdict is verdict and f.severity is Severity.ERROR and GROUP_OF.get(f.code) in GROUPS}


def expected(name: str) -> set[str]:
    """Codes that must be reported of `bug`, of the groups that are on."""
    return {code for code in PAIRS[name].codes if GROUP_OF[code] in GROUPS}


@pytest.mark.parametrize("name", PAIRS)
def test_ok_is_never_refuted(name: str, results: Results) -> None:
    assert not codes(results[name, "ok"], Verdict.REFUTED)


@pytest.mark.parametrize("name", PAIRS)
def test_bug_is_never_proved(name: str, results: Results) -> None:
    found = results[name, "bug"]
    open_codes = codes(found, Verdict.UNKNOWN)
    missed = {code for code in expected(name) - codes(found, Verdict.REFUTED) if code not in open_codes}
    assert not missed


def test_most_are_decided(results: Results) -> None:
    right = {
        (name, launcher)
        for name, launcher in results
        if (expected(name) <= codes(results[name, launcher], Verdict.REFUTED) if launcher == "bug"
            else not codes(results[name, launcher], Verdict.UNKNOWN))
    }  # fmt: skip
    print("undecided:", *sorted(set(results) - right), sep="\n  ")
    assert len(right) >= DECIDED_AT_LEAST * len(results)
