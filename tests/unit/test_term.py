"""Terms mean what Python and C say: each constructor against plain integers, and the text form read back."""

from __future__ import annotations

import copy
import gc
import pickle
import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argus_smt.smt import term as T
from argus_smt.smt.show import parse_term, show
from argus_smt.smt.term import Term

Point = dict[str, int]
Meaning = Callable[[Point], int]
Pair = tuple[Term, Meaning]
"""A term, and what it should evaluate to at a point; ZeroDivisionError where it is unspecified."""

INTS = ("a", "b", "n", "M")
BOOLS = ("p", "q")


def c_quotient(x: int, y: int) -> int:
    size = abs(x) // abs(y)
    return size if (x < 0) == (y < 0) else -size


def unknown(x: int, y: int) -> int:
    """A stand-in for an uninterpreted function."""
    return (x * 7 + y * 13) % 11 - 5


def env(point: Point) -> Callable[[Term, tuple[int, ...]], int]:
    def lookup(node: Term, args: tuple[int, ...]) -> int:
        if not args:
            return point[node.data]
        return unknown(*args) if node.op == "app" else int(unknown(*args) > 0)

    return lookup


points = st.fixed_dictionaries({n: st.integers(-9, 9) for n in INTS} | {b: st.integers(0, 1) for b in BOOLS})
constants = st.one_of(st.integers(-9, 9), st.sampled_from([16, 64, -8, 2**31, 2**31 - 1, -(2**31), 2**20 + 1]))


def leaf_int() -> st.SearchStrategy[Pair]:
    named = st.sampled_from(INTS).map(lambda n: (T.var(n), lambda e, n=n: e[n]))
    fixed = constants.map(lambda k: (T.const(k), lambda e, k=k: k))
    return st.one_of(named, fixed)


def leaf_bool() -> st.SearchStrategy[Pair]:
    named = st.sampled_from(BOOLS).map(lambda n: (T.bvar(n), lambda e, n=n: e[n]))
    fixed = st.booleans().map(lambda v: (T.boolean(v), lambda e, v=v: int(v)))
    return st.one_of(named, fixed)


