"""Limits are enough for no wrap, and no tighter than need be where the bounds are attained; checked at a narrow width."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product

import pytest

from argus_smt.prove.limits import Limit, find, prune
from argus_smt.smt import term as T
from argus_smt.smt.model import Model
from argus_smt.smt.term import Term
from tests.unit.prove.duties import overflow, prover

M, N, S = (T.var(n) for n in "mns")
P, I0, I1, K = (T.var(f"${n}") for n in ("p0", "i0", "i1", "k9"))
BITS, HALF = 8, 128
SIZES = (1, 2, 3, 5, 9, 13, 22, 40)
SYMBOLS = (*(T.ge(v, 1) for v in (M, N, S)), T.ge(P, 0), T.ge(K, 0))


def limit_of(exact: Term, hypotheses: Sequence[Term], shape: tuple[int, ...] = (4,), bits: int = BITS) -> Limit:
    known = (*SYMBOLS, *hypotheses)
    case = overflow(exact, bits, known, shape)
    return find(case, case.at_uses, prover(known), "row * stride")


def points(terms: Sequence[Term], shape: tuple[int, ...]) -> Iterator[Model]:
    """Sizes, and for each all programs, trips and lanes of a small box."""
    free = {v for t in terms for v in t.free}
    ranges = {v.data: range(shape[int(v.data[2])]) if v.data.startswith("$i") else range(10) if v.data[0] == "$" else SIZES
              for v in free}  # fmt: skip
    names = sorted(ranges)
    for values in product(*(ranges[n] for n in names)):
        yield Model(dict(zip(names, values, strict=True)))


def wraps(exact: Term, hypotheses: Sequence[Term], shape: tuple[int, ...]) -> dict[tuple[tuple[str, int], ...], bool]:
    """For all sizes that some live lane belongs to, whether one of the lanes wraps."""
    out: dict[tuple[tuple[str, int], ...], bool] = {}
    for m in points([exact, *hypotheses], shape):
        if m.satisfies(hypotheses):
            sizes = tuple((k, v) for k, v in m.variables.items() if not k.startswith("$"))
            out[sizes] = out.get(sizes, False) or not -HALF <= m.value(exact) < HALF
    return out


SIMPLE = [
    pytest.param(P * S + I0, [T.lt(P, M), T.lt(I0, S)], (4,), id="row and column"),
    pytest.param(P * S, [T.lt(P, M)], (4,), id="row start"),
    pytest.param((P * 4 + I0) * S, [T.lt(P * 4 + I0, N)], (4,), id="masked block of rows"),
    pytest.param(P * 4 + I0, [T.lt(P, T.div(N + 3, T.const(4)))], (4,), id="unmasked block"),
    pytest.param(I0 * S + I1, [T.lt(I0, M), T.lt(I1, N)], (3, 4), id="tile of rows and columns"),
]


@pytest.mark.parametrize(("exact", "hypotheses", "shape"), SIMPLE)
def test_a_limit_is_enough(exact: Term, hypotheses: list[Term], shape: tuple[int, ...]) -> None:
    limit = limit_of(exact, hypotheses, shape)
    assert limit.term is not None
    assert not any(v.data.startswith("$") for v in limit.term.free)
    for sizes, wrapped in wraps(exact, hypotheses, shape).items():
        if Model(dict(sizes)).satisfies([limit.term]):
            assert not wrapped, (limit.text, sizes)


def test_the_limit_of_a_block_of_rows_is_exact() -> None:
    exact, hypotheses = (P * 4 + I0) * S, [T.lt(P * 4 + I0, N)]
    limit = limit_of(exact, hypotheses)
    assert limit.text == "(n - 1) * s < 2**7"
    assert limit.term is not None
    for sizes, wrapped in wraps(exact, hypotheses, (4,)).items():
        assert Model(dict(sizes)).satisfies([limit.term]) is not wrapped, sizes


def test_the_limit_of_rows_of_a_matrix_is_exact() -> None:
    limit = limit_of(P * S, [T.lt(P, M)])
    assert limit.text == "(m - 1) * s < 2**7"
    assert limit.term is not None
    for sizes, wrapped in wraps(P * S, [T.lt(P, M)], (4,)).items():
        held = Model(dict(sizes)).satisfies([limit.term])
        assert held is not wrapped or dict(sizes)["m"] > 10, sizes


@pytest.mark.parametrize("seed", range(40))
def test_random_limits_are_enough(seed: int) -> None:
    rng = random.Random(seed)
    local = [P, K, P * 4 + I0, I0, T.mod(P, N), T.div(P, T.const(4)), T.minimum(I0, N - 1)]
    exact = T.add(*(rng.choice(local) * rng.choice((S, N, T.ONE, T.const(3), S + 2)) for _ in range(2))) + rng.choice((0, M, -1))
    hypotheses = [T.lt(P, M), T.lt(K, N), rng.choice((T.lt(P * 4 + I0, N), T.le(2 * P, N), T.lt(P + K, S)))]
    limit = limit_of(exact, hypotheses)
    if limit.term is None:
        assert limit.text == "row * stride < 2**7"
        return
    for _ in range(1500):
        sizes = {n: rng.randint(1, 30) for n in "mns"}
        model = Model({**sizes, "$p0": rng.randrange(sizes["m"]), "$k9": rng.randrange(sizes["n"]), "$i0": rng.randrange(4)})
        if model.satisfies([*hypotheses, limit.term]):
            assert model.value(exact) < HALF, (exact, hypotheses, limit.text, model)


def test_the_range_of_a_program_id_is_no_limit() -> None:
    """`2147483646 * s < 2**31` would hold for next to no launch."""
    whole = [T.le(P, (1 << 31) - 2)]
    limit = limit_of(P * S, whole, bits=32)
    assert (limit.text, limit.term) == ("row * stride < 2**31", None)
    assert limit_of(P * S + I0, whole, bits=64).text == "2147483646 * s + 3 < 2**63"


def test_block_sizes_are_limits() -> None:
    limit = limit_of(I0 * S, [], (128,), bits=32)
    assert limit.text == "127 * s < 2**31"
    assert limit.term is T.lt(127 * S, 1 << 31)


def test_results_that_may_be_far_below_zero_have_no_limit() -> None:
    assert limit_of(I0 - P * S, [T.lt(P, M)]).term is None
    assert limit_of(P * T.var("t"), [T.lt(P, M)]).term is None


def test_the_limits_of_several_uses_are_stated_together() -> None:
    known = (*SYMBOLS, T.lt(P, M))
    first, second = overflow(P * S, BITS, known, ()), overflow(P * N, BITS, known, ())
    limit = find(first, [first.at_operation, second.at_operation, first.at_operation], prover(known), "x")
    assert limit.text == "(m - 1) * s < 2**7 and (m - 1) * n < 2**7"


def test_limits_that_others_imply_are_left_out() -> None:
    loose, tight = (Limit(text, T.lt(t, 128)) for text, t in (("(m - 1) * s < 2**7", (M - 1) * S), ("m * s < 2**7", M * S)))
    text = Limit("a * b < 2**7", None)
    assert prune([loose, tight, text, tight], SYMBOLS, prover(SYMBOLS)) == [tight, text]
