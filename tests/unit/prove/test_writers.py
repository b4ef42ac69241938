"""Proofs that every element is written, against all programs, trips and lanes of small launches."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argus_smt.absint.facts import Facts
from argus_smt.prove.discharge import Prover
from argus_smt.prove.elements import Elements
from argus_smt.prove.tables import Tables
from argus_smt.prove.writers import Ground, Search, Writer
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.model import Model
from argus_smt.smt.solver import Solver
from argus_smt.smt.term import Term

N, E, P, X, K = (T.var(n) for n in ("n", "$e0", "$p0", "$i0", "$k1:For"))
SIZES = range(1, 26)


@dataclass(frozen=True)
class Store:
    """Lane i of program p stores element `index` where all conditions hold, in each trip if there is a loop."""

    index: Term
    grid: Term
    lanes: int
    conditions: tuple[Term, ...]
    loop: bool = False

    def writer(self) -> Writer:
        counters = (K,) if self.loop else ()
        grid, pair = (self.grid, T.ONE, T.ONE), (self.index, E)
        return Writer("s", (self.lanes,), counters, grid, self.conditions, frozenset(), (pair,), pair)

    def written(self, n: int) -> set[int]:
        """The elements that all programs write."""
        out = set()
        grid = Model({"n": n}).value(self.grid)
        for p, x, k in product(range(grid), range(self.lanes), range(n + 2) if self.loop else (0,)):
            at = Model({"n": n, P.data: p, X.data: x, K.data: k})
            if at.satisfies(self.conditions):
                out.add(at.value(self.index))
        return out


def proved(*stores: Store) -> bool:
    """Whether it is shown that the stores together write all elements 0 … n - 1."""
    bounds = Bounds()
    bounds.learn([T.ge(N, 1), T.lt(N, 1 << 31)])
    prover = Prover(Facts(bounds), Solver(rlimit=300_000), Elements())
    held = (T.ge(N, 1), T.ge(E, 0), T.lt(E, N))
    writers = tuple(s.writer() for s in stores)
    return Search(Ground(prover, held, bounds), writers, Tables(Elements())).covered()


def all_written(*stores: Store) -> bool:
    return all(set(range(n)) <= set().union(*(s.written(n) for s in stores)) for n in SIZES)


def cdiv(a: Term, b: int) -> Term:
    return T.div(a + (b - 1), T.const(b))


TILE = P * 4 + X
INSIDE = (T.lt(TILE, N),)
TRIPS = (P + K * 3) * 4 + X
LATE = T.minimum(P * 4, T.maximum(N - 4, T.ZERO)) + X
TAIL = (T.div(N, T.const(4))) * 4
RIGHT = {
    "a masked tile": (Store(TILE, cdiv(N, 4), 4, INSIDE),),
    "more programs than needed": (Store(TILE, N, 4, INSIDE),),
    "backwards": (Store((cdiv(N, 4) - 1 - P) * 4 + X, cdiv(N, 4), 4, (T.lt((cdiv(N, 4) - 1 - P) * 4 + X, N),)),),
    "even and odd": (
        Store(P * 8 + X * 2, cdiv(N, 8), 4, (T.lt(P * 8 + X * 2, N),)),
        Store(P * 8 + X * 2 + 1, cdiv(N, 8), 4, (T.lt(P * 8 + X * 2 + 1, N),)),
    ),
    "whole tiles, then the tail": (
        Store(TILE, T.div(N, T.const(4)), 4, ()),
        Store(TAIL + X, T.ONE, 4, (T.lt(TAIL + X, N),)),
    ),
    "a persistent loop": (Store(TRIPS, T.const(3), 4, (T.ge(K, 0), T.lt(P + K * 3, cdiv(N, 4)), T.lt(TRIPS, N)), True),),
    "the last tile moved back": (
        Store(LATE, cdiv(N, 4), 4, (T.lt(LATE, N),)),
    ),
    "one side of a branch each": (
        Store(TILE, cdiv(N, 4), 4, (T.lt(TILE, N), T.eq(T.mod(P, T.const(2)), 0))),
        Store(TILE, cdiv(N, 4), 4, (T.lt(TILE, N), T.ne(T.mod(P, T.const(2)), 0))),
    ),
}  # fmt: skip
WRONG = {
    "a grid rounded down": (Store(TILE, T.div(N, T.const(4)), 4, INSIDE),),
    "a grid one short": (Store(TILE, cdiv(N, 4) - 1, 4, INSIDE),),
    "a fixed grid": (Store(TILE, T.const(5), 4, INSIDE),),
    "half of the lanes": (Store(TILE, cdiv(N, 4), 2, INSIDE),),
    "a mask one short": (Store(TILE, cdiv(N, 4), 4, (T.lt(TILE, N - 1),)),),
    "a mask that leaves out the first": (Store(TILE, cdiv(N, 4), 4, (T.lt(TILE, N), T.gt(TILE, 0))),),
    "no odd ones": (Store(P * 8 + X * 2, cdiv(N, 8), 4, (T.lt(P * 8 + X * 2, N),)),),
    "no tail": (Store(TILE, T.div(N, T.const(4)), 4, ()),),
    "a gap between tiles": (Store(P * 5 + X, N, 4, (T.lt(P * 5 + X, N),)),),
    "only one side of a branch": (Store(TILE, cdiv(N, 4), 4, (T.lt(TILE, N), T.eq(T.mod(P, T.const(2)), 0))),),
    "a loop that ends one trip early": (
        Store(TRIPS, T.const(3), 4, (T.ge(K, 0), T.lt(P + K * 3, cdiv(N, 4) - 1), T.lt(TRIPS, N)), True),
    ),
    "what only a run decides": (Store(TILE, cdiv(N, 4), 4, (T.lt(TILE, N), T.eq(T.app("?v", X), 0))),),
    "two sides of what differs between programs": (
        Store(TILE, cdiv(N, 4), 4, (T.lt(TILE, N), T.eq(T.app("?v", X), 0))),
        Store((cdiv(N, 4) - 1 - P) * 4 + X, cdiv(N, 4), 4, (T.lt((cdiv(N, 4) - 1 - P) * 4 + X, N), T.ne(T.app("?v", X), 0))),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_covered_is_proved(name: str) -> None:
    assert all_written(*RIGHT[name])
    assert proved(*RIGHT[name])


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_covered_is_never_proved(name: str) -> None:
    stores = WRONG[name]
    assert any(c.apps for s in stores for c in s.conditions) or not all_written(*stores)
    assert not proved(*stores)


def test_the_earlier_trips_of_a_while_loop_count() -> None:
    """Trip 3 is not reached if the condition fails in trip 2, whatever it says of trip 3."""
    k = T.var("$k1:While")

    def store(*conditions: Term) -> bool:
        made = Writer("s", (1,), (k,), (T.ONE,) * 3, (T.ge(k, 0), *conditions), frozenset(), ((k, E),), (k, E))
        bounds = Bounds()
        bounds.learn([T.ge(N, 1)])
        prover = Prover(Facts(bounds), Solver(rlimit=300_000), Elements())
        return Search(Ground(prover, (T.ge(N, 1), T.ge(E, 0), T.lt(E, N)), bounds), (made,), Tables(Elements())).covered()

    assert store(T.lt(k, N))
    assert not store(T.lt(k, N), T.or_(T.ne(k, 2), T.ge(E, 3)))
    assert not store(T.ne(k, 2), T.lt(k, N))


@st.composite
def launches(draw: st.DrawFn) -> tuple[Store, ...]:
    """One or two stores of tiles, as written by hand: most of them miss something for some size."""
    out = []
    for _ in range(draw(st.integers(1, 2))):
        block = draw(st.sampled_from((1, 2, 3, 4)))
        whole = cdiv(N, block)
        grid = draw(st.sampled_from((whole, T.div(N, T.const(block)), whole + 1, N, cdiv(N, 2 * block), T.const(3))))
        step = draw(st.sampled_from((block, 2 * block, block + 1, 1)))
        base = draw(st.sampled_from((P * step, (grid - 1 - P) * step, P * step + block, T.div(P, T.const(2)) * step)))
        lane = draw(st.sampled_from((X, block - 1 - X, X * 2, X + 1)))
        index = base + lane
        loop = draw(st.booleans())
        if loop:
            index = index + K * draw(st.sampled_from((block, step, 2))) * draw(st.sampled_from((1, 3)))
        top = draw(st.sampled_from((N, N - 1, N + 1)))
        conditions = [T.lt(index, top)]
        conditions += [T.ge(K, 0), draw(st.sampled_from((T.lt(K, N), T.lt(K, 2), T.lt(P + K, N))))] if loop else []
        extra = (T.TRUE, T.TRUE, T.eq(T.mod(P, T.const(2)), 0), T.ne(T.mod(P, T.const(2)), 0), T.ge(index, 1), T.ne(index, 7))
        conditions.append(draw(st.sampled_from(extra)))
        out.append(Store(index, grid, block, tuple(c for c in conditions if c is not T.TRUE), loop))
    return tuple(out)


@settings(max_examples=60, deadline=None)
@given(launches())
def test_proofs_hold_in_small_launches(stores: tuple[Store, ...]) -> None:
    if proved(*stores):
        assert all_written(*stores)
