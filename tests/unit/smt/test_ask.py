"""Small questions: answers about products that the solver alone may not give, against all points of a box."""

from __future__ import annotations

from itertools import product

import pytest

from argus_smt.smt import term as T
from argus_smt.smt.ask import Session

A, B, N = T.var("a"), T.var("b"), T.var("n")
POSITIVE = (T.ge(A, 1), T.ge(B, 1), T.ge(N, 1))


@pytest.mark.parametrize("low", [-1, 0, 1])
@pytest.mark.parametrize("end", [0, 1, 5, 6])
@pytest.mark.parametrize("times", [1, 2])
def test_what_a_product_says_of_its_factors(low: int, end: int, times: int) -> None:
    hypotheses = [*(T.ge(v, low) for v in (A, B)), T.ge(N, low), T.le(times * (A * B * N), end)]
    for bound in range(8):
        holds = all(n <= bound for a, b, n in product(range(low, 9), repeat=3) if times * a * b * n <= end)
        answer = Session().implied(hypotheses, T.le(N, bound))
        assert answer in (holds, None), (low, end, times, bound)
        if low == 1:
            assert answer is holds


def test_a_product_in_a_choice() -> None:
    either = T.or_(T.eq(N, 1), T.le(A * B * N, 1))
    assert Session().implied([*POSITIVE, either], T.le(N, 1)) is True
    assert Session().implied([*POSITIVE, T.or_(T.eq(N, 2), T.le(A * B * N, 1))], T.le(N, 1)) is not True
