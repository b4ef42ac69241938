"""Candidates for writers against all of them: for maps that are mixed-radix sums, the first candidate is right everywhere."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argus_smt.encodings.digits import Candidate, Digit, Names
from argus_smt.encodings.inverse import Problem, candidates
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.model import Model
from argus_smt.smt.term import Term

E, P, K, X, Y = (T.var(n) for n in ("$e", "$p0", "$k0", "$i0", "$i1"))
N, G = T.var("n"), T.var("g")


def problem(index: Term, tops: dict[Term, Term], target: Term = E, side: tuple[tuple[Term, Term], ...] = ()) -> Problem:
    bounds = Bounds()
    bounds.learn([T.ge(N, 1), T.ge(G, 1), *(T.ge(u, 0) for u in tops), T.ge(E, 0)])
    return Problem(((index, target),), tuple(tops), tops, bounds, Names(), side)


def values(found: Candidate, at: dict[str, int]) -> dict[Term, int]:
    """The numbers that a candidate gives for the unknowns where the symbols and the target have values."""
    known = dict(at)
    for d in found.definitions:
        assert isinstance(d, Digit)
        q, r = divmod(Model(known).value(d.total), Model(known).value(d.by))
        known |= {d.quotient.data: q, d.remainder.data: r}
    return {u: Model(known).value(t) for u, t in found.values.items()}


def right(found: Candidate, index: Term, tops: dict[Term, Term], at: dict[str, int]) -> bool:
    """Whether the unknowns are in range and give the target."""
    chosen = values(found, at)
    here = Model({**at, **{u.data: v for u, v in chosen.items()}})
    return all(0 <= chosen[u] < here.value(top) for u, top in tops.items()) and here.value(index) == at[E.data]


SUMS = {
    "a tile": (P * 8 + X, {P: N, X: T.const(8)}, 8),
    "strided lanes": (P + X * N, {P: N, X: T.const(4)}, 4),
    "programs counted backwards": ((N - 1 - P) * 4 + X, {P: N, X: T.const(4)}, 4),
    "lanes counted backwards": (P * 4 + 3 - X, {P: N, X: T.const(4)}, 4),
    "a row and a column": (T.div(P, N) * (N * 4) + T.mod(P, N) * 4 + X, {P: N * 3, X: T.const(4)}, 12),
    "turned axes": (T.mod(P, T.const(3)) * N + T.div(P, T.const(3)), {P: N * 3}, 3),
    "a persistent loop": ((P + K * 5) * 2 + X, {P: T.const(5), K: N, X: T.const(2)}, 10),
    "digits in digits": (
        T.mod(T.div(P, T.const(2)), T.const(3)) * 2 + T.mod(P, T.const(2)) + T.div(P, T.const(6)) * 6, {P: N * 6}, 6,
    ),
    "a trip for each column": (P * (N * 2) + K * 2 + X, {P: T.const(3), K: N, X: T.const(2)}, 6),
}  # fmt: skip


@pytest.mark.parametrize("name", SUMS)
def test_sums_are_inverted(name: str) -> None:
    index, tops, per = SUMS[name]
    first = next(candidates(problem(index, tops)))
    for n in range(1, 6):
        for e in range(per * n):
            assert right(first, index, tops, {"n": n, E.data: e}), (n, e, first.values)


def test_grouped_order_is_inverted() -> None:
    """Row and column of a tile in groups of 3 rows, the last of which is lower."""
    first_row = T.div(P, N * 3) * 3
    height = T.minimum(G - first_row, T.const(3))
    inside = T.mod(P, N * 3)
    row, column = first_row + T.mod(inside, height), T.div(inside, height)
    ends = problem(row, {P: N * G})
    made = Problem(((row, E), (column, Y)), (P,), {P: N * G}, ends.bounds, Names())
    first = next(candidates(made))
    for n, g in product(range(1, 5), range(1, 8)):
        for r, c in product(range(g), range(n)):
            pid = values(first, {"n": n, "g": g, E.data: r, Y.data: c})[P]
            here = Model({"n": n, "g": g, P.data: pid})
            assert 0 <= pid < n * g
            assert (here.value(row), here.value(column)) == (r, c)


def test_a_choice_gives_a_candidate_a_side() -> None:
    index = T.ite(T.lt(P, 4), P * 2, P)
    found = list(candidates(problem(index, {P: T.const(9)})))
    assert {c.conditions for c in found} == {(T.lt(P, 4),), (T.ge(P, 4),)}


def test_unknowns_that_nothing_needs_are_first_or_last() -> None:
    found = list(candidates(problem(X, {P: N, X: T.const(4)})))
    assert {c.values[P] for c in found} == {T.ZERO, N - 1}


def test_side_equations_settle_what_is_left() -> None:
    found = next(candidates(problem(X, {P: N, X: T.const(4)}, side=((P - 2, T.ZERO),))))
    assert found.values[P] is T.const(2)


def test_what_a_run_decides_is_not_chosen() -> None:
    """A number known roughly cannot be given a value: nothing is claimed of the unknowns in it."""
    rough = T.app("?v1", X)
    found = next(candidates(problem(rough, {X: T.const(4)})))
    assert not found.claims


@st.composite
def mixed(draw: st.DrawFn) -> tuple[Term, dict[Term, Term], int]:
    """Digits of several unknowns in any order, some of them inside a program id."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    sizes = [rng.randint(1, 4) for _ in range(rng.randint(2, 5))]
    atoms: list[Term] = []
    tops: dict[Term, Term] = {}
    inside = [s for s in sizes if rng.random() < 0.5]
    below = 1
    for s in inside:  # these are digits of the program id
        atoms.append(T.mod(T.div(P, T.const(below)), T.const(s)))
        below *= s
    if inside:
        tops[P] = T.const(below)
    ranges = list(inside)
    for j in range(len(sizes) - len(inside)):
        name = T.var(f"$i{j}")
        size = rng.randint(1, 4)
        atoms.append(name)
        tops[name] = T.const(size)
        ranges.append(size)
    order = list(range(len(atoms)))
    rng.shuffle(order)
    index, weight = T.ZERO, 1
    for i in order:
        index = index + atoms[i] * weight
        weight *= ranges[i]
    return index, tops, weight


@settings(max_examples=150, deadline=None)
@given(mixed())
def test_mixed_radix_maps_are_inverted(made: tuple[Term, dict[Term, Term], int]) -> None:
    index, tops, count = made
    first = next(candidates(problem(index, tops)))
    assert all(right(first, index, tops, {"n": 1, E.data: e}) for e in range(count)), (index, first)
