"""Congruences hold at every point, and decide what intervals cannot."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from argus_smt.smt import term as T
from argus_smt.smt.congruence import congruence
from argus_smt.smt.interval import Bounds
from argus_smt.smt.model import Model
from argus_smt.smt.simplify import simplify
from argus_smt.smt.term import Term

A, B = T.var("a"), T.var("b")


def grow(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    small = st.integers(-6, 6)
    return st.one_of(
        st.builds(lambda x, y: x + y, inner, inner),
        st.builds(lambda x, k: x * k, inner, small),
        st.builds(lambda x, y: x * y, inner, inner),
        st.builds(lambda x, k: T.mod(x, T.const(k)), inner, st.integers(1, 9)),
        st.builds(T.minimum, inner, inner),
        st.builds(lambda x, y, z: T.ite(T.ge(x, 0), y, z), inner, inner, inner),
    )


TERMS = st.recursive(st.one_of(st.just(A), st.just(B), st.integers(-9, 9).map(T.const)), grow, max_leaves=8)


@given(TERMS, st.integers(-9, 9), st.integers(-9, 9))
def test_value_is_in_its_class(t: Term, a: int, b: int) -> None:
    value = Model({"a": a, "b": b}).value(t)
    m, r = congruence(t)
    assert value == r if m == 0 else value % m == r


def test_multiples_of_four_never_meet_two() -> None:
    assert simplify(T.eq(4 * A - 2 * T.minimum(2 * A, 4 * B), 2), Bounds()) is T.FALSE


def test_remainder_of_a_minimum_of_multiples() -> None:
    assert simplify(T.mod(T.minimum(16 * A, 32 * B) + 3, T.const(8)), Bounds()) is T.const(3)
