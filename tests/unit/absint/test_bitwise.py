"""Bitwise operations that are arithmetic in disguise, against Python's on every eight-bit number."""

from __future__ import annotations

import pytest

from argus_smt.absint.bitwise import _masked, _same
from argus_smt.smt import term as T

X = T.var("x")
PYTHON = {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b}


@pytest.mark.parametrize("fn", PYTHON)
def test_masks(fn: str) -> None:
    exact = 0
    for mask in range(-128, 128):
        for made in (_masked(fn, X, T.const(mask)), _masked(fn, T.const(mask), X)):
            if made is not None:
                exact += 1
                assert all(T.evaluate(made, lambda *_, x=x: x) == PYTHON[fn](x, mask) for x in range(-128, 128)), mask
    assert exact >= (2 * 37 if fn == "and" else 4)


@pytest.mark.parametrize("fn", PYTHON)
def test_a_number_with_itself(fn: str) -> None:
    made = _same(fn, X, X)
    assert made is not None
    assert all(T.evaluate(made, lambda *_, x=x: x) == PYTHON[fn](x, x) for x in range(-8, 8))
