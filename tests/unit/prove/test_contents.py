"""Completion of contents: what is made satisfies what is stated, and simple systems are always completed."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from argus_smt.prove.contents import Concrete, complete, satisfies

small = st.integers(-2, 4)


@st.composite
def statements(draw: st.DrawFn) -> Concrete:
    low = draw(st.integers(-2, 1))
    high = low + draw(st.integers(0, 4))
    step = draw(st.none() | st.tuples(st.integers(-1, 1), st.integers(1, 3)))
    kind = draw(st.sampled_from(["", "distinct", "except", "covering"]))
    return Concrete(
        low, high,
        distinct=kind == "distinct",
        repeats=draw(small) if kind == "except" else None,
        step=step,
        covering=(low, low + 1) if kind == "covering" and high > low else None,
    )  # fmt: skip


@given(statements(), st.integers(1, 4), st.dictionaries(st.integers(0, 3), small, max_size=2), st.none() | st.integers(0, 9))
def test_what_is_completed_satisfies_everything(stated: Concrete, n: int, fixed: dict[int, int], seed: int | None) -> None:
    points = {(i,): v for i, v in fixed.items() if i < n}
    made = complete((n,), stated, points, None if seed is None else Random(seed))
    if made is not None:
        assert satisfies(made, stated)
        assert all(made[at] == v for at, v in points.items())
        assert made.min() >= stated.low
        assert made.max() <= stated.high


@given(statements(), st.integers(1, 4), st.dictionaries(st.integers(0, 3), small, max_size=2))
def test_order_alone_or_difference_alone_is_always_completed(stated: Concrete, n: int, fixed: dict[int, int]) -> None:
    if stated.step is not None and (stated.distinct or stated.repeats is not None or stated.covering):
        return
    points = {(i,): v for i, v in fixed.items() if i < n}
    possible = any(
        satisfies(np.array(row, dtype=object), stated) and all(row[i] == v for (i,), v in points.items())
        for row in product(range(stated.low, stated.high + 1), repeat=n)
    )
    assert (complete((n,), stated, points) is not None) == possible


def test_elements_outside_of_the_tensor_have_no_contents() -> None:
    assert complete((2,), Concrete(0, 9, elements=(((5,), 1),)), {}) is None


def test_rows_are_completed_one_by_one() -> None:
    made = complete((2, 3), Concrete(0, 5, step=(0, 10)), {(0, 2): 1, (1, 0): 4})
    assert made is not None
    assert made.tolist() == [[0, 0, 1], [4, 4, 4]]
