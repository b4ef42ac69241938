"""Kernels that once fooled the prover: each says on its `RIGHT` line what it deserves, and never gets more."""

from __future__ import annotations

from pathlib import Path

import pytest

from argus_smt.prove.finding import ProveOptions
from tests.integration.pipeline import errors, program_of, prove_all, undecided

TRAPS = Path(__file__).resolve().parents[1] / "cases" / "traps"

REFUTED = {
    "assume_top": ("launch(o: f32[8], n: int)", "AR306"),
    "assume_loop": ("launch(o: f32[8], n: int)", "AR306"),
    "contents_branch": ("launch(i: i32[2] in [0, V), o: f32[16], z: i32[1], V: int)", "AR302"),
    "dead_reduce": ("launch(o: f32[8], x: int)", "AR302"),
    "u8": ("launch(i: u8[n] in [0, 200), x: f32[128], o: f32[n])", "AR301"),
    "negstep": ("launch(o: f32[n], s: int)", "AR305"),
    "gather_index": ("launch(i: i32[16] in [0, 100), o: f32[100])", "AR305"),
    "after_division": ("launch(o: i32[n], d: int in [0, 9])", "AR302"),
    "swapped_pointers": ("launch(a: f32[4], b: f32[N])", "AR302"),
    "nested_choice": ("launch(a: f32[M], b: f32[N])", "AR302"),
    "descriptor_shape": ("launch(o: f32[M, N])", "AR302"),
    "address_number": ("launch(o: f32[n])", "AR302"),
    "strided_past": ("launch(x: f32[n])", "AR302"),
    "narrow_wrap": ("launch(o: f32[200])", "AR302"),
    "constexpr_floor": ("launch(x: f32[n], o: f32[1]) where n >= 2, n <= 80", "AR301"),
    "no_entries": ("launch(table: i32[T] in [0, V), o: f32[V + 1]) where T >= 0, V >= 0", "AR301"),
    "refused_branch": ("launch(x: f32[n], o: f32[4], B: int in {1, 16}) where n > 1980, n < 2100", "AR302"),
    "constexpr_and": ("launch(x: f32[n], o: f32[2]) where n > 1980, n < 2100", "AR302"),
    "constexpr_bits": ("launch(x: f32[n], o: f32[2]) where n > 1980, n < 2100", "AR302"),
}
"""Real faults that are found."""

NOT_PROVED = {
    "stale_bits": "launch(f: f32[M], o: f32[4])",
    "nested_stale": "launch(f: f32[M], o: f32[2])",
    "fill_bitcast": "launch(x: f32[8], o: f32[1])",
    "negative_zero": "launch(x: f32[8], o: f32[1])",
    "hint_alignment": "launch(x: f32[n])",
    "unaligned": "launch(i: i32[8] in [0, 4), x: f32[4], o: f32[1])",
    "trial_lemma": "launch(f: f32[M], o: f32[1], m: int) where m >= 1",
    "running_sum": "launch(x: i32[n] in [-1, 2), o: f32[16]) where n <= 16",
    "rsub_factor": "launch(i: i32[n] in [0, 4), o: f32[9])",
    "fill_of_gaps": "launch(o: f32[n])",
    "fill_twice": "launch(o: f32[n])",
    "address_seed": "launch(seeds: i32[cdiv(n, 16)], o: f32[n])",
    "always_wraps": "launch(o: f32[M], s: int) where s >= 70000, s < 70001",
}
"""Real faults that lean on an approximation: unknown is an honest answer, proved is not."""

NOT_REFUTED = {
    "false_ref_inplace": "launch(x: f32[n], o: f32[n])",
    "false_ref_float": "launch(x: f32[8], o: f32[n])",
    "float_scalar": "launch(x: f32[n], o: f32[2 * n])",
    "unsigned_wrap": "launch(i: u8[16], o: f32[256])",
}
"""Right kernels whose data or floats are not followed."""

LIMITED = {
    "widen_wrap": ("launch(o: f32[M], n: int)", ()),
    "reduce_guard": ("launch(o: f32[M], g: int, s: int)", ("s >= 1",)),
    "past_guards": ("launch(o: f32[M], n: int, s: int)", ("s >= 1",)),
    "entry_guard": ("launch(f: f32[M], o: f32[N], s: int, g: int)", ("s >= 1",)),
}
"""Wrong past 2**31 only: a limit by default."""


def path(name: str) -> Path:
    return TRAPS / f"{name}.py"


@pytest.mark.parametrize("name", REFUTED)
def test_fault_is_found(name: str) -> None:
    call, code = REFUTED[name]
    found = errors(prove_all(program_of(path(name), call), ProveOptions()))
    assert code in {f.code for f in found}


@pytest.mark.parametrize("name", NOT_PROVED)
def test_fault_is_not_proved_away(name: str) -> None:
    results = prove_all(program_of(path(name), NOT_PROVED[name]), ProveOptions())
    assert errors(results) or undecided(results)


@pytest.mark.parametrize("name", NOT_REFUTED)
def test_right_kernel_is_not_refuted(name: str) -> None:
    assert not errors(prove_all(program_of(path(name), NOT_REFUTED[name]), ProveOptions()))


@pytest.mark.parametrize("name", LIMITED)
def test_wrap_brings_a_limit(name: str) -> None:
    call, assume = LIMITED[name]
    results = prove_all(program_of(path(name), call), ProveOptions(assume=assume))
    assert errors(results) or undecided(results) or all(r.limits for r in results)


def test_narrow_argument_brings_a_limit() -> None:
    program = program_of(path("narrow_argument"), "launch(o: f32[100], n: int) where n >= 0")
    assert program.launches[0].limits


def test_every_trap_is_used() -> None:
    used = {"narrow_argument", *REFUTED, *NOT_PROVED, *NOT_REFUTED, *LIMITED}
    assert used == {p.stem for p in TRAPS.glob("*.py")}


def test_a_view_past_its_storage_is_no_launch() -> None:
    results = prove_all(program_of(path("strided_past"), "launch(x: f32[n])"), ProveOptions())
    found = [f.counterexample for f in errors(results)]
    assert found
    assert all(c is not None and c.shape["n"] >= 9 for c in found)
