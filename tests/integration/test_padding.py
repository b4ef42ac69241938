"""AR601 on small kernels, each of which is right or wrong about its padding lanes for a reason of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from argus_smt.prove.finding import Finding, ProveOptions, Verdict
from tests.integration.pipeline import program_of, prove_all

FOLDER = Path(__file__).resolve().parents[1] / "cases" / "padding"
OPTIONS = ProveOptions(overflow="off", checks=("padding",))

RIGHT = {
    "scalars": (
        "sum_zero", "sum_chosen", "max_low", "absmax_zero", "softmax_masked_sum", "variance_chosen", "variance_moments",
        "argmin_high", "product_one", "custom_low", "any_negative", "dead_sum", "scaled_absmax", "ragged_bias",
        "welford_counts",
    ),
    "rows": ("copy_undefined", "softmax_low", "softmax_large", "sums_undefined"),
    "wide": ("pad_rows",),
}  # fmt: skip
WRONG = {
    "scalars": (
        "sum_one", "sum_undefined", "sum_shifted_choice", "max_zero", "absmin_zero", "variance_bare", "argmin_zero",
        "product_zero", "welford_weights", "all_positive", "branch_undefined",
    ),
    "rows": ("softmax_zero", "sums_reversed"),
    "wide": ("copy_wider",),
}  # fmt: skip
UNDECIDED = {"scalars": ("ragged_factor",), "wide": ("stored_and_read",)}
"""What is meant cannot be told: neither is claimed."""


def found(file: str, launcher: str, kernel: str, sizes: str = "x: f32[M, N]", where: str = "N <= 16") -> list[Finding]:
    program = program_of(FOLDER / file, f'{launcher}({sizes}, name="{kernel}") where {where}')
    return [f for r in prove_all(program, OPTIONS) for f in r.findings if f.code == "AR601"]


def cases(table: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(launcher, kernel) for launcher, kernels in table.items() for kernel in kernels]


@pytest.mark.parametrize(("launcher", "kernel"), cases(RIGHT))
def test_right_kernels_are_proved(launcher: str, kernel: str) -> None:
    findings = found("rows.py", launcher, kernel)
    assert all(f.verdict is Verdict.PROVED for f in findings), [f for f in findings if f.verdict is not Verdict.PROVED]
    assert findings or kernel == "pad_rows"


@pytest.mark.parametrize(("launcher", "kernel"), cases(WRONG))
def test_wrong_kernels_are_refuted(launcher: str, kernel: str) -> None:
    assert Verdict.REFUTED in {f.verdict for f in found("rows.py", launcher, kernel)}


@pytest.mark.parametrize(("launcher", "kernel"), cases(UNDECIDED))
def test_nothing_is_claimed_where_padding_and_numbers_share_a_lane(launcher: str, kernel: str) -> None:
    verdicts = {f.verdict for f in found("rows.py", launcher, kernel)}
    assert Verdict.UNKNOWN in verdicts
    assert Verdict.REFUTED not in verdicts


def test_rows_without_a_live_lane_are_nan() -> None:
    refuted = [f for f in found("rows.py", "rows", "softmax_past") if f.verdict is Verdict.REFUTED]
    assert refuted
    assert all("no lane of a row is left" in f.message for f in refuted)
    for kernel in ("softmax_past_guarded", "softmax_of_logs"):
        assert {f.verdict for f in found("rows.py", "rows", kernel)} == {Verdict.PROVED}


def test_a_full_block_has_no_padding() -> None:
    findings = found("rows.py", "scalars", "sum_undefined", where="N == 16")
    assert {f.verdict for f in findings} <= {Verdict.PROVED}
    assert Verdict.REFUTED in {f.verdict for f in found("rows.py", "scalars", "sum_undefined", where="N >= 15, N <= 16")}


TILES = {
    ("square", "M <= 16, N <= 16"): {
        "product_tail": Verdict.PROVED, "product_one_zero": Verdict.PROVED, "product_undefined": Verdict.REFUTED,
        "product_ones": Verdict.REFUTED, "keys_zero": Verdict.REFUTED, "keys_masked": Verdict.PROVED,
    },
    ("one", "M <= 16, N <= 16"): {
        "row_sums_undefined_rows": Verdict.PROVED, "column_sums_undefined_rows": Verdict.REFUTED, "group_norm": Verdict.PROVED,
        "group_norm_columns": Verdict.REFUTED,
    },
    ("each", "N <= 400"): {
        "blocked_variance": Verdict.REFUTED, "blocked_maximum": Verdict.PROVED, "online_softmax": Verdict.PROVED,
        "online_softmax_zero": Verdict.REFUTED, "window_softmax": Verdict.UNKNOWN,
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("launcher", "where", "kernel", "expected"), [(a, b, k, v) for (a, b), kernels in TILES.items() for k, v in kernels.items()]
)
def test_tiles_and_loops(launcher: str, where: str, kernel: str, expected: Verdict) -> None:
    findings = found("tiles.py", launcher, kernel, where=where)
    if expected is Verdict.PROVED:
        assert all(f.verdict is Verdict.PROVED for f in findings), [f for f in findings if f.verdict is not Verdict.PROVED]
        assert findings
    else:
        assert expected in {f.verdict for f in findings}


INTEGERS = {
    "min_zero": Verdict.REFUTED, "min_largest": Verdict.PROVED, "max_least": Verdict.PROVED, "max_minus_one": Verdict.REFUTED,
    "xor_zero": Verdict.PROVED, "count_equal": Verdict.PROVED, "count_equal_zero": Verdict.REFUTED,
    "histogram_bin": Verdict.UNKNOWN, "histogram_masked": Verdict.PROVED, "undefined_index": Verdict.PROVED,
}  # fmt: skip
ADDRESSES = {
    "address_stored": Verdict.REFUTED, "address_branch": Verdict.REFUTED, "address_loop": Verdict.REFUTED,
    "alignment_tested": Verdict.PROVED, "address_cancels": Verdict.PROVED, "address_and_back": Verdict.PROVED,
}  # fmt: skip


@pytest.mark.parametrize(("kernel", "expected"), INTEGERS.items())
def test_integers(kernel: str, expected: Verdict) -> None:
    verdicts = {f.verdict for f in found("integers.py", "numbers", kernel, sizes="x: i32[M, N]")}
    assert expected in verdicts
    assert expected is not Verdict.PROVED or verdicts == {Verdict.PROVED}


@pytest.mark.parametrize(("kernel", "expected"), ADDRESSES.items())
def test_addresses(kernel: str, expected: Verdict) -> None:
    program = program_of(FOLDER / "integers.py", f'numbers(x: i32[M, N], name="{kernel}") where N <= 16')
    assert {f.verdict for r in prove_all(program, OPTIONS) for f in r.findings if f.code == "AR603"} >= {expected}
    if expected is Verdict.PROVED:
        assert all(f.verdict is expected for r in prove_all(program, OPTIONS) for f in r.findings if f.code == "AR603")
