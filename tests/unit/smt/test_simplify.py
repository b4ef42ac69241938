"""Simplified terms equal the original in the box; case splits neither lose nor invent a point."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.simplify import simplify
from argus_smt.smt.split import MAX_SPLITS, cases
from tests.unit.smt.sampling import Draw, defined, value_at

SEEDS = st.integers(0, 2**32)
X, Y, Z = T.var("x"), T.var("y"), T.var("z")


@settings(max_examples=250)
@given(SEEDS)
def test_a_simplified_term_is_equal_in_the_box(seed: int) -> None:
    draw = Draw(seed)
    t = draw.term() if seed % 3 else draw.condition()
    simpler = simplify(t, draw.bounds())
    for _ in range(15):
        model = draw.point()
        value = value_at(t, model)
        assert value is None or value_at(simpler, model) == value, (t, simpler, draw.box)


def test_what_does_nothing_is_removed() -> None:
    bounds = Bounds({X: (0, 7), Y: (8, 20), Z: (1, None)})
    assert simplify(T.mod(X, T.const(8)), bounds) is X
    assert simplify(T.div(X, T.const(8)), bounds) is T.ZERO
    assert simplify(T.minimum(X, Y), bounds) is X
    assert simplify(T.ite(T.lt(X, Y), X + Z, Z), bounds) is X + Z
    assert simplify(T.ge(Z, 1), bounds) is T.TRUE
    assert simplify(T.lt(X, Z), bounds) is T.lt(X, Z)
    assert simplify(T.mod(X, Z), bounds) is T.mod(X, Z)


@settings(max_examples=250)
@given(SEEDS, st.integers(0, MAX_SPLITS))
def test_facts_hold_where_one_of_their_cases_does(seed: int, splits: int) -> None:
    draw = Draw(seed, ops=("mul", "div", "mod", "min", "max", "ite"))
    facts = [draw.condition(2) for _ in range(2)]
    bounds = draw.bounds()
    leaves = list(cases(facts, bounds, splits))
    for _ in range(25):
        model = draw.point()
        if defined([*facts, *(f for leaf in leaves for f in leaf)], model):
            held = model.satisfies(facts)
            assert any(model.satisfies(leaf) for leaf in leaves) == held, (facts, leaves, draw.box, model)


def test_a_fact_that_pins_a_quotient_is_not_folded_away() -> None:
    q = T.div(X, T.const(4))
    facts = [T.eq(q, 3), T.ge(T.maximum(Y, Z) * Y, q)]
    for leaf in cases(facts, Bounds({X: (0, 100), Y: (0, 9), Z: (0, 9)})):
        bounds = Bounds()
        bounds.learn(leaf)
        assert bounds.of(q) == (3, 3)


def test_a_contradiction_has_no_case() -> None:
    assert list(cases([T.FALSE, T.ge(X, 0)], Bounds())) == []
