"""Small solver questions, and the translation of terms that they rest on, against evaluation."""

from __future__ import annotations

import itertools

import pytest

from argus_smt.smt import term as T
from argus_smt.smt.ask import Session, implied
from argus_smt.smt.term import Term

X, Y, Z = T.var("x"), T.var("y"), T.var("z")
TERMS = [
    T.div(X, Y), T.mod(X, Y), T.mod(X, T.const(-5)), T.div(X, T.const(-5)), T.div(X + 3 * Y, T.const(7)),
    T.mod(X * Y + Z, T.const(6)), T.tdiv(X, Y), T.trem(X, Y), T.minimum(X, Y) * Z - T.maximum(X, Z),
    T.ite(T.lt(X, Y), X, Z * 3), T.div(X * Y + Z, Y),
]  # fmt: skip


@pytest.mark.parametrize("t", TERMS, ids=str)
def test_solver_agrees_with_evaluation(t: Term) -> None:
    session = Session()
    for x, y, z in itertools.product((-7, 0, 5), (-3, 2, 4), (-1, 6)):
        here = [T.eq(X, x), T.eq(Y, y), T.eq(Z, z)]
        value = T.evaluate(t, lambda node, _, p={"x": x, "y": y, "z": z}: p[node.data])
        assert session.implied(here, T.eq(t, value)) is True
        assert session.implied(here, T.ne(t, value)) is False


def test_signs_of_products() -> None:
    assert implied([T.ge(X, 1), T.ge(Y, 1)], T.ne(X * Y, 0)) is True
    assert implied([T.ge(X, 0), T.ge(Y, 1)], T.ne(X * Y, 0)) is False


def test_contradicting_hypotheses_imply_everything() -> None:
    assert Session().implied([T.ge(X, 3), T.eq(X * X, 4), T.ge(Y, 0)], T.eq(Z, 1)) is True
    assert Session().possible([T.ge(X, 3), T.le(X, 2)]) is False


def test_values_are_all_or_none() -> None:
    session = Session()
    within = [T.ge(X, 1), T.le(X, 9)]
    assert session.values(within, T.div(X, T.const(4)), 8) == (0, 1, 2)
    assert session.values(within, X, 4) is None
    assert session.values([*within, T.eq(Y, 3)], Y + 1, 1) == (4,)


def test_functions_of_one_name_are_one_function() -> None:
    f = T.app("f", X)
    assert Session().implied([T.eq(X, Y), T.eq(f, 3)], T.eq(T.app("f", Y), 3)) is True
    assert Session().implied([T.eq(f, 3)], T.eq(T.app("f", Y), 3)) is False
