"""Domains: what `--assume` may say, and substitutions that keep the meaning of every relation."""

from __future__ import annotations

from itertools import product

import pytest

from argus_smt.ir.launch import Condition, Program, Storage, Symbol
from argus_smt.prove.domain import Domain, domain
from argus_smt.smt import term as T
from argus_smt.smt.model import Model
from argus_smt.smt.term import Term
from tests.unit.prove_session.programs import launch, program

N, M, K = (T.var(n) for n in "nmk")
SYMBOLS = tuple(Symbol(name, "dim", 1, 20) for name in "nmk")


def made(*facts: Term, **changes: object) -> Program:
    conditions = tuple(Condition(f, "call", "") for f in facts)
    return program(launch("", **changes), symbols=SYMBOLS, preconditions=conditions)


def domain_of(*facts: Term, assume: tuple[str, ...] = (), **changes: object) -> Domain:
    p = made(*facts, **changes)
    return domain(p, p.launches[0], p.launches[0].cases[0], assume)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n <", r"--assume 'n <': "),
        ("n + 1", r"--assume 'n \+ 1': not a condition"),
        ("q > 3", r"--assume 'q > 3': no symbol `q`; there are k, m, n"),
        ("n % 0 ==", r"--assume 'n % 0 ==': "),
        ("", r"--assume '': "),
    ],
)
def test_assumptions_that_cannot_be_taken_say_why_in_one_line(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        domain_of(assume=(text,))
    assert "\n" not in str(caught.value)


def test_an_assumption_is_a_fact() -> None:
    found = domain_of(assume=("n <= 12", "m >= 3 and k != 4"))
    assert found.bounds.of(N) == (1, 12)
    assert found.bounds.of(M) == (3, 20)
    assert T.ne(K, 4) in found.facts


REGIONS = [
    pytest.param((T.eq(T.mod(N, T.const(4)), 0),), id="divisible"),
    pytest.param((T.eq(T.mod(N, T.const(4)), 0), T.eq(T.mod(N, T.const(6)), 0)), id="divisible twice"),
    pytest.param((T.eq(T.mod(N, M), 0), T.ge(M, 2)), id="divisible by a symbol"),
    pytest.param((T.eq(N, 2 * M + 1),), id="equal to a term"),
    pytest.param((T.eq(N, M), T.eq(M, K)), id="a chain of equals"),
    pytest.param((T.eq(N, M * K), T.eq(T.mod(M, T.const(2)), 0)), id="a product of a multiple"),
    pytest.param((T.eq(N, 8),), id="fixed"),
    pytest.param((T.eq(T.mod(N, T.const(4)), 0), T.le(N, 3)), id="impossible"),
    pytest.param((T.eq(2 * N, 3 * M), T.lt(N, K)), id="not solvable"),
    pytest.param((T.or_(T.eq(N, 4), T.eq(T.mod(N, T.const(8)), 0)),), id="a choice"),
]


@pytest.mark.parametrize("facts", REGIONS)
def test_restored_symbols_are_those_of_the_region(facts: tuple[Term, ...]) -> None:
    """Each point of the new unknowns that meets the new facts is a point of the region, and all of its points come back."""
    found = domain_of(*facts)
    inside = tuple(f for f in found.facts if not any(v.data.startswith("$") for v in f.free))
    unknown = sorted({v.data for t in (*inside, *found.restore.values(), N, M, K) for v in t.free if v not in found.restore})
    back = set()
    for values in product(range(42), repeat=len(unknown)) if len(unknown) < 4 else ():
        model = Model(dict(zip(unknown, values, strict=True)))
        if model.satisfies(inside):
            point = found.symbols(made(*facts), model)
            assert Model(point).satisfies(facts), (facts, point)
            back.add(tuple(point[n] for n in "nmk"))
    region = {p for p in product(range(1, 21), repeat=3) if Model(dict(zip("nmk", p, strict=True))).satisfies(facts)}
    assert back == region


def test_launch_and_arguments_speak_of_the_new_unknowns() -> None:
    found = domain_of(T.eq(T.mod(N, T.const(64)), 0), grid=(T.div(N, T.const(64)), T.ONE, T.ONE))
    (q,) = found.launch.grid[0].free
    assert found.launch.grid[0] is q
    assert found.restore == {N: 64 * q}
    assert found.launch.storages == (Storage(0, "x", "f32", 256 * q, (64 * q,), (T.ONE,)),)
    assert found.display[q] is T.div(N, T.const(64))
    assert T.lt(T.var("$p0"), q) in found.facts
