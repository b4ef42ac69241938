"""What is said of elements holds of real tensors, and of nothing where no number is in the stated range."""

from __future__ import annotations

from argus_smt.ir.launch import Facts, Storage, cell_name
from argus_smt.prove.elements import Asking, Elements
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.solver import Solver

V, K, N = T.var("V"), T.var("k"), T.var("n")
TABLE = Storage(3, "table", "i32", 4 * N, (N,), (T.ONE,), facts=Facts(lower=T.ZERO, upper=V - 1, nondecreasing=True))
NAME = cell_name(3, "i32")
HERE, NEXT = T.app(NAME, 4 * K), T.app(NAME, 4 * K + 4)


def known(least: int) -> Bounds:
    out = Bounds()
    out.learn([T.ge(V, least), T.ge(N, 1)])
    return out


def test_only_tensors_of_that_type_are_known() -> None:
    elements = Elements({3: TABLE}, known(1))
    assert elements.get(NAME) is not None
    for name in (f"{NAME}~", cell_name(3, "i64"), cell_name(4, "i32"), "?loop3", "m", "mx:i32"):
        assert elements.get(name) is None


def test_symbolic_range_and_order_answer_questions() -> None:
    ask = Asking(Solver(), Elements({3: TABLE}, known(1)))
    inside = [T.ge(K, 0), T.lt(K + 1, N)]
    assert ask(inside, T.lt(HERE, V), known(1))
    assert ask(inside, T.le(HERE, NEXT), known(1))
    assert not ask(inside, T.lt(HERE, V - 1), known(1))
    assert not ask([T.ge(K, 0)], T.le(HERE, NEXT), known(1)), "the next one need not be an element"


def test_an_empty_range_says_nothing() -> None:
    maybe = Bounds()
    maybe.learn([T.ge(V, 0), T.ge(N, 0)])
    ask = Asking(Solver(), Elements({3: TABLE}, maybe))
    assert not ask([T.ge(HERE, 0), T.le(V, 0)], T.FALSE, maybe)
    assert ask([T.ge(V, 1)], T.lt(HERE, V), maybe)
    assert ask([T.ge(N, 1)], T.lt(HERE, V), maybe), "a tensor with elements has numbers for them"
