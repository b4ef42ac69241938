"""Every shipped example is proved for all AR3xx, with nothing left unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from argus_smt.prove.finding import ProveOptions, Verdict
from tests.integration.pipeline import errors, program_of, prove_all, undecided

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples" / "triton").glob("*.py"))
LONG = {"im2col_convolution", "rotary_embedding", "top_k"}
"""Those that take more than a few seconds: many operations on sizes, or a case for each of many sizes of block."""


@pytest.mark.parametrize("path", [p for p in EXAMPLES if p.stem not in LONG], ids=lambda p: p.stem)
def test_example_is_proved(path: Path) -> None:
    check(path)


@pytest.mark.slow
@pytest.mark.parametrize("path", [p for p in EXAMPLES if p.stem in LONG], ids=lambda p: p.stem)
def test_long_example_is_proved(path: Path) -> None:
    check(path)


def check(path: Path) -> None:
    program = program_of(path)
    assert not [h for h in program.not_covered if not h.rejected]
    results = prove_all(program, ProveOptions())
    assert not errors(results)
    assert not undecided(results)
    codes = {f.code for r in results for f in r.findings if f.verdict is Verdict.PROVED}
    assert codes >= {"AR301", "AR302"}
