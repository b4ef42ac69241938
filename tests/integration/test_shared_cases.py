"""Real defects: each is refuted with every kind that is expected of it, each repaired twin is proved, in all groups of checks.

The cases lie in a folder beside the checkout; where it is absent there is nothing to run. What differs in values alone from a
reference that the kernel does not have is left out.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argus_smt.prove.finding import CHECKS, Finding, ProveOptions, Verdict
from tests.integration.pipeline import errors, program_of, prove_all, undecided

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"
KINDS = {
    "OOB_READ": {"AR301"}, "OOB_WRITE": {"AR302"}, "UNINIT_READ": {"AR304"}, "FALSE_ASSUMPTION": {"AR306"},
    "RACE_WW": {"AR401", "AR412"}, "RACE_RW": {"AR402"}, "RACE_ATOMIC": {"AR401", "AR402"}, "RACE_LANE": {"AR403"},
    "SYNC": {"AR404", "AR406"}, "UNCOVERED": {"AR411"},
}  # fmt: skip
PADDING = {"c07": {"AR601"}, "c42": {"AR601"}, "c50": {"AR603"}}
"""Values that are wrong because of padding lanes, or of an address that is used as a number."""
BY_REFERENCE = {"c21", "c27", "c40", "c46"}
"""Defects that only a reference function shows."""
LONG = {"c03", "c05", "c15", "c19"}
"""Kernels of many cases, or with a lock."""
OPEN = {"c15": {"AR401", "AR402", "AR404", "AR406"}, "c38": {"AR401", "AR411"}}
"""What may stay unknown of a repaired twin: what a lock guards, and partitions by prefix sums."""

ELSEWHERE = {"c12": 19, "c38": 24}
"""Where a defect is shown, if not at its cause: at the read of what was allocated, at the store that leaves rows out."""


def sidecar(ident: str) -> dict[str, Any]:
    (path,) = CASES.glob(f"{ident}_*.json")
    loaded: dict[str, Any] = json.loads(path.read_text())
    return loaded


PRESENT = sorted(path.name.partition("_")[0] for path in CASES.glob("*.json"))
BUGS = [i for i in PRESENT if i != "d01" and i not in BY_REFERENCE]


def in_time(idents: list[str]) -> list[Any]:
    """The cases, long ones marked as slow."""
    return [pytest.param(i, marks=[pytest.mark.slow] if i in LONG else []) for i in idents]


def results(ident: str, kind: str):  # type: ignore[no-untyped-def]
    case = sidecar(ident)
    mode = "error" if ident == "c08" else "warn"
    program = program_of(CASES / case["files"][kind], case["call"], wide=mode == "error")
    assert not [h for h in program.not_covered if not h.rejected]
    return prove_all(program, ProveOptions(overflow=mode, checks=CHECKS))


def refuted(ident: str) -> list[Finding]:
    """What is refuted of the faulty file, warnings included."""
    return [f for r in results(ident, "bug") for f in r.findings if f.verdict is Verdict.REFUTED]


@pytest.mark.parametrize("ident", in_time(BUGS))
def test_defect_is_refuted(ident: str) -> None:
    case = sidecar(ident)
    found = refuted(ident)
    codes = {f.code for f in found}
    wanted = [KINDS[kind] for kind in case["expected"]["bug"] if kind in KINDS]
    wanted += [PADDING[ident]] if ident in PADDING else []
    assert wanted
    assert not [w for w in wanted if not codes & w], codes
    for f in found:
        assert f.counterexample is not None
        assert f.counterexample.replayed
    lines = {line for f in found for line in (f.span.line, *(r.span.line for r in f.related))}
    assert lines & {*case["failing"]["lines"], ELSEWHERE.get(ident, 0)}


@pytest.mark.parametrize("ident", in_time(PRESENT))
def test_repaired_twin_is_proved(ident: str) -> None:
    found = results(ident, "ok")
    assert not errors(found)
    assert {f.code for f in undecided(found)} <= OPEN.get(ident, set())


@pytest.mark.parametrize("ident", [i for i in PRESENT if i == "d01"])
def test_lookalike_is_proved(ident: str) -> None:
    found = results(ident, "lookalike")
    assert not errors(found)
    assert not undecided(found)
