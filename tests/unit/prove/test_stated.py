"""Instantiated statements hold of every tensor that meets the signature, wherever its elements are asked for."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from argus_smt.ir.launch import Facts
from argus_smt.prove.contents import complete, concrete
from argus_smt.prove.stated import Stated
from argus_smt.smt import term as T
from argus_smt.smt.model import Model

SHAPES = [((7,), (1,)), ((3, 4), (4, 1)), ((2, 3), (5, 1)), ((2, 3), (1, 2))]
FACTS = [
    Facts(lower=T.const(-3), upper=T.const(20), nondecreasing=True),
    Facts(lower=T.const(0), upper=T.const(30), steps=(T.const(-1), T.const(2))),
    Facts(lower=T.const(0), upper=T.const(30), distinct=True),
    Facts(lower=T.const(-1), upper=T.const(12), distinct=True, distinct_except=T.const(-1)),
    Facts(lower=T.const(0), upper=T.const(9), steps=(T.const(0), T.const(3)), nondecreasing=True),
]


@pytest.mark.parametrize(("shape", "strides"), SHAPES)
@pytest.mark.parametrize("facts", FACTS)
def test_lemmas_hold_of_real_contents(shape: tuple[int, ...], strides: tuple[int, ...], facts: Facts) -> None:
    rng = Random(repr((shape, strides, facts)))
    dims = tuple(map(T.var, "MN"[: len(shape)]))
    known = Stated("m0:i32", facts, dims, tuple(map(T.const, strides)), 4)
    i, j = T.var("i"), T.var("j")
    cells = [T.app("m0:i32", 4 * i), T.app("m0:i32", 4 * j), T.app("m0:i32", 4 * (i * strides[0] + j * strides[-1]))]
    lemmas = [*known.among(cells), *(f for c in cells for f in known.of(c))]
    assert lemmas
    for _ in range(40):
        made = complete(shape, concrete(facts, lambda t: t.value, -(1 << 31), (1 << 31) - 1), {}, rng)
        assert made is not None
        functions = {}
        for place in range(-8, 40):
            functions["m0:i32", (4 * place,)] = rng.randint(-5, 40)  # outside of the tensor: anything
        for at in np.ndindex(shape):
            functions["m0:i32", (4 * sum(a * s for a, s in zip(at, strides, strict=True)),)] = int(made[at])
        sizes = {d.data: n for d, n in zip(dims, shape, strict=True)}
        model = Model({**sizes, "i": rng.randint(-2, 8), "j": rng.randint(-2, 8)}, functions)
        among = known.among(cells)
        assert all(model.value(f) for f in among), [str(f) for f in among if not model.value(f)]


def test_single_elements_reach_others_through_the_order() -> None:
    end = T.var("B")
    facts = Facts(nondecreasing=True, elements=(((end,), T.var("R")),))
    known = Stated("m0:i32", facts, (end + 1,), (T.ONE,), 4)
    assert known.named() == [T.app("m0:i32", 4 * end)]
    lemmas = known.among([T.app("m0:i32", 4 * T.var("b")), *known.named()])
    assert any(T.var("R") in f.free for f in lemmas)
