"""Argus refutes every seeded fault at its line, and nothing else in the same file."""

from __future__ import annotations

from pathlib import Path

import pytest

from argus_smt.capture.module import Loader
from argus_smt.capture.program import capture
from argus_smt.capture.service import declared_signatures, warm_up
from argus_smt.prove.case import prove_case
from argus_smt.prove.finding import CaseResult, ProveOptions, Severity, Verdict
from tests.cases.triton.mutants import MUTANTS, Mutant, apply

QUICK = {
    "vector_add-load_mask_dropped", "vector_add-store_mask_dropped", "vector_add-mask_includes_n",
    "vector_add-mask_in_block", "vector_add-shifted", "vector_add-rounded_length", "embedding-one_based",
    "layer_norm-rstd_per_column",
}  # fmt: skip


def prove(path: Path, options: ProveOptions) -> list[CaseResult]:
    """Results of all cases of the launcher that a file declares."""
    warm_up()
    loader = Loader(str(path))
    ((_, signature, _),) = declared_signatures(loader)
    program = capture(loader, signature)
    return [
        prove_case(program, launch, case, options)
        for launch, described in enumerate(program.launches)
        for case in range(len(described.cases))
    ]


def refuted(results: list[CaseResult]) -> set[tuple[str, int]]:
    """Code and line of refuted errors."""
    return {
        (f.code, f.span.line)
        for r in results
        for f in r.findings
        if f.verdict is Verdict.REFUTED and f.severity is Severity.ERROR
    }


def check(mutant: Mutant, folder: Path) -> None:
    """Refuted errors are those expected; of offsets past 32 bits the unedited lines have some too."""
    found = refuted(prove(apply(mutant, folder), ProveOptions(overflow="error" if mutant.far else "warn")))
    if mutant.far:
        assert found >= mutant.expected()
    else:
        assert found == mutant.expected()


@pytest.mark.parametrize("mutant", [m for m in MUTANTS if str(m) in QUICK], ids=str)
def test_mutant_is_refuted(mutant: Mutant, tmp_path: Path) -> None:
    check(mutant, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("mutant", [m for m in MUTANTS if str(m) not in QUICK], ids=str)
def test_other_mutant_is_refuted(mutant: Mutant, tmp_path: Path) -> None:
    check(mutant, tmp_path)


def test_quick_mutants_exist() -> None:
    assert {str(m) for m in MUTANTS} >= QUICK
