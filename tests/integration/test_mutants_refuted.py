"""Argus refutes every seeded fault at its line, and nothing else in the same file."""

from __future__ import annotations

from pathlib import Path

import pytest

from argus_smt.prove.finding import CaseResult, ProveOptions
from tests.cases.triton.mutants import Mutant, apply
from tests.cases.triton.registry import MUTANTS
from tests.integration.pipeline import errors, program_of, prove_all

QUICK = {
    "vector_add-load_mask_dropped", "vector_add-store_mask_dropped", "vector_add-mask_includes_n",
    "vector_add-mask_in_block", "vector_add-shifted", "vector_add-rounded_length", "embedding-one_based",
    "layer_norm-rstd_per_column", "cumulative_sum-row_mask_dropped", "scatter_add-no_row_written",
    "absmax_quantize-groups_rounded_down", "int8_matmul-even_columns_unmasked", "paged_decode_attention-split_not_clamped",
    "fp8_block_scaled_matmul-k_mask_inclusive",
}  # fmt: skip


def refuted(results: list[CaseResult]) -> set[tuple[str, int]]:
    """Code and line of refuted errors."""
    return {(f.code, f.span.line) for f in errors(results)}


def check(mutant: Mutant, folder: Path) -> None:
    """Refuted errors are those expected; of offsets past 32 bits the unedited lines have some too."""
    options = ProveOptions(overflow="error" if mutant.far else "warn")
    program = program_of(apply(mutant, folder), wide=mutant.far)
    found = refuted(prove_all(program, options))
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
