"""The library of planted faults: its kinds, and judgements on mutants of a cheap example."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutation.judge import judge
from tests.mutation.mutations import KINDS, mutations

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "triton"
ADD = EXAMPLES / "vector_add.py"


def test_every_kind_occurs_and_every_mutant_is_python() -> None:
    found = [m for path in EXAMPLES.glob("*.py") for m in mutations(path.read_text(encoding="utf-8"))]
    assert {m.kind for m in found} == set(KINDS)
    for m in found:
        compile(m.text, "mutant", "exec")
        assert m.now in m.text


def test_mutants_keep_the_other_lines() -> None:
    source = ADD.read_text(encoding="utf-8").splitlines()
    for m in mutations(ADD.read_text(encoding="utf-8")):
        lines = m.text.splitlines()
        assert len(lines) == len(source)
        assert [i for i, (a, b) in enumerate(zip(source, lines, strict=True), 1) if a != b] == [m.line]


@pytest.mark.parametrize(
    ("old", "new", "verdict", "runs"),
    [
        ("mask = offsets < n", "mask = offsets <= n", "refuted", ""),
        ("x + y", "y + x", "proved", "same"),
        ("x + y", "x - y", "proved", "differ"),
    ],
)
def test_judgements(old: str, new: str, verdict: str, runs: str) -> None:
    source = ADD.read_text(encoding="utf-8")
    assert source.count(old) == 1
    made = judge(source.replace(old, new), ADD)
    assert (made.verdict, made.runs) == (verdict, runs)
