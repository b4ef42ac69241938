"""Shape operations, dot products, reductions, scans and gathers, through memory and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from argus_smt.ir.ops import (
    Binary,
    Broadcast,
    Cat,
    Cmp,
    Dot,
    ExpandDims,
    Gather,
    If,
    Join,
    Reduce,
    Reshape,
    Scan,
    Select,
    Splat,
    Split,
    Trans,
    Unsplat,
    Value,
)
from argus_smt.ir.types import I1, I32, Scalar, Tile
from tests.unit.interp.build import Builder, apply

F32 = Scalar("f32")


def run(make: Any, *inputs: Any, out: Any) -> Any:
    (found,), trace = apply(lambda b, *x: [make(b, *x)], [(x, "i32") for x in inputs], [(out, "i32")])
    assert trace.events == []
    return found


X = np.arange(12).reshape(3, 4)


def test_moves() -> None:
    t = lambda *shape: Tile(shape, I32)  # noqa: E731
    assert (run(lambda b, x: b.let(t(4, 3), Trans, x, (1, 0)), X, out=(4, 3)) == X.T).all()
    assert (run(lambda b, x: b.let(t(2, 6), Reshape, x), X, out=(2, 6)) == X.reshape(2, 6)).all()
    wide = run(lambda b, x: b.let(t(3, 2, 4), Broadcast, b.let(t(3, 1, 4), ExpandDims, x, 1)), X, out=(3, 2, 4))
    assert (wide == np.stack([X, X], axis=1)).all()
    assert (run(lambda b, x, y: b.let(t(3, 4, 2), Join, x, y), X, -X, out=(3, 4, 2))[..., 1] == -X).all()
    assert run(lambda b, x, y: b.let(t(4), Cat, x, y), [1, 2], [3, 4], out=(4,)).tolist() == [1, 2, 3, 4]


def test_permutation_of_three_dimensions() -> None:
    x = np.arange(24).reshape(2, 3, 4)
    assert (run(lambda b, v: b.let(Tile((4, 2, 3), I32), Trans, v, (2, 0, 1)), x, out=(4, 2, 3)) == x.transpose(2, 0, 1)).all()


def test_split() -> None:
    def make(b: Builder, x: Value) -> list[Value]:
        halves = (b.new(Tile((3,), I32)), b.new(Tile((3,), I32)))
        b.add(Split, halves, x)
        return list(halves)

    found, _ = apply(make, [(np.arange(6).reshape(3, 2), "i32")], [((3,), "i32")] * 2)
    assert [f.tolist() for f in found] == [[0, 2, 4], [1, 3, 5]]


def test_gather() -> None:
    index = np.array([[3, 0], [1, 1], [2, 3]])
    make = lambda b, x, i: b.let(Tile((3, 2), I32), Gather, x, i, 1)  # noqa: E731
    assert (run(make, X, index, out=(3, 2)) == np.take_along_axis(X, index, 1)).all()
    _, trace = apply(lambda b, *v: [make(b, *v)], [(X, "i32"), (index + 1, "i32")], [((3, 2), "i32")])
    (event,) = trace.events
    assert (event.kind, event.element, event.value, event.count) == ("gather_index", (0, 0), 4, 2)


def test_dot() -> None:
    a, b, c = np.arange(6).reshape(2, 3), np.arange(12).reshape(3, 4), np.ones((2, 4), int)
    make = lambda k, *v: k.let(Tile((2, 4), I32), Dot, *v)  # noqa: E731
    assert (run(make, a, b, c, out=(2, 4)) == a @ b + c).all()
    floats = [(x.astype(np.float32), "f32") for x in (a, b, c)]
    (found,), _ = apply(lambda k, *v: [k.let(Tile((2, 4), F32), Dot, *v)], floats, [((2, 4), "f32")])
    assert (found == a @ b + c).all()


def fold(kind: Any, fn: str, axis: int, of: Tile, **more: Any) -> Any:
    def make(b: Builder, x: Value) -> Value:
        left, right, result = b.new(I32), b.new(I32), b.new(of)
        combine = b.inside((left, right), lambda p, q: [b.let(I32, Binary, fn, p, q)])
        b.add(kind, (result,), (x,), axis, *more.values(), combine)
        return result

    return make


@pytest.mark.parametrize("axis", [0, 1])
def test_reduce_and_scan(axis: int) -> None:
    shape = X.sum(axis).shape
    assert (run(fold(Reduce, "add", axis, Tile(shape, I32)), X, out=shape) == X.sum(axis)).all()
    assert (run(fold(Reduce, "smax", axis, Tile(shape, I32)), -X, out=shape) == (-X).max(axis)).all()
    whole = Tile((3, 4), I32)
    assert (run(fold(Scan, "add", axis, whole, reverse=False), X, out=(3, 4)) == X.cumsum(axis)).all()
    back = np.flip(np.flip(X, axis).cumsum(axis), axis)
    assert (run(fold(Scan, "add", axis, whole, reverse=True), X, out=(3, 4)) == back).all()


def test_reduce_keeps_the_order_of_operands() -> None:
    """`2 * left + right` is not associative, but first-of-both is, and it is not commutative."""

    def make(b: Builder, x: Value) -> Value:
        left, right, result = b.new(I32), b.new(I32), b.new(I32)
        b.add(Reduce, (result,), (x,), 0, b.inside((left, right), lambda p, _q: [p]))

        return b.let(Tile((1,), I32), Splat, result)

    assert run(make, np.array([5, 1, 9, 7, 3]), out=(1,)).tolist() == [5]


@pytest.mark.parametrize("branches", [False, True])
def test_argmax_with_ties_to_the_left(branches: bool) -> None:
    """Two operands at once, in straight code and with a branch in the combine region."""

    def make(b: Builder, x: Value, at: Value) -> list[Value]:
        params = [b.new(I32) for _ in range(4)]

        def body(v: Value, i: Value, w: Value, j: Value) -> list[Value]:
            more = b.let(I1, Cmp, "sgt", v, w)
            same = b.let(I1, Cmp, "eq", v, w)
            first = b.let(I1, Binary, "and", same, b.let(I1, Cmp, "slt", i, j))
            left = b.let(I1, Binary, "or", more, first)
            if not branches:
                return [b.let(I32, Select, left, v, w), b.let(I32, Select, left, i, j)]
            results = (b.new(I32), b.new(I32))
            b.add(If, results, left, b.inside((), lambda: [v, i]), b.inside((), lambda: [w, j]))
            return list(results)

        results = (b.new(Tile((3,), I32)), b.new(Tile((3,), I32)))
        b.add(Reduce, results, (x, at), 1, b.inside(params, body))
        return list(results)

    x = np.array([[1, 5, 5, 2], [7, 7, 7, 7], [0, -1, -2, 3]])
    found, trace = apply(make, [(x, "i32"), (np.tile(np.arange(4), (3, 1)), "i32")], [((3,), "i32")] * 2)
    assert trace.events == []
    assert [f.tolist() for f in found] == [[5, 7, 3], [1, 0, 3]]


def test_unsplat() -> None:

    make = lambda b, x: b.let(Tile((2,), I32), Splat, b.let(I32, Unsplat, x))  # noqa: E731
    assert run(make, np.array([[4]]), out=(2,)).tolist() == [4, 4]


def test_integer_dot_that_wraps() -> None:
    a, b, c = (np.full((1, 1), v) for v in (1 << 16, 1 << 15, 0))
    (found,), trace = apply(lambda k, *v: [k.let(Tile((1, 1), I32), Dot, *v)], [(x, "i32") for x in (a, b, c)], [((1, 1), "i32")])
    assert found.tolist() == [[-(1 << 31)]]
    assert [(e.kind, e.value) for e in trace.events] == [("wrap", 1 << 31)]
