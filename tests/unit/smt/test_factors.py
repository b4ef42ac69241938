"""Facts whose products come from two factors."""

from __future__ import annotations

import random
from itertools import product

import pytest

from argus_smt.smt import term as T
from argus_smt.smt.factors import factors
from argus_smt.smt.interval import Bounds
from argus_smt.smt.solver import Solver
from argus_smt.smt.term import Term

NAMES = tuple(T.var(n) for n in "abcdxy")
A, B, C, D, X, Y = NAMES


def test_two_sums_are_found() -> None:
    fact = T.nonneg(X - A * B + A * C + 8 * D * B - 8 * D * C)
    found = factors(fact)
    assert found is not None
    left, right = found
    assert left * right is -(A - 8 * D) * (B - C)


@pytest.mark.parametrize("fact", [A * B + A * C + D * B, A * B * C + A * D, A * B + C * D, A * A + A * B, A + B])
def test_other_facts_have_none(fact: Term) -> None:
    assert factors(T.nonneg(fact - X)) is None


@pytest.mark.parametrize("seed", range(60))
def test_the_product_is_what_the_fact_holds(seed: int) -> None:
    draw = random.Random(seed)
    left, right = (
        T.add(T.ZERO, *(T.scale(v, draw.choice((-8, -1, 1, 2, 3))) for v in draw.sample(side, draw.randint(1, 3))))
        for side in (NAMES[:3], NAMES[3:])
    )
    fact = T.nonneg(left * right + draw.choice((X, A, T.const(3))))
    found = factors(fact)
    products = {m: c for m, c in T.poly(fact.args[0]).items() if len(m) > 1}
    if found is None:
        assert len(products) < 2
    else:
        assert T.poly(found[0] * found[1]) == products


def test_a_grouped_order_stays_in_its_grid() -> None:
    """Program (g, r, c) of a last group of `rows - 8 * g` rows has a number below `rows * columns`, however terms are ordered."""
    names = ["rows", "columns", "g", "r", "c"]
    for order in list(product(range(5), repeat=2))[:12]:
        shuffled = sorted(names, key=lambda n: (names.index(n) * (order[0] + 1) + order[1]) % 7)
        v = {n: T.var(n) for n in shuffled}
        facts = [T.ge(v[n], 0) for n in names] + [T.lt(v["c"], v["columns"]), T.lt(v["r"], v["rows"] - 8 * v["g"])]
        number = 8 * v["g"] * v["columns"] + v["c"] * (v["rows"] - 8 * v["g"]) + v["r"]
        bounds = Bounds()
        bounds.learn(facts)
        denied = T.not_(T.lt(number, v["rows"] * v["columns"]))
        assert Solver().unsat([*facts, denied], bounds, nonlinear=False).status == "unsat"
        wrong = T.not_(T.lt(number, v["rows"] * v["columns"] - 1))
        assert Solver().unsat([*facts, wrong], bounds, nonlinear=False).status != "unsat"
