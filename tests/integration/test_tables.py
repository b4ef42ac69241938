"""Tables of addresses: what is read from them is followed, in every size; what is not followed is never proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from argus_smt.prove.finding import CaseResult, Finding, ProveOptions, Verdict
from tests.integration.pipeline import errors, program_of, prove_all, undecided
from tests.oracle.jobs import Argument, Job, TableArg, TensorArg, run_jobs

FILE = Path(__file__).resolve().parents[1] / "cases" / "tables" / "kernels.py"

WALK = (
    "walk(table: table[g: G] of f32[sizes[g, 0], sizes[g, 1]]{{{}, 1}} inout, sizes: i32[G, 2] in [{}, 2**20], strides: i64[G])"
)
PROVED = {
    "sizes": "double(table: table[g: G] of f32[sizes[g]] inout, sizes: i32[G])",
    "64-bit sizes": "double(table: table[g: G] of f32[sizes[g]] inout, sizes: i64[G])",
    "unsigned sizes": "double(table: table[g: G] of f32[sizes[g]] inout, sizes: u32[G])",
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
    "rows": "rows(table: table[g: G] of f32[2, 8]{strides[g], 1} inout, strides: i64[G], row: int = 1)",
    "running sums": WALK.format("strides[g]", 0),
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
    "rows": ("rows(table: table[g: G] of f32[2, 8]{strides[g], 1} inout, strides: i64[G], row: int = 2)", "AR302"),
    "before": ("rows(table: table[g: G] of f32[2, 8]{strides[g], 1} inout, strides: i64[G], row: int = -1)", "AR302"),
    "running sums": (WALK.format("strides[g] + 1", 1), "AR302"),
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
    "read by the host": ("counted(table: table of f32[4], out: f32[4])", "lean on"),
    "moved by the host": ("moved(table: table of f32[4] inout)", "written"),
    "copied by the host": ("copied(table: table of f32[4] inout)", "written"),
    "number": ("number(table: table of f32[4], out: f32[4])", "as a number"),
    "integers behind": ("indirect(table: table of i32[1] in [0, 4), out: f32[4])", "not followed"),
}


def table(*sizes: int, dtype: str = "f32") -> TableArg:
    """A table of vectors."""
    return TableArg(tuple(TensorArg(dtype, (n,), seed=i) for i, n in enumerate(sizes)))


def numbers(*values: int, dtype: str = "i32") -> TensorArg:
    return TensorArg(dtype, (len(values),), values=values)


Calls = list[tuple[Argument, ...]]
RIGHT: dict[str, Calls] = {
    "sizes": [(table(3, 0, 40, 129), numbers(3, 0, 40, 129)), (table(1), numbers(1))],
    "64-bit sizes": [(table(3, 0, 40), numbers(3, 0, 40, dtype="i64"))],
    "larger": [(table(4, 1, 41), numbers(3, 0, 40))],
    "wider": [(table(4, 1, 41, dtype="f64"), numbers(4, 1, 41))],
    "alike": [(table(5, 5, 5), numbers(5, 0, 3))],
    "masked": [(table(4, 4, 4), True, other) for other in (True, False)],
    "members by lane": [(table(*range(1, n + 1)),) for n in (1, 7, 64)],
    "sum": [(table(2, 3, 4),)],
    "select": [(table(4, 0, 20, 1), numbers(4, 0, 20, 1), True)],
    "branch": [(table(4, 0, 40, 1, 33), numbers(4, 0, 40, 1, 33))],
    "others stay": [(table(2, 1), numbers(2, 1), numbers(2, 0), TensorArg("f32", (3,)))],
}
"""Calls that the signatures of PROVED allow."""
WRONG: dict[str, Calls] = {
    "smaller": [(table(2, 0), numbers(3, 1))],
    "narrower": [(table(3, 2, dtype="f16"), numbers(3, 2))],
    "other's size": [(table(1, 2), numbers(3, 1, 2))],
    "alike": [(table(2, 2), numbers(3, 1))],
    "null": [(table(4, 4), False, True)],
    "empty": [(table(0, 1, 2), True, other) for other in (True, False)],
    "empty by lane": [(table(0, 1, 2),)],
    "sum": [(table(1, 2),)],
    "select": [(table(9, 2, 3), numbers(9, 2, 3), False)],
    "sizes overwritten": [(table(3, 1), numbers(3, 1))],
}
"""The same of REFUTED."""


def results_of(call: str) -> list[CaseResult]:
    return prove_all(program_of(FILE, call), ProveOptions())


@pytest.mark.parametrize("name", PROVED)
def test_what_is_read_from_a_table_is_followed(name: str) -> None:
    results = results_of(PROVED[name])
    assert not errors(results)
    assert not undecided(results)
    assert {f.verdict for r in results for f in r.findings} == {Verdict.PROVED}
    assert any("overlap nothing else" in a for r in results for a in r.assumptions)


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


def test_triton_agrees_on_what_is_proved() -> None:
    jobs = [Job(str(FILE), PROVED[name].split("(")[0], call) for name, calls in RIGHT.items() for call in calls]
    for job, outcome in zip(jobs, run_jobs(jobs), strict=True):
        assert (outcome.error, outcome.faults) == ("", ()), job


def test_triton_agrees_on_what_is_refuted() -> None:
    for name, calls in WRONG.items():
        call = REFUTED[name][0]
        seen = run_jobs([Job(str(FILE), call.split("(")[0], args) for args in calls])
        assert not any(o.error for o in seen), name
        lines = {e.line for o in seen for e in o.faults}
        assert {f.span.line for f in errors(results_of(call)) if f.code in ("AR301", "AR302")} == lines, name


def test_of_a_table_of_outputs_four_blocks_are_written_and_initialisation_is_not_followed() -> None:
    program = program_of(FILE, PROVED["sizes"].replace("inout", "out"))
    findings = [f for r in prove_all(program, ProveOptions(checks=("races", "order", "coverage", "init"))) for f in r.findings]
    assert {f.code for f in findings if f.verdict is Verdict.UNKNOWN} == {"AR304", "AR411"}
    assert {f.code for f in findings if f.verdict is Verdict.PROVED} >= {"AR401", "AR402", "AR404"}


@pytest.mark.parametrize("sizes", ["in [-5, -1]", "in {-3, -2}"])
def test_what_holds_of_no_tensor_is_not_proved(sizes: str) -> None:
    call = f"firsts(table: table[g: G] of f32[n[g]], n: i32[G] {sizes}) where G <= 64"
    findings = undecided(prove_all(program_of(FILE, call.replace("firsts", "firsts_of")), ProveOptions()))
    assert "AR905" in {f.reason_code for f in findings}