INT_OPS: dict[str, tuple[Callable[[Term, Term], Term], Callable[[int, int], int]]] = {
    "add": (T.add, lambda x, y: x + y),
    "sub": (lambda s, t: s - t, lambda x, y: x - y),
    "mul": (T.mul, lambda x, y: x * y),
    "div": (T.div, lambda x, y: x // y),
    "mod": (T.mod, lambda x, y: x % y),
    "tdiv": (T.tdiv, c_quotient),
    "trem": (T.trem, lambda x, y: x - y * c_quotient(x, y)),
    "min": (T.minimum, min),
    "max": (T.maximum, max),
    "app": (lambda s, t: T.app("f", s, t), unknown),
}
RELATIONS: dict[str, tuple[Callable[[Term, Term], Term], Callable[[int, int], int]]] = {
    "le": (T.le, lambda x, y: x <= y),
    "lt": (T.lt, lambda x, y: x < y),
    "ge": (T.ge, lambda x, y: x >= y),
    "gt": (T.gt, lambda x, y: x > y),
    "eq": (T.eq, lambda x, y: x == y),
    "ne": (T.ne, lambda x, y: x != y),
    "bapp": (lambda s, t: T.bapp("g", s, t), lambda x, y: unknown(x, y) > 0),
}
CONNECTIVES: dict[str, tuple[Callable[[Term, Term], Term], Callable[[int, int], int]]] = {
    "and": (T.and_, lambda x, y: x and y),
    "or": (T.or_, lambda x, y: x or y),
    "implies": (T.implies, lambda x, y: not x or y),
    "iff": (T.iff, lambda x, y: x == y),
}


def combine(table: dict[str, tuple[Callable[[Term, Term], Term], Callable[[int, int], int]]], args: object) -> object:
    def build(chosen: tuple[str, Pair, Pair]) -> Pair:
        name, (s, f), (t, g) = chosen
        make, meaning = table[name]
        return make(s, t), lambda e: int(meaning(f(e), g(e)))

    return st.tuples(st.sampled_from(sorted(table)), args, args).map(build)


def choose(chosen: tuple[Pair, Pair, Pair]) -> Pair:
    (c, h), (s, f), (t, g) = chosen

    def meaning(e: Point) -> int:
        return f(e) if h(e) else g(e)

    return T.ite(c, s, t), meaning


def negate(pair: Pair) -> Pair:
    t, f = pair
    return T.not_(t), lambda e: int(not f(e))


def pairs(depth: int) -> tuple[st.SearchStrategy[Pair], st.SearchStrategy[Pair]]:
    """Integer and boolean terms of a given depth, with their meanings."""
    if depth == 0:
        return leaf_int(), leaf_bool()
    ints, bools = pairs(depth - 1)
    choice = st.tuples(bools, ints, ints).map(choose)
    logic = (combine(RELATIONS, ints), combine(CONNECTIVES, bools), bools.map(negate))
    either = st.tuples(bools, bools, bools).map(choose)
    return st.one_of(leaf_int(), combine(INT_OPS, ints), choice), st.one_of(leaf_bool(), *logic, either)


ints2, bools2 = pairs(2)
ints3, bools3 = pairs(3)
anything = st.one_of(ints3, bools3)


@settings(max_examples=400, deadline=None)
@given(anything, st.lists(points, min_size=4, max_size=4))
def test_a_term_has_the_value_of_its_construction(pair: Pair, at: list[Point]) -> None:
    t, meaning = pair
    for point in at:
        try:
            wanted = meaning(point)
        except ZeroDivisionError:
            continue
        try:
            got = T.evaluate(t, env(point))
        except ZeroDivisionError:
            pytest.fail(f"{t} divides by zero at {point}, its construction does not")
        assert got == wanted, (show(t), point)


@settings(max_examples=400, deadline=None)
@given(anything)
def test_text_reads_back_to_the_same_object(pair: Pair) -> None:
    t, _ = pair
    text = show(t)
    assert parse_term(text, frozenset(BOOLS)) is t, text


@settings(max_examples=300, deadline=None)
@given(anything)
def test_parts_rebuild_the_same_object(pair: Pair) -> None:
    t, _ = pair
    assert T.rebuild(t, t.args) is t
    assert T.make(t.op, t.args, t.data) is t


@settings(max_examples=50, deadline=None)
@given(anything)
def test_copies_are_the_same_object(pair: Pair) -> None:
    t, _ = pair
    assert copy.deepcopy((t, [t])) == (t, [t])
    assert pickle.loads(pickle.dumps(t)) is t


def test_an_unknown_kind_of_node_is_refused() -> None:
    with pytest.raises(ValueError, match="no such kind of term: pow"):
        T.make("pow", (T.ONE, T.ONE))


@settings(max_examples=300, deadline=None)
@given(anything, st.dictionaries(st.sampled_from(INTS), ints2, max_size=3), points)
def test_substitution_replaces_all_variables_at_once(pair: Pair, by: dict[str, Pair], point: Point) -> None:
    t, meaning = pair
    replaced = T.substitute(t, {T.var(n): s for n, (s, _) in by.items()})
    try:
        moved = point | {n: f(point) for n, (_, f) in by.items()}
        wanted = meaning(moved)
    except ZeroDivisionError:
        return
    assert T.evaluate(replaced, env(point)) == wanted


@settings(max_examples=200, deadline=None)
@given(ints2, ints2)
def test_quotient_is_exact(s: Pair, t: Pair) -> None:
    q = T.quotient(s[0], t[0])
    if q is not None:
        assert T.mul(q, t[0]) is s[0]


@settings(max_examples=200, deadline=None)
@given(ints2, ints2, ints2)
def test_equal_polynomials_are_one_object(x: Pair, y: Pair, z: Pair) -> None:
    a, b, c = x[0], y[0], z[0]
    assert T.mul(a, b + c) is T.mul(c, a) + T.mul(b, a)
    assert (a + b) - b is a
    assert T.from_poly(T.poly(a)) is a


@pytest.mark.parametrize("x", range(-7, 8))
@pytest.mark.parametrize("y", [-4, -3, -1, 1, 2, 5])
def test_both_divisions_on_constants(x: int, y: int) -> None:
    s, t = T.const(x), T.const(y)
    assert T.div(s, t).value == x // y
    assert T.mod(s, t).value == x % y
    assert T.tdiv(s, t).value == c_quotient(x, y)
    assert T.trem(s, t).value == x - y * c_quotient(x, y)


def test_division_by_the_constant_zero_stays_unspecified() -> None:
    a = T.var("a")
    for t in (T.div(a, T.ZERO), T.mod(a, T.ZERO), T.tdiv(a, T.ZERO), T.div(T.ZERO, T.ZERO), T.mod(T.ZERO, T.ZERO)):
        assert not t.is_const
        with pytest.raises(ZeroDivisionError):
            T.evaluate(t, env({"a": 3}))


def test_normal_forms() -> None:
    a, b, n = T.var("a"), T.var("b"), T.var("n")
    assert T.div(4 * a + 6, T.const(8)) is T.div(2 * a + 3, T.const(4))
    assert T.div(T.div(a, T.const(4)), T.const(8)) is T.div(a, T.const(32))
    assert T.mod(a + 16, T.const(8)) is T.mod(a, T.const(8))
    assert T.div(a * b + n, b) is a + T.div(n, b)
    assert T.mod(a * b + n, b) is T.mod(n, b)
    assert T.lt(2 * a, 7) is T.le(a, 3)
    assert T.eq(2 * a, 7) is T.FALSE
    assert T.eq(a, b) is T.eq(b, a)
    assert T.not_(T.lt(a, n)) is T.le(n, a)
    assert T.and_(T.lt(a, n), T.le(n, a)) is T.FALSE
    assert T.or_(T.lt(a, n), T.le(n, a)) is T.TRUE
    assert T.minimum(a, a + 1) is a
    assert T.maximum(a, a + 1) is a + 1


def test_inequality_inside_an_inequation_keeps_its_sign() -> None:
    a, b = T.var("a"), T.var("b")
    t = T.ne(T.ite(T.eq(a, 0), a, b), 5)
    assert show(t) == "ite(a == 0, a, b) != 5"
    assert parse_term(show(t)) is t


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("row * stride + col < n", "row * stride + col < n"),
        ("cdiv(n, 64) <= 2**31 - 1", "(n + 63) // 64 < 2**31"),
        ("0 <= i < n", "i >= 0 and i < n"),
        ("max(a, b, c) >= 1", None),
        ("2**256 > x", None),
        (f"x < {10**90}", None),
        ("not p or a % -3 == 1", None),
    ],
)
def test_notation(text: str, shown: str | None) -> None:
    t = parse_term(text, frozenset("p"))
    assert parse_term(show(t), frozenset("p")) is t
    assert shown is None or show(t) == shown


