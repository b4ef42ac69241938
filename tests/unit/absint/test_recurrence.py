"""Closed forms of loop-carried numbers against counting the trips one by one."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from argus_smt.absint.recurrence import HOLE, Carried, close, past, power_sum, total
from argus_smt.smt import term as T
from argus_smt.smt.model import Model
from argus_smt.smt.term import Term

K, S, N = T.var("$k"), T.var("s"), T.var("n")
HOLE_A, HOLE_B = T.app(f"{HOLE}1", T.var("$i0")), T.app(f"{HOLE}2", T.var("$i0"))
small = st.integers(-6, 6)


def at(t: Term, trip: int, s: int = 0, n: int = 0) -> int:
    return Model({"$k": trip, "s": s, "n": n}).value(t)


def polynomial(c: tuple[int, int, int, int]) -> Term:
    """A step that varies with the trip: degree two in it, with a symbol in two of its coefficients."""
    return c[0] * K * K * S + c[1] * K * K + c[2] * K * S + c[3] * K + S * N - 2


@settings(max_examples=60)
@given(st.tuples(small, small, small, small), small, small, small)
def test_a_sum_of_steps_is_its_closed_form(c: tuple[int, int, int, int], entry: int, s: int, n: int) -> None:
    step = polynomial(c)
    closed = close(Carried(T.const(entry) + N, HOLE_A, HOLE_A + step), K, {})
    assert closed is not None
    assert closed.how == ("summed" if K in step.free else "steady")
    value = entry + n
    for trip in range(8):
        assert at(closed.value, trip, s, n) == value
        value += at(step, trip, s, n)


def test_sums_of_powers() -> None:
    for degree in (0, 1, 2):
        closed = power_sum(K, degree)
        assert closed is not None
        for n in range(12):
            assert at(closed, n) == sum(j**degree for j in range(n))
    assert power_sum(K, 3) is None


def test_steps_that_are_no_polynomial_of_the_trip_have_no_closed_form() -> None:
    for step in (K * K * K, T.div(K, T.const(2)), T.mod(K, N) * S, T.app("?load", K), T.ite(T.lt(K, 3), T.ONE, S)):
        assert total(step, K) is None
        assert close(Carried(T.ZERO, HOLE_A, HOLE_A + step), K, {}) is None
    assert total(T.app("?load", N), K) is T.app("?load", N) * K


def test_what_does_not_change_keeps_its_value() -> None:
    closed = close(Carried(N * S, HOLE_A, HOLE_A), K, {})
    assert closed is not None
    assert (closed.value, closed.how) == (N * S, "same")


@settings(max_examples=30)
@given(small, small, small)
def test_what_is_replaced_is_the_entry_first(entry: int, s: int, n: int) -> None:
    after = K * S + N
    closed = close(Carried(T.const(entry), HOLE_A, after), K, {})
    assert closed is not None
    assert closed.how == "replaced"
    values = [entry, *(at(after, trip, s, n) for trip in range(6))]
    assert [at(closed.value, trip, s, n) for trip in range(7)] == values


@settings(max_examples=30)
@given(small, small, small)
def test_values_that_lean_on_solved_ones(entry: int, s: int, n: int) -> None:
    """`b += a; a += s`: the first is summed once the second is known."""
    assert close(Carried(T.const(entry), HOLE_B, HOLE_B + HOLE_A), K, {}) is None
    first = close(Carried(N, HOLE_A, HOLE_A + S), K, {})
    assert first is not None
    second = close(Carried(T.const(entry), HOLE_B, HOLE_B + HOLE_A), K, {HOLE_A: first.value})
    assert second is not None
    a, b = n, entry
    for trip in range(7):
        assert (at(first.value, trip, s, n), at(second.value, trip, s, n)) == (a, b)
        a, b = a + s, b + a


def test_what_is_multiplied_has_no_closed_form() -> None:
    for after in (2 * HOLE_A, HOLE_A * S, T.minimum(HOLE_A, N), HOLE_A + HOLE_B, -HOLE_A):
        assert close(Carried(T.ONE, HOLE_A, after), K, {}) is None


@settings(max_examples=150)
@given(st.lists(st.tuples(small, small, small), min_size=1, max_size=3), small, small, st.booleans())
def test_bounds_that_hold_at_both_ends_hold_between(parts: list[tuple[int, int, int]], s: int, n: int, excused: bool) -> None:
    cond = T.and_(*(T.ge(a * K * S + b * K + c * N, -9) for a, b, c in parts))
    if excused:
        cond = T.or_(T.lt(N, 0), cond)
    moved = past(cond, K, "steady")
    assert moved is not None
    for trip in range(6):
        wanted = all(at(cond, j, s, n) for j in range(trip))
        assert bool(at(moved, trip, s, n)) == wanted


def test_conditions_that_could_fail_between_their_ends_are_not_moved() -> None:
    for cond in (T.ge(K * K - 4 * K, -3), T.eq(K, N), T.ge(T.mod(K, T.const(3)), S), T.or_(T.lt(K, 2), T.gt(K, 5))):
        assert past(cond, K, "steady") is None
    falling = T.ge(-K * K, -S)
    assert past(falling, K, "summed") is None
    assert past(falling, K, "summed", lambda _: True) is not None
    assert past(T.ge(S, 3), K, "summed") is T.implies(T.gt(K, 0), T.ge(S, 3))


def test_of_a_replaced_value_only_the_trip_before_matters() -> None:
    moved = past(T.ge(K * K, N), K, "replaced")
    assert moved is T.implies(T.gt(K, 0), T.ge((K - 1) * (K - 1), N))
