"""Answers of the solver against all points of small boxes."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.model import Model, from_atoms
from argus_smt.smt.solver import Solver, range_facts
from tests.unit.smt.sampling import NAMES, Draw, defined

SEEDS = st.integers(0, 2**32)
OPS = ("mul", "div", "mod", "min", "max", "ite")
X, Y, Z = (T.var(n) for n in NAMES)


def question(seed: int) -> tuple[list[T.Term], Bounds, bool]:
    """Facts over a small box, and whether some point of the box meets them."""
    draw = Draw(seed, OPS, widest=5)
    facts = [draw.condition(2) for _ in range(draw.rng.randint(1, 3))]
    return facts, draw.bounds(), any(m.satisfies(facts) for m in draw.points())


@settings(max_examples=120)
@given(SEEDS)
def test_answers_agree_with_all_points_of_a_box(seed: int) -> None:
    facts, bounds, possible = question(seed)
    answer = Solver(rlimit=300_000).unsat(facts, bounds)
    if answer.status == "unsat":
        assert not possible, (facts, bounds.env)
    if answer.model is not None:
        assert answer.status == "sat"
        assert answer.model.satisfies([*facts, *range_facts(facts, bounds)]), (facts, bounds.env, answer.model)


@settings(max_examples=60)
@given(SEEDS)
def test_cheap_answers_agree_with_all_points_of_a_box(seed: int) -> None:
    facts, bounds, possible = question(seed)
    solver = Solver(rlimit=300_000)
    for status in (solver.lean(facts, bounds).status, solver.unsat(facts, bounds, nonlinear=False).status):
        assert status != "unsat" or not possible, (facts, bounds.env)
    if solver.implies(facts[:-1], facts[-1], bounds):
        draw = Draw(seed, OPS, widest=5)
        for m in draw.points():
            if m.satisfies(facts[:-1]) and defined(facts, m):
                assert m.satisfies([facts[-1]]), (facts, m)


@settings(max_examples=60)
@given(SEEDS)
def test_functions_keep_one_value_at_one_point(seed: int) -> None:
    draw = Draw(seed, ("app", "app", "mul"), widest=4)
    facts = [draw.condition(2), draw.condition(1)]
    bounds = draw.bounds()
    answer = Solver(rlimit=300_000).unsat(facts, bounds)
    if answer.model is not None:
        assert answer.model.satisfies([*facts, *range_facts(facts, bounds)])
    if answer.status == "unsat":
        assert not any(draw.point().satisfies(facts) for _ in range(40))


def test_linear_questions_with_products_are_decided() -> None:
    n, s = T.var("n"), T.var("s")
    bounds = Bounds({X: (0, None), n: (1, None), s: (1, None)})
    facts = [T.lt(X, n), T.gt(X * s, (n - 1) * s)]
    assert Solver().unsat(facts, bounds, nonlinear=False).status == "unsat"


def test_rlimit_gives_unknown() -> None:
    hard = [T.eq(X * X * X + Y * Y * Y + Z * Z * Z, 42), T.ge(X, Y), T.ge(Y, Z)]
    answer = Solver(rlimit=2_000).unsat(hard, Bounds())
    assert (answer.status, answer.model) == ("unknown", None)
    assert answer.reason


def test_a_deadline_in_the_past_gives_unknown() -> None:
    late = Solver(deadline=time.monotonic() - 1)
    facts = [T.eq(X * Y, 12), T.ge(X, 2), T.ge(Y, 2)]
    assert late.unsat(facts, Bounds()).status == "unknown"
    assert late.lean(facts, Bounds()).status == "unknown"
    assert late.unsat([T.FALSE], Bounds()).status == "unsat"


def test_a_deadline_ends_a_long_question() -> None:
    started = time.monotonic()
    hard = [T.eq(X * X * X + Y * Y * Y + Z * Z * Z, 42), T.ge(X * X, 1000), T.ge(Y * Y, 1000)]
    answer = Solver(rlimit=2_000_000_000, deadline=started + 1.0).unsat(hard, Bounds())
    assert answer.status == "unknown"
    assert time.monotonic() - started < 5


def test_applications_that_differ_at_one_point_are_no_model() -> None:
    f = [T.app("f", X), T.app("f", Y)]
    assert from_atoms({X: 1, Y: 1, f[0]: 2, f[1]: 3}) is None
    assert from_atoms({X: 1, Y: 2, f[0]: 2, f[1]: 3}) == Model({"x": 1, "y": 2}, {("f", (1,)): 2, ("f", (2,)): 3})
    assert from_atoms({X: 0, T.app("f", T.div(Y, X)): 3}) is None


def test_applications_inside_applications_are_placed_by_their_values() -> None:
    inner = T.app("f", X)
    model = from_atoms({X: 1, inner: 5, T.app("f", inner): 7})
    assert model is not None
    assert model.value(T.app("f", T.app("f", X))) == 7


@pytest.mark.parametrize("nonlinear", [False, True])
def test_variables_that_a_split_drops_keep_to_their_bounds(nonlinear: bool) -> None:
    bounds = Bounds({X: (3, 9), Y: (20, 30), Z: (5, 9)})
    facts = [T.ge(T.minimum(X, T.maximum(Y, Z)) * X, 12)]
    answer = Solver().unsat(facts, bounds, nonlinear=nonlinear)
    if nonlinear:
        assert answer.status == "sat"
    if answer.model is not None:
        assert answer.model.satisfies([*facts, *range_facts(facts, bounds)])


def test_a_zero_divisor_satisfies_nothing() -> None:
    assert not Model({"x": 1, "y": 0}).satisfies([T.eq(T.div(X, Y), 0)])
    with pytest.raises(ZeroDivisionError):
        Model({"x": 1}).value(T.mod(X, Y))
