"""The span theorem against all indices of small views."""

from __future__ import annotations

import random
from itertools import product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argus_smt.encodings.span import Dimension, split
from argus_smt.ir.launch import extent_bytes
from argus_smt.smt import term as T
from argus_smt.smt.model import Model
from argus_smt.smt.term import Term

K, J, L = (T.var(n) for n in "ijl")
M, N, S = (T.var(n) for n in "mns")
SEEDS = st.integers(0, 2**32)


def inside(dims: tuple[Dimension, ...], at: Model) -> bool:
    """All of the goals that a split leaves."""
    return all(0 <= at.value(d.index) < at.value(d.extent) and at.value(d.stride) >= 0 for d in dims)


def in_span(offset: Term, item: int, shape: list[Term], strides: list[Term], at: Model) -> bool:
    value = at.value(offset)
    return value >= 0 and value + item <= at.value(extent_bytes(shape, strides, item))


def view(rng: random.Random) -> tuple[list[Term], list[Term]]:
    """A contiguous, padded, transposed or broadcast view of up to three dimensions, with some of its numbers symbolic."""
    shape = [rng.choice((T.const(rng.randint(1, 4)), M, N)) for _ in range(rng.randint(1, 3))]
    strides: list[Term] = []
    step = T.ONE
    for n in reversed(shape):
        strides.insert(0, step)
        step = step * n + (rng.choice((0, 0, 3)) if rng.random() < 0.4 else 0)
    if rng.random() < 0.3:
        order = rng.sample(range(len(shape)), len(shape))
        shape, strides = [shape[k] for k in order], [strides[k] for k in order]
    for k in range(len(shape)):
        if rng.random() < 0.15:
            strides[k] = rng.choice((T.ZERO, S, 2 * S))
    return shape, strides


@settings(max_examples=200)
@given(SEEDS, st.sampled_from((1, 2, 4)))
def test_an_offset_whose_indices_are_inside_is_in_the_span(seed: int, item: int) -> None:
    rng = random.Random(seed)
    shape, strides = view(rng)
    indices = [rng.choice((K, J, L, K + J, K * 2 - 1, T.const(rng.randint(-1, 3)))) for _ in shape]
    offset = T.add(*(i * s for i, s in zip(indices, strides, strict=True))) + rng.choice((0, 0, 1, -1, 2))
    dims = split(offset * item, item, shape, strides)
    for _ in range(60):
        at = Model({"i": rng.randint(-1, 5), "j": rng.randint(-1, 3), "l": rng.randint(0, 3), "m": rng.randint(1, 4),
                    "n": rng.randint(1, 4), "s": rng.randint(0, 6)})  # fmt: skip
        if dims:
            whole = T.add(*(d.index * d.stride for d in dims))
            assert at.value(whole) * item == at.value(offset * item)
            if inside(dims, at):
                assert in_span(offset * item, item, shape, strides, at), (offset, shape, strides, dims, at)


@pytest.mark.parametrize("strides", [(12, 4, 1), (20, 5, 1), (1, 2, 6), (4, 0, 1), (0, 0, 0)])
def test_every_element_of_a_view_is_in_its_span(strides: tuple[int, int, int]) -> None:
    shape = (2, 3, 4)
    extent = extent_bytes([T.const(n) for n in shape], [T.const(s) for s in strides], 4).value
    reached = [4 * sum(i * s for i, s in zip(index, strides, strict=True)) for index in product(*map(range, shape))]
    assert min(reached) == 0
    assert max(reached) + 4 == extent


def test_symbolic_rows_and_columns() -> None:
    rows, columns = split((K * S + J) * 4, 4, [M, N], [S, T.ONE])
    assert rows == Dimension(K, M, S, (0,))
    assert columns == Dimension(J, N, T.ONE, (1,))


def test_a_flat_walk_merges_dimensions() -> None:
    (flat,) = split(K * 2, 2, [M, N], [N, T.ONE])
    assert flat == Dimension(K, M * N, T.ONE, (0, 1))
    (all_three,) = split(K, 1, [T.const(2), M, N], [M * N, N, T.ONE])
    assert all_three == Dimension(K, 2 * M * N, T.ONE, (0, 1, 2))


def test_padded_rows_are_not_merged() -> None:
    dims = split(K, 1, [M, N], [N + 3, T.ONE])
    assert [d.extent for d in dims] == [M, N]


def test_dimensions_of_extent_one_are_left_out() -> None:
    assert [d.axes for d in split(K, 1, [T.ONE, N], [S, T.ONE])] == [(1,)]
    assert [d.axes for d in split(K, 1, [T.ONE, T.ONE], [S, T.ONE])] == [(1,)]


def test_offsets_that_do_not_split() -> None:
    assert split(K * 4 + 2, 4, [N], [T.ONE]) == ()
    assert split(K, 1, [N], [S]) == ()
    assert split(K * S + J, 1, [M, N], [2 * S, T.const(2)]) == ()
    assert split(K, 1, [N], [T.ZERO]) == ()
    assert split(T.ZERO, 4, [], []) == ()


@settings(max_examples=100)
@given(st.lists(st.integers(1, 3), min_size=1, max_size=3), st.integers(0, 30))
def test_a_contiguous_view_spans_its_elements(extents: list[int], number: int) -> None:
    shape = [T.const(n) for n in extents]
    strides = [T.const(prod(extents[k + 1 :])) for k in range(len(extents))]
    assert extent_bytes(shape, strides, 2).value == 2 * prod(extents)
    dims = split(T.const(2 * number), 2, shape, strides)
    if dims and inside(dims, Model({})):
        assert number < prod(extents)
