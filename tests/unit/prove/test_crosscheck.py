"""A second solver: it confirms right answers, and a wrong one of the first solver costs the proof."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from argus_smt.cli import main
from argus_smt.ir.launch import Program
from argus_smt.prove.case import prove_case
from argus_smt.prove.finding import CHECKS, CaseResult, ProveOptions, Verdict
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.linear import LinearSolver
from argus_smt.smt.second import opinion
from argus_smt.smt.solver import Claims, Solver
from tests.integration.pipeline import program_of

REFUTED = Path(__file__).resolve().parents[3] / "examples" / "refuted" / "silu.py"
PROVED = Path(__file__).resolve().parents[3] / "examples" / "triton" / "vector_add.py"
N, M = T.var("n"), T.var("m")


@pytest.fixture(scope="module")
def programs() -> Callable[[Path], Program]:
    known: dict[Path, Program] = {}
    return lambda path: known.setdefault(path, program_of(path))


def checked(program: Program, **more: Any) -> CaseResult:
    return prove_case(program, 0, 0, ProveOptions(cross_check="cvc5", checks=CHECKS, **more))


def test_it_confirms_a_proof(programs: Callable[[Path], Program]) -> None:
    found = checked(programs(PROVED))
    agreed, unanswered, contradicted = found.cross
    assert agreed > 0
    assert unanswered == contradicted == 0
    assert all(f.verdict is Verdict.PROVED for f in found.findings)


def test_a_wrong_answer_of_the_first_solver_is_no_proof(
    programs: Callable[[Path], Program], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = programs(REFUTED)
    monkeypatch.setattr(LinearSolver, "check", lambda self, facts: ("unsat", None))
    alone = prove_case(program, 0, 0, ProveOptions(checks=("memory",)))
    assert any(f.code == "AR302" and f.verdict is Verdict.PROVED for f in alone.findings), "the fault was not planted"
    found = checked(program)
    assert found.cross[2] > 0
    assert not [f for f in found.findings if f.verdict is Verdict.PROVED]
    assert any(f.reason_code == "AR906" and "cvc5" in f.reason for f in found.findings)
    assert any("check-sat" in text for text in found.internal)


def test_refuted_stays_refuted(programs: Callable[[Path], Program]) -> None:
    found = checked(programs(REFUTED))
    assert any(f.verdict is Verdict.REFUTED and f.code == "AR302" for f in found.findings)
    assert found.cross[2] == 0


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ((T.ge(N, 1), T.lt(N * N, N)), "unsat"),
        ((T.ge(N, 1), T.ge(T.div(N, M), 3), T.gt(M, 0)), "sat"),
        ((T.lt(T.mod(N, M), 0), T.gt(M, 0)), "unsat"),
        ((T.gt(T.app("m0:i32", N), T.app("m0:i32", M)), T.eq(N, M)), "unsat"),
    ],
)
def test_questions_reach_it_as_they_are(facts: tuple[T.Term, ...], said: str) -> None:
    assert opinion(Solver().text(facts), 5000) == said


def test_claims_hold_the_intervals_that_were_used() -> None:
    claims, bounds = Claims(), Bounds({N: (0, 7)})
    assert Solver(claims=claims).unsat([T.ge(N, 8)], bounds).status == "unsat"
    ((facts,),) = [tuple(claims.made.values())]
    assert opinion(Solver().text(facts), 5000) == "unsat"
    assert Solver(claims=Claims()).unsat([T.ge(N, 7)], bounds).status == "sat"


def run(*more: str) -> tuple[int, str, str]:
    out, err = StringIO(), StringIO()
    return main(["prove", str(PROVED), "--cross-check", "cvc5", "--no-cache", *more], out, err), out.getvalue(), err.getvalue()


def test_no_second_solver_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("argus_smt.cli.prove.installed", lambda name: False)
    code, out, err = run()
    assert (code, out) == (2, "")
    assert "cvc5 is not installed; `pip install cvc5` brings it" in err


def test_the_report_counts_its_answers() -> None:
    code, out, _ = run("--format", "json")
    crossed = json.loads(out)["kernels"][0]["cross_check"]
    assert code == 0
    assert crossed["agreed"] > 0
    assert f"cvc5 gives {crossed['agreed']} of {crossed['agreed']} answers too" in run()[1]