@pytest.mark.parametrize("text", ["", "a +", "a / b", "a ** b", "f(a)", "a if b else c", "x[0]", "'s'", "a in c", "1.5"])
def test_text_outside_the_notation_is_refused_with_one_line(text: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_term(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n and n > 0", "a condition is wanted, not the number `n`"),
        ("not n", "a condition is wanted, not the number `n`"),
        ("1 + (n > 0)", "a number is wanted, not the condition `n > 0`"),
        ("-(n > 0)", "a number is wanted, not the condition `n > 0`"),
        ("(n > 0) == (m > 0)", "a number is wanted, not the condition `n > 0`"),
        ("max(n, True)", "a number is wanted, not the condition `True`"),
        ("ite(n, 1, 2)", "a condition is wanted, not the number `n`"),
        ("ite(n > 0, 1, True)", "are not both numbers or both conditions"),
        ("min(n, key=m)", "not a term"),
        ("1 + " * 20_000 + "n", "nested too deeply"),
    ],
)
def test_numbers_and_conditions_are_kept_apart(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_term(text)


def test_heavily_shared_terms_are_abbreviated() -> None:
    t = T.var("n")
    for _ in range(100):
        t = T.tdiv(t + T.var("k"), T.var("m"))
    text = show(T.lt(t, T.var("n")))
    assert 100 < len(text) < 40_000
    assert "…1" in text
    with pytest.raises(ValueError, match="not an expression"):
        parse_term(text)


def test_unused_terms_are_forgotten() -> None:
    gc.collect()
    from argus_smt.smt import polynomial

    before = len(polynomial._table)
    kept = T.var("only here") + 1
    assert len(polynomial._table) > before
    del kept
    gc.collect()
    assert len(polynomial._table) == before


def test_sets_of_terms_are_walked_in_one_order() -> None:
    code = (
        "from argus_smt.smt import term as T\n"
        "keep = [object() for _ in range({junk})]\n"
        "names = [T.var(f'v{{i}}') for i in range(40)]\n"
        "t = T.add(*(a * b for a, b in zip(names, names[7:])))\n"
        "print(*t.free)\n"
    )
    orders = {
        subprocess.run([sys.executable, "-c", code.format(junk=n)], capture_output=True, text=True, check=True).stdout
        for n in (0, 777, 12345)
    }
    assert len(orders) == 1
