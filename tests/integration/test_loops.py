"""Kernels with loops of every shape, and with bit tricks: proved as they are, refuted at the right line with each fault."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from argus_smt.prove.finding import ProveOptions
from tests.integration.pipeline import errors, program_of, prove_all, undecided

CASES = Path(__file__).resolve().parents[1] / "cases"
NAMES = sorted(f"{folder}/{p.stem}" for folder in ("loops", "bits") for p in (CASES / folder).glob("*.py"))


def marked(text: str, word: str) -> list[str]:
    """What follows `# WORD:` in the lines of a case."""
    return [line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith(f"# {word}:")]


FAULTS = [(n, i) for n in NAMES for i in range(len(marked((CASES / f"{n}.py").read_text(), "FAULT")))]


@pytest.mark.parametrize("name", NAMES)
def test_kernel_is_proved(name: str) -> None:
    path = CASES / f"{name}.py"
    results = prove_all(program_of(path, marked(path.read_text(), "CALL")[0]), ProveOptions())
    assert results
    assert not errors(results)
    assert not undecided(results)


@pytest.mark.parametrize(("name", "number"), FAULTS)
def test_fault_is_refuted_at_its_line(name: str, number: int, tmp_path: Path) -> None:
    text = (CASES / f"{name}.py").read_text()
    old, new, code, marker = ast.literal_eval(f"({marked(text, 'FAULT')[number]})")
    code_at = text.index("@triton.jit")
    assert text.count(old, code_at) == 1
    edited = text[:code_at] + text[code_at:].replace(old, new)
    path = tmp_path / f"{Path(name).stem}_{number}.py"
    path.write_text(edited)
    results = prove_all(program_of(path, marked(text, "CALL")[0]), ProveOptions())
    line = edited[: edited.index(marker, code_at)].count("\n") + 1
    assert (code, line) in {(f.code, f.span.line) for f in errors(results)}
    assert all(f.counterexample is not None and f.counterexample.replayed for f in errors(results))
