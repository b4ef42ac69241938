"""Proofs by cases of a hypothesis, against all points of a box."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product

import pytest

from argus_smt.smt import term as T
from argus_smt.smt.alternatives import by_alternatives
from argus_smt.smt.interval import Bounds
from argus_smt.smt.solver import Solver
from argus_smt.smt.term import Term

M, N, S, R = (T.var(n) for n in ("m", "n", "s", "r"))
BOX = range(4)


def implied(facts: Sequence[Term], goal: Term, bounds: Bounds) -> bool:
    return Solver(rlimit=100_000).unsat([*facts, T.not_(goal)], bounds, nonlinear=False).status == "unsat"


def follows(facts: Sequence[Term], goal: Term) -> bool:
    """Whether the goal holds at all points of the box that meet the facts."""
    for point in product(BOX, repeat=4):
        values = dict(zip(("m", "n", "s", "r"), point, strict=True))
        if all(value(f, values) for f in facts) and not value(goal, values):
            return False
    return True


def value(t: Term, values: dict[str, int]) -> bool:
    return bool(T.evaluate(t, lambda node, _: values[node.data]))


def test_a_row_whose_length_or_stride_is_one() -> None:
    """Element c of row r lies inside, where the columns are one apart or there is one of them and the rows are dense."""
    facts = [*(T.ge(v, 1) for v in (M, N)), T.ge(S, 0), T.ge(R, 0), T.lt(R, N)]
    either = T.or_(T.eq(S, 1), T.eq(N, 1))
    goal = T.le(R, (N - 1) * S)
    bounds = Bounds()
    bounds.learn(facts)
    assert by_alternatives([*facts, either], goal, bounds, implied)
    assert not by_alternatives([*facts, T.or_(T.eq(S, 0), T.eq(N, 1))], goal, bounds, implied)
    assert not by_alternatives(facts, goal, bounds, implied)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_shown_holds_everywhere(seed: int) -> None:
    draw = random.Random(seed)
    names = (M, N, S, R)

    def side() -> Term:
        return draw.choice((draw.choice(names), T.const(draw.choice(BOX)), draw.choice(names) + draw.choice((-1, 1))))

    def atom() -> Term:
        return draw.choice((T.eq, T.eq, T.le, T.ne))(draw.choice(names), side())

    facts = [T.or_(*(T.and_(*(atom() for _ in range(draw.randint(1, 2)))) for _ in range(2))) for _ in range(2)]
    facts += [p for v in names for p in (T.ge(v, 0), T.le(v, BOX[-1]))]
    goal = draw.choice((T.le(M * S, N * R + draw.choice((0, 2))), T.le(M, N), T.ne(M, S)))
    bounds = Bounds()
    bounds.learn(facts)
    if by_alternatives(facts, goal, bounds, implied):
        assert follows(facts, goal)
