"""Bounds of quotients hold wherever the facts do, and are found where a bound is a multiple of the divisor."""

from __future__ import annotations

import itertools
import random

import pytest

from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.model import Model
from argus_smt.smt.quotients import quotient_bounds
from argus_smt.smt.term import Term

P, Q, R, C = (T.var(n) for n in "pqrc")
MONOMIALS = [P, Q, R, C, R * C, P * C, R * R]
BOX = Bounds({P: (0, None), Q: (0, 3), R: (1, None), C: (1, None)})


@pytest.mark.parametrize(
    ("a", "b", "facts", "bound"),
    [
        (4 * P + Q, 2 * C, [T.lt(P, 4 * R * C)], 8 * R - 1),
        (4 * P + Q, C, [T.lt(4 * P + Q, R * C)], R - 1),
        (P, C, [T.le(P, R * C)], R),
        (P, C, [T.le(P, R * C + 1)], None),
        (P, C * R, [T.lt(P, 5 * C * R)], T.const(4)),
        (P - Q, C, [T.lt(P, R * C)], R - 1),
    ],
)
def test_a_bound_that_is_a_multiple(a: Term, b: Term, facts: list[Term], bound: Term | None) -> None:
    atom = T.div(a, b)
    found = quotient_bounds([atom], facts, BOX)
    assert (bound is None and not found) or (bound is not None and T.le(atom, bound) in found)


def test_bounds_hold_wherever_the_facts_do() -> None:
    rng = random.Random(3)
    names = ("p", "q", "r", "c")
    said = 0
    for _ in range(1500):
        box = {n: (rng.randint(-2, 1), rng.choice((None, 2, 4))) for n in names}
        bounds = Bounds({T.var(n): (low, high if high is None else max(high, low)) for n, (low, high) in box.items()})

        def some(most: int) -> Term:
            return T.add(
                *(rng.randint(-3, 3) * rng.choice(MONOMIALS) for _ in range(rng.randint(1, most))), T.const(rng.randint(-3, 3))
            )

        atom = T.div(some(3), rng.choice((C, 2 * C, R * C, R)))
        facts = [T.nonneg(some(3)) for _ in range(4)] + [T.le(rng.choice((P, Q)), some(2)) for _ in range(2)]
        found = quotient_bounds([atom] if atom.op == "div" else [], facts, bounds)
        if not found:
            continue
        said += 1
        for point in itertools.product(range(-2, 5), repeat=4):
            model = Model(dict(zip(names, point, strict=True)))
            inside = all(
                low <= v <= (v if high is None else max(high, low)) for v, (low, high) in zip(point, box.values(), strict=True)
            )
            if inside and model.satisfies(facts) and model.value(atom.args[1]):
                assert model.satisfies(found), (atom, facts, box, point)
    assert said > 30


def test_a_divisor_that_may_be_negative_or_zero_gives_nothing() -> None:
    atom = T.div(P, C)
    assert not quotient_bounds([atom], [T.lt(P, R * C)], Bounds({P: (0, None), C: (0, None)}))
