"""Suggested preconditions do make the duty hold, and some shape still meets them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from argus_smt.prove import suggest as suggesting
from argus_smt.prove.suggest import suggest
from argus_smt.smt import term as T
from argus_smt.smt.show import parse_term
from argus_smt.smt.term import Term
from tests.unit.prove.contexts import BLOCK, M, N, context, program, reader


@pytest.mark.parametrize(
    ("masked", "facts", "wanted"),
    [
        pytest.param(False, (), "n % 16 == 0", id="no mask"),
        pytest.param(True, (), "n % 16 == 0", id="mask of another size"),
        pytest.param(True, (T.eq(T.mod(N, T.const(BLOCK)), 3),), "n == m", id="mask of another size, never divisible"),
    ],
)
def test_the_first_precondition_that_is_enough(masked: bool, facts: tuple[Term, ...], wanted: str) -> None:
    made = program(reader(masked), *facts)
    found, duty = context(made)
    assert found.prover.decide(duty).status != "proved"
    text = suggest(found, duty)
    assert text == wanted
    again, moved = context(program(reader(masked), *facts, parse_term(text)))
    assert again.prover.decide(moved).status == "proved"


def test_nothing_is_suggested_that_no_shape_meets() -> None:
    odd = (T.eq(T.mod(N, T.const(BLOCK)), 3), T.eq(M, N + 5))
    found, duty = context(program(reader(masked=True), *odd))
    text = suggest(found, duty)
    assert "%" not in text
    assert text != "n == m"


def test_the_solver_keeps_its_effort_and_the_search_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    found, duty = context(program(reader(masked=False)))
    before = found.prover.solver.rlimit
    suggest(found, duty)
    assert found.prover.solver.rlimit == before
    monkeypatch.setattr(suggesting, "SECONDS", -1.0)
    assert suggest(found, duty) == ""


def test_duties_that_no_symbol_helps_have_no_suggestion() -> None:
    found, duty = context(program(reader(masked=False)))
    assert suggest(found, replace(duty, goal=T.FALSE)) == ""
