"""Real defects: each is refuted with its memory code at its root cause or with it as related, each repaired twin is proved.

The cases lie in a folder beside the checkout; where it is absent there is nothing to run.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argus_smt.prove.finding import ProveOptions
from tests.integration.pipeline import errors, program_of, prove_all, undecided

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"
IDS = ("c01", "c03", "c05", "c08", "c19", "c25", "c29", "c33")
CODES = {"OOB_READ": "AR301", "OOB_WRITE": "AR302"}


def sidecar(ident: str) -> dict[str, Any]:
    (path,) = CASES.glob(f"{ident}_*.json")
    loaded: dict[str, Any] = json.loads(path.read_text())
    return loaded


PRESENT = [i for i in (*IDS, "d01") if list(CASES.glob(f"{i}_*.json"))]


def results(ident: str, kind: str):  # type: ignore[no-untyped-def]
    case = sidecar(ident)
    mode = "error" if ident == "c08" else "warn"
    program = program_of(CASES / case["files"][kind], case["call"], wide=mode == "error")
    assert not [h for h in program.not_covered if not h.rejected]
    return prove_all(program, ProveOptions(overflow=mode))


@pytest.mark.parametrize("ident", [i for i in PRESENT if i != "d01"])
def test_defect_is_refuted(ident: str) -> None:
    case = sidecar(ident)
    found = errors(results(ident, "bug"))
    wanted = {CODES[kind] for kind in case["expected"]["bug"] if kind in CODES}
    assert {f.code for f in found} >= wanted
    for f in found:
        assert f.counterexample is not None
        assert f.counterexample.replayed
        places = {f.span.line, *(r.span.line for r in f.related)}
        assert places & set(case["failing"]["lines"]), (f.code, f.span, places)


@pytest.mark.parametrize("ident", PRESENT)
def test_repaired_twin_is_proved(ident: str) -> None:
    found = results(ident, "ok")
    assert not errors(found)
    assert not undecided(found)


@pytest.mark.parametrize("ident", [i for i in PRESENT if i == "d01"])
def test_lookalike_is_proved(ident: str) -> None:
    found = results(ident, "lookalike")
    assert not errors(found)
    assert not undecided(found)
