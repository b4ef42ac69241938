"""Tables of addresses: what is read from them is followed, in every size; what is not followed is never proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from argus_smt.prove.finding import CaseResult, Finding, ProveOptions, Verdict
from tests.integration.pipeline import errors, program_of, prove_all, undecided

FILE = Path(__file__).resolve().parents[1] / "cases" / "tables" / "kernels.py"

PROVED = {
    "sizes": "double(table: table[g: G] of f32[sizes[g]] inout, sizes: i32[G])",
    "64-bit sizes": "double(table: table[g: G] of f32[sizes[g]] inout, sizes: i64[G])",
    "larger": "double(table: table[g: G] of f32[sizes[g] + 1] inout, sizes: i32[G])",
    "wider": "double(table: table[g: G] of f64[sizes[g]] inout, sizes: i32[G])",
    "alike": "double(table: table of f32[N] inout, sizes: i32[table_n] in [0, N])",
    "views": "double_tails(table: table[g: G] of f32[sizes[g]] inout, sizes: i32[G]) where G >= 2",
    "masked": "guarded(table: table[g: G] of f32[4] inout, guard: bool = True, other: bool)",
    "members by lane": "firsts(table: table[g: G] of f32[g + 1]) where G <= 64",
    "sum": "second(table: table[g: G] of f32[g + 2])",
    "select": "choose(table: table[g: G] of f32[sizes[g]] inout, sizes: i32[G], same: bool = True)",
    "branch": "branch(table: table[g: G] of f32[sizes[g]] inout, sizes: i32[G] in [0, 1000])",
    "aligned": "hinted(table: table of f32[1] inout, size: int = 16)",
    "others stay": "shared(table: table[g: G] of f32[n[g]] inout, n: i32[G] in [1, 9], index: i32[G] in [0, N), out: f32[N])",
}

REFUTED = {
    "smaller": ("double(table: table[g: G] of f32[sizes[g] - 1] inout, sizes: i32[G] in [1, 9])", "AR301"),
    "narrower": ("double(table: table[g: G] of f16[sizes[g]] inout, sizes: i32[G])", "AR301"),
    "other's size": ("double(table: table[g: G] of f32[sizes[g + 1]] inout, sizes: i32[G + 1])", "AR301"),
    "alike": ("double(table: table of f32[N] inout, sizes: i32[table_n] in [0, N + 1])", "AR301"),
    "entry past the end": ("double_past(table: table[g: G] of f32[sizes[g]] inout, sizes: i32[G + 1])", "AR301"),
    "shifted": ("double_shifted(table: table[g: G] of f32[sizes[g]] inout, sizes: i32[G]) where G >= 2", "AR301"),
    "null": ("guarded(table: table[g: G] of f32[4] inout, guard: bool = False, other: bool = True)", "AR302"),
    "empty": ("guarded(table: table[g: G] of f32[g] inout, guard: bool = True, other: bool)", "AR302"),
    "empty by lane": ("firsts(table: table[g: G] of f32[g]) where G <= 64", "AR301"),
    "sum": ("second(table: table[g: G] of f32[g + 1])", "AR301"),
    "select": ("choose(table: table[g: G] of f32[sizes[g]] inout, sizes: i32[G], same: bool = False)", "AR302"),
    "sizes overwritten": ("swelling(table: table[g: G] of f32[sizes[g]] inout, sizes: i32[G] in [0, 9] inout)", "AR302"),
}

UNKNOWN = {
    "undefined": ("guarded(table: table[g: G] of f32[4] inout, guard: bool = False, other: bool = False)", "without `other`"),
    "sizes changed by the host": ("double_larger(table: table[g: G] of f32[sizes[g]] inout, sizes: i32[G] in [0, 9])", "written"),
    "sizes changed before": (
        "double_raised(table: table[g: G] of f32[sizes[g]] inout, sizes: i32[G] in [0, 9] inout)",
        "written",
    ),
    "on to the next": ("moving(table: table[g: G] of f32[g + 1] inout)", "one trip of a loop"),
    "table overwritten": ("overwriting(table: table[g: G] of f32[4] inout)", "written"),
    "32 bytes": ("hinted(table: table of f32[8] inout, size: int = 32)", "multiples of 16"),
    "number": ("number(table: table of f32[4], out: f32[4])", "as a number"),
    "integers behind": ("indirect(table: table of i32[1] in [0, 4), out: f32[4])", "not followed"),
}


def results_of(call: str) -> list[CaseResult]:
    return prove_all(program_of(FILE, call), ProveOptions())


@pytest.mark.parametrize("name", PROVED)
def test_what_is_read_from_a_table_is_followed(name: str) -> None:
    results = results_of(PROVED[name])
    assert not errors(results)
    assert not undecided(results)
    assert {f.verdict for r in results for f in r.findings} == {Verdict.PROVED}
    assert any("overlap neither each other" in a for r in results for a in r.assumptions)


@pytest.mark.parametrize("name", REFUTED)
def test_faults_behind_a_table_are_refuted(name: str) -> None:
    call, code = REFUTED[name]
    found = errors(results_of(call))
    assert code in {f.code for f in found}
    assert all(f.counterexample is not None and f.counterexample.replayed for f in found)


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_not_followed_is_unknown(name: str) -> None:
    call, why = UNKNOWN[name]
    results = results_of(call)
    open_ = [f for f in undecided(results) if f.code in ("AR301", "AR302", "AR306")]
    assert open_ or errors(results)
    assert any(why in _reason(f) for f in open_), [_reason(f) for f in open_]


def _reason(f: Finding) -> str:
    return f"{f.message}; {f.reason}"


def test_counterexamples_show_the_tensor() -> None:
    call, _ = REFUTED["smaller"]
    (seen,) = (f.counterexample for f in errors(results_of(call)) if f.code == "AR301")
    assert seen is not None
    assert (seen.storage, seen.view, seen.extent) == ("table[0]", "`table[0]`: f32[0]{1}", 0)
