"""Laws of the shape:stride algebra, on random layouts, against going through all indices."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argus_smt.layout.algebra import (
    coalesce,
    complement,
    compose,
    left_inverse,
    logical_divide,
    logical_product,
    right_inverse,
    same_function,
)
from argus_smt.layout.counting import image_size, is_injective, is_surjective
from argus_smt.layout.error import LayoutError
from argus_smt.layout.shape_stride import Layout, Nested, compact, concatenate, flat, parse


def nested_alike(shape: Nested, strides: list[int]) -> Nested:
    return strides.pop() if isinstance(shape, int) else tuple([nested_alike(s, strides) for s in shape])


SHAPES = st.recursive(st.integers(1, 6), lambda inner: st.lists(inner, min_size=1, max_size=3).map(tuple), max_leaves=4)


@st.composite
def layouts(draw: st.DrawFn, low: int = 0) -> Layout:
    shape = draw(SHAPES)
    strides = draw(st.lists(st.one_of(st.integers(low, 9), st.sampled_from([0, 1, 2, 4, 6, 8, 12, 24])), min_size=9, max_size=9))
    return Layout(shape, nested_alike(shape, strides))


@st.composite
def nesting(draw: st.DrawFn) -> Layout:
    """Injective layouts, each stride a multiple of what lies below, in any order."""
    modes, current = [], 1
    for size in draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)):
        current *= draw(st.integers(1, 3))
        modes.append((size, current))
        current *= size
    return flat(draw(st.permutations(modes)))


def values(layout: Layout) -> list[int]:
    return [layout(i) for i in range(layout.size)]


@given(layouts(-9))
def test_text_is_read_back(layout: Layout) -> None:
    assert parse(str(layout)) == layout


@given(layouts(-9))
def test_coalescing_keeps_the_function(layout: Layout) -> None:
    assert values(coalesce(layout)) == values(layout)


@given(layouts(), layouts())
def test_equality_is_equality_of_values(a: Layout, b: Layout) -> None:
    assert same_function(a, b) == (values(a) == values(b))
    assert same_function(a, coalesce(a))


@given(layouts(-9))
def test_image_is_counted(layout: Layout) -> None:
    image = set(values(layout))
    assert image_size(layout) == len(image)
    assert is_injective(layout) == (len(image) == layout.size)
    assert is_surjective(layout) == (image == set(range(layout.cosize)))


@given(st.tuples(st.integers(2, 40), st.integers(1, 40)), st.tuples(st.integers(2, 40), st.integers(1, 40)))
def test_two_digits_are_counted(a: tuple[int, int], b: tuple[int, int]) -> None:
    layout = flat([a, b])
    assert image_size(layout) == len(set(values(layout)))


@given(layouts(), layouts())
def test_composition_is_composition(outer: Layout, inner: Layout) -> None:
    try:
        result = compose(outer, inner)
    except LayoutError:
        return
    assert values(result) == [outer(v) for v in values(inner)]


@given(st.data())
def test_compositions_of_whole_digits_exist(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.sampled_from([1, 2, 4]), min_size=1, max_size=4))
    strides = data.draw(st.lists(st.integers(0, 50), min_size=4, max_size=4))
    outer = flat(list(zip(sizes, strides, strict=False)))
    inner = flat(data.draw(st.permutations(compact(tuple(sizes)).modes)))
    assert values(compose(outer, inner)) == [outer(v) for v in values(inner)]


@given(nesting(), st.integers(1, 200))
def test_complement_fills_up(layout: Layout, size: int) -> None:
    sums = values(concatenate(layout, complement(layout, size)))
    assert len(sums) == len(set(sums))
    assert set(range(size)) <= set(sums)


@given(nesting())
def test_inverses_invert(layout: Layout) -> None:
    left, right = left_inverse(layout), right_inverse(layout)
    assert [left(v) for v in values(layout)] == list(range(layout.size))
    assert [layout(right(i)) for i in range(right.size)] == list(range(right.size))


@given(nesting(), nesting())
def test_product_is_copies_that_do_not_meet(layout: Layout, tiler: Layout) -> None:
    try:
        product = logical_product(layout, tiler)
    except LayoutError:
        return
    assert product[0] == layout
    assert len(set(values(product))) == product.size == layout.size * tiler.size


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), nesting())
def test_products_of_gapless_layouts_exist(sizes: list[int], tiler: Layout) -> None:
    layout = compact(tuple(sizes))
    assert values(logical_product(layout, tiler)[1]) == [v * layout.size for v in values(tiler)]


@given(nesting(), nesting())
def test_division_holds_the_tile_and_all_the_rest(layout: Layout, tiler: Layout) -> None:
    try:
        divided = logical_divide(layout, tiler)
    except LayoutError:
        return
    assert values(divided[0]) == [layout(v) for v in values(tiler)]
    assert set(values(divided)) == set(values(layout))


def test_examples() -> None:
    assert parse("(4,(2,3)):(1,(8,16))").at((3, (1, 2))) == 43
    assert str(compose(parse("(6,2):(8,2)"), parse("(4,3):(3,1)"))) == "((2,2),3):((24,2),8)"
    assert str(complement(parse("(2,2):(1,6)"), 24)) == "(3,2):(2,12)"
    assert str(logical_divide(parse("(4,2,3):(2,1,8)"), parse("4:2"))) == "((2,2),(2,3)):((4,1),(2,8))"
    assert image_size(flat([(1 << 20, 1), (1 << 20, 1 << 20), (3, 1 << 41)])) == 3 << 40


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(4,2):(1", "not closed"),
        ("(4,2):(1,2,3)", "not nested alike"),
        ("4,2:1", "expected `:`"),
        ("(0,2):(1,2)", "not positive"),
        ("4:x", "expected an integer"),
        ("", "ends where"),
    ],
)
def test_wrong_text_is_told(text: str, message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        parse(text)
