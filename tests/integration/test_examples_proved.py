"""Every shipped example is proved for all AR3xx, with nothing left unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from argus_smt.prove.finding import ProveOptions, Verdict
from tests.integration.pipeline import errors, program_of, prove_all, undecided

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples" / "triton").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example_is_proved(path: Path) -> None:
    program = program_of(path)
    assert not [h for h in program.not_covered if not h.rejected]
    results = prove_all(program, ProveOptions())
    assert not errors(results)
    assert not undecided(results)
    codes = {f.code for r in results for f in r.findings if f.verdict is Verdict.PROVED}
    assert codes >= {"AR301", "AR302"}
