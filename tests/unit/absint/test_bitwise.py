"""Bitwise operations that are arithmetic in disguise, against Python's on every eight-bit number."""

from __future__ import annotations

import pytest

from argus_smt.absint.bitwise import _below_a_power, _chosen, _masked, _same
from argus_smt.absint.facts import Facts
from argus_smt.absint.state import State
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds, Interval

X = T.var("x")


def state(env: dict[T.Term, Interval]) -> State:
    """A state that knows intervals and nothing else."""
    return State((), {}, (T.ONE, T.ONE, T.ONE), frozenset(), {}, Facts(Bounds(env)))


PYTHON = {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b}


@pytest.mark.parametrize("fn", PYTHON)
def test_masks(fn: str) -> None:
    exact = 0
    for mask in range(-128, 128):
        for made in (_masked(fn, X, T.const(mask)), _masked(fn, T.const(mask), X)):
            if made is not None:
                exact += 1
                assert all(T.evaluate(made, lambda *_, x=x: x) == PYTHON[fn](x, mask) for x in range(-128, 128)), mask
    assert exact == 2 * 256, "no number of eight bits has more than four runs of ones"


def test_a_mask_of_many_runs_is_left_alone() -> None:
    assert _masked("and", X, T.const(0b1010101010)) is None


@pytest.mark.parametrize("fn", PYTHON)
@pytest.mark.parametrize("few", [(-1, 0), (0, 1), (0, 0), (1, 1), (-1, -1)])
def test_signs_and_conditions(fn: str, few: tuple[int, int]) -> None:
    y = T.var("y")
    made = _chosen(state({y: few}), fn, X, y)
    assert made is not None
    for x in range(-8, 8):
        for number in few:
            assert T.evaluate(made, lambda t, _, x=x, n=number: n if t is y else x) == PYTHON[fn](x, number)


def test_other_small_numbers_are_no_choice() -> None:
    y = T.var("y")
    assert _chosen(state({y: (-1, 1)}), "and", X, y) is None
    assert _chosen(state({y: (1, 2)}), "and", X, y) is None


@pytest.mark.parametrize("fn", ["or", "xor"])
@pytest.mark.parametrize("high", [0, 1, 5, 7])
def test_only_low_digits_change(fn: str, high: int) -> None:
    y = T.var("y")
    made = _below_a_power(state({y: (0, high)}), fn, X, y)
    assert made is not None
    above, (low, top) = made
    assert low is not None
    assert top is not None
    for x in range(-20, 20):
        for number in range(high + 1):
            rest = PYTHON[fn](x, number) - T.evaluate(above, lambda *_, x=x: x)
            assert low <= rest <= top


@pytest.mark.parametrize("fn", PYTHON)
def test_a_number_with_itself(fn: str) -> None:
    made = _same(fn, X, X)
    assert made is not None
    assert all(T.evaluate(made, lambda *_, x=x: x) == PYTHON[fn](x, x) for x in range(-8, 8))
