"""What a second instance of a launch shares with the first, and what it has of its own."""

from __future__ import annotations

import pytest

from argus_smt.encodings.instances import Other
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.term import Term

N, PID, LANE, TRIP = T.var("n"), T.var("$p0"), T.var("$i0"), T.var("$k3:1:For")


@pytest.mark.parametrize(
    "own",
    [
        PID, LANE, TRIP, T.app("?9:9:Binary"), T.app("?v3", LANE), T.bapp("?4:1:Load"), T.var("$x7"), T.app("$x7", TRIP),
        T.app("m0:i32", 4 * PID),
    ],
)  # fmt: skip
def test_what_may_differ_between_programs_gets_another_name(own: Term) -> None:
    assert Other()(own) is not own


@pytest.mark.parametrize("shared", [N, T.const(3), T.app("m0:i32", N), T.bapp("m0:i1", T.ZERO), T.bvar("flag"), N * N + 1])
def test_what_is_one_for_the_whole_launch_stays(shared: Term) -> None:
    assert Other()(shared) is shared


def test_terms_are_primed_throughout() -> None:
    t = T.ite(T.lt(PID * N + LANE, N), T.mod(PID, N), T.app("m0:i32", T.app("?1:1:Load", LANE)))
    other = Other()(t)
    assert {v.data for v in other.free} == {"$p0'", "$i0'", "n"}
    assert {a.data for a in other.apps} == {"m0:i32", "?1:1:Load'"}


def test_intervals_go_with_the_names() -> None:
    bounds = Bounds({PID: (0, 7), N: (1, None)}, {"?1:1:Load": (0, 3), "m0:i32": (0, 9)})
    both = Bounds({PID: (0, 7), N: (1, 4)}, bounds.functions)
    other = Other()
    other.bounds(bounds, both)
    assert both.of(other(PID)) == (0, 7)
    assert both.of(N) == (1, 4)
    assert both.of(other(T.app("?1:1:Load"))) == (0, 3)
    assert both.of(T.app("m0:i32", other(PID))) == (0, 9)
