"""Intervals hold every value that a term takes in the box, and `truth` never says what a point contradicts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds, Interval, meet
from tests.unit.smt.sampling import Draw, value_at

SEEDS = st.integers(0, 2**32)
X, Y = T.var("x"), T.var("y")


def inside(value: int, interval: Interval) -> bool:
    lo, hi = interval
    return (lo is None or lo <= value) and (hi is None or value <= hi)


@settings(max_examples=250)
@given(SEEDS)
def test_every_value_lies_in_the_interval(seed: int) -> None:
    draw = Draw(seed)
    t, bounds = draw.term(), draw.bounds()
    for _ in range(15):
        value = value_at(t, draw.point())
        assert value is None or inside(value, bounds.of(t)), (t, draw.box, bounds.of(t))


@settings(max_examples=150)
@given(SEEDS)
def test_values_lie_in_the_interval_where_ends_are_infinite(seed: int) -> None:
    draw = Draw(seed)
    t = draw.term()
    env = {T.var(n): draw.rng.choice(((lo, None), (None, hi), (lo, hi), (None, None))) for n, (lo, hi) in draw.box.items()}
    bounds = Bounds(env, {"f": (-3, None)})
    for _ in range(15):
        value = value_at(t, draw.point())
        assert value is None or inside(value, bounds.of(t)), (t, env, bounds.of(t))


@settings(max_examples=200)
@given(SEEDS)
def test_truth_agrees_with_every_point(seed: int) -> None:
    draw = Draw(seed)
    c, bounds = draw.condition(3), draw.bounds()
    known = bounds.truth(c)
    for _ in range(15):
        value = value_at(c, draw.point())
        assert known is None or value is None or bool(value) is known, (c, draw.box)


@settings(max_examples=200)
@given(SEEDS)
def test_what_is_learnt_of_facts_holds_wherever_they_do(seed: int) -> None:
    draw = Draw(seed, ops=("div", "mod", "min", "app", "mul"))
    facts = [draw.condition(1) for _ in range(2)]
    t, bounds = draw.term(2), draw.bounds()
    before = bounds.of(t)
    bounds.learn(facts)
    after = bounds.of(t)
    for _ in range(30):
        model = draw.point()
        value = value_at(t, model)
        if value is not None and model.satisfies(facts):
            assert inside(value, after), (facts, t, draw.box)
            assert inside(value, before)


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        (T.ge(3 * X, 7), (3, None)),
        (T.ge(3 * X, -7), (-2, None)),
        (T.le(3 * X, 7), (None, 2)),
        (T.le(3 * X, -7), (None, -3)),
        (T.eq(2 * X, 10), (5, 5)),
        (T.and_(T.ge(X, 1), T.lt(X, 9)), (1, 8)),
        (T.or_(T.ge(X, 1), T.lt(Y, 9)), (None, None)),
        (T.ge(X + Y, 1), (None, None)),
    ],
)
def test_learning_rounds_towards_the_inside(fact: T.Term, expected: Interval) -> None:
    bounds = Bounds()
    bounds.learn([fact])
    assert bounds.of(X) == expected


def test_a_square_is_not_negative() -> None:
    bounds = Bounds({X: (-3, 2)})
    assert bounds.of(X * X) == (0, 9)
    assert bounds.of(X * X * X)[0] is not None
    assert Bounds().of(X * X) == (0, None)


def test_a_copy_learns_alone() -> None:
    first = Bounds({X: (0, 9)})
    second = first.copy()
    second.narrow(X, (3, None))
    assert (first.of(X), second.of(X)) == ((0, 9), (3, 9))


def test_bounds_that_contradict_are_an_empty_interval() -> None:
    lo, hi = meet((5, None), (None, 3))
    assert lo is not None
    assert hi is not None
    assert lo > hi


def test_a_function_is_bounded_by_its_name() -> None:
    bounds = Bounds(functions={"f": (0, 3)})
    assert bounds.of(2 * T.app("f", X) + 1) == (1, 7)
    bounds.narrow(T.app("f", Y), (2, None))
    assert bounds.of(T.app("f", Y)) == (2, 3)
    assert bounds.of(T.app("f", X)) == (0, 3)
