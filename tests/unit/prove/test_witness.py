"""Models of failing duties are as small as they can be, sizes first."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import product

import pytest

from argus_smt.prove.witness import LADDER, Search
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.model import Model
from argus_smt.smt.solver import Solver
from argus_smt.smt.term import Term

N, M, P, I = T.var("n"), T.var("m"), T.var("$p0"), T.var("$i0")  # noqa: E741
BASE = {N: (1, 1 << 40), M: (1, 1 << 40), P: (0, 1 << 31), I: (0, 3)}

TOYS = [
    pytest.param((T.ge(4 * P + I, N), T.lt(4 * P, N)), (N, P, I), (1, 0, 1), id="past the end"),
    pytest.param((T.ge(N * M, 12), T.lt(P, N)), (N, M, P), (1, 12, 0), id="a product"),
    pytest.param((T.eq(N, 3 * P + 2), T.gt(P, 1)), (N, P), (8, 2), id="a size that follows from the program"),
    pytest.param((T.ge(N, 5), T.ge(M, N)), (N, M), (5, 5), id="two sizes"),
    pytest.param((T.ne(T.mod(N, T.const(4)), 0), T.ge(N, 4)), (N,), (5,), id="a remainder"),
]


def search(facts: Sequence[Term], first: Model | None = None, **changes: float) -> tuple[Model | None, str]:
    bounds = Bounds(BASE)
    bounds.learn(facts)
    return Search(Solver(), tuple(facts), bounds, **changes).smallest(first)


@pytest.mark.parametrize(("facts", "names", "wanted"), TOYS)
def test_the_least_model_of_a_toy(facts: tuple[Term, ...], names: tuple[Term, ...], wanted: tuple[int, ...]) -> None:
    model, reason = search(facts)
    assert model is not None, reason
    assert model.satisfies(facts)
    assert tuple(model.value(n) for n in names) == wanted
    smaller = product(*(range(w + 1) for w in wanted))
    least = min(v for v in smaller if _inside(dict(zip(names, v, strict=True))) and
                Model({n.data: x for n, x in zip(names, v, strict=True)}).satisfies(facts))  # fmt: skip
    assert least == wanted


def _inside(values: dict[Term, int]) -> bool:
    return all(BASE[n][0] <= v <= BASE[n][1] for n, v in values.items())


def test_a_large_model_is_made_smaller() -> None:
    facts = (T.ge(4 * P + I, N), T.lt(4 * P, N))
    model, _ = search(facts, Model({"n": 4001, "$p0": 1000, "$i0": 2}))
    assert model is not None
    assert model.variables == {"n": 1, "$p0": 0, "$i0": 1}


def test_a_contradiction_has_no_model() -> None:
    model, reason = search((T.lt(N, M), T.lt(M, N)))
    assert (model, reason) == (None, "unsat")


def test_no_time_leaves_the_first_model() -> None:
    first = Model({"n": 4001, "$p0": 1000, "$i0": 2})
    started = time.monotonic()
    assert search((T.ge(4 * P + I, N), T.lt(4 * P, N)), first, seconds=0.0) == (first, "")
    assert time.monotonic() - started < 1


def test_values_keep_to_their_bounds() -> None:
    """A size that the facts do not force is at its least value, not at 0."""
    model, _ = search((T.ge(T.minimum(N, M), 1), T.ge(I, 1)))
    assert model is not None
    assert (model.value(N), model.value(M), model.value(I)) == (1, 1, 1)


def test_functions_of_a_model_are_kept() -> None:
    cell = T.app("m0:i32", 4 * P)
    model, _ = search((T.ge(cell, 7), T.ge(N, cell)))
    assert model is not None
    assert model.satisfies((T.ge(cell, 7), T.ge(N, cell)))
    assert model.value(N) in LADDER
