"""Every fact that linearisation adds follows from the facts given."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from argus_smt.smt import term as T
from argus_smt.smt.saturate import atoms_of, definitions, interval_facts, relevant, remove_mod, saturate
from tests.unit.smt.sampling import Draw, defined, value_at

SEEDS = st.integers(0, 2**32)


@settings(max_examples=150)
@given(SEEDS)
def test_added_facts_hold_wherever_the_given_ones_do(seed: int) -> None:
    draw = Draw(seed)
    facts = [draw.condition(2) for _ in range(3)]
    bounds = draw.bounds()
    bounds.learn(facts)
    added = saturate(facts, bounds)
    held = 0
    for _ in range(60):
        model = draw.point()
        if model.satisfies(facts) and defined([*facts, *added], model):
            held += 1
            for f in added:
                assert model.satisfies([f]), (f, facts, draw.box, model.variables)
        if held > 8:
            break


@settings(max_examples=150)
@given(SEEDS)
def test_products_of_facts_hold_wherever_the_facts_do(seed: int) -> None:
    draw = Draw(seed, ops=("mul", "mul", "mul"), widest=6)
    facts = [T.ge(draw.term(2), draw.rng.randint(-9, 4)) for _ in range(4)]
    bounds = draw.bounds()
    bounds.learn(facts)
    added = saturate(facts, bounds)
    for _ in range(60):
        model = draw.point()
        if model.satisfies(facts):
            assert model.satisfies(added), (facts, draw.box, model.variables)


@settings(max_examples=150)
@given(SEEDS)
def test_definitions_and_intervals_of_atoms_hold_everywhere(seed: int) -> None:
    draw = Draw(seed)
    atoms = atoms_of([draw.term()])
    bounds = draw.bounds()
    said = [f for a in atoms for f in (*definitions(a, bounds), *interval_facts(a, bounds))]
    for _ in range(15):
        model = draw.point()
        if defined([*atoms, *said], model):
            assert model.satisfies(said), (atoms, said, model.variables)


@settings(max_examples=150)
@given(SEEDS)
def test_a_remainder_is_what_its_quotient_leaves(seed: int) -> None:
    draw = Draw(seed)
    t = draw.term()
    written = remove_mod(t, {})
    assert not any(a.op == "mod" for a in _nodes(written))
    for _ in range(15):
        model = draw.point()
        if defined([t, written], model):
            assert value_at(written, model) == value_at(t, model), (t, written, model.variables)


def _nodes(t: T.Term) -> set[T.Term]:
    return {t}.union(*(_nodes(a) for a in t.args))


@settings(max_examples=60)
@given(SEEDS, st.integers(0, 3))
def test_relevant_facts_are_among_the_facts(seed: int, depth: int) -> None:
    draw = Draw(seed)
    facts = [draw.condition(1) for _ in range(5)]
    goal = T.ge(T.var("x"), 0)
    chosen = relevant(facts, goal, depth)
    assert [f for f in facts if f in chosen] == chosen
    if depth:
        assert all(f in chosen for f in facts if T.var("x") in f.free)


def test_facts_that_share_an_unknown_are_found_at_their_distance() -> None:
    a, b, c = (T.var(n) for n in "abc")
    facts = [T.le(a, b), T.le(b, c), T.le(c, 5)]
    assert [len(relevant(facts, T.ge(a, 0), depth)) for depth in range(4)] == [0, 1, 2, 3]
