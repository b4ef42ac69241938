"""Conversions keep the function, element by element, and refuse what has no form of the other kind."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argus_smt.layout.convert import Swizzle, linear_of, shape_stride_of
from argus_smt.layout.error import LayoutError
from argus_smt.layout.linear import linear
from argus_smt.layout.shape_stride import Layout, flat, parse
from argus_smt.layout.shared import Swizzled

POWERS = st.lists(st.tuples(st.sampled_from([1, 2, 4, 8]), st.sampled_from([0, 1, 2, 3, 4, 8, 16, 32])), max_size=4).map(flat)


@given(POWERS)
def test_linear_form_has_the_same_values_and_leads_back(layout: Layout) -> None:
    try:
        form = linear_of(layout)
    except LayoutError:
        return
    values = [layout(i) for i in range(layout.size)]
    assert [form(index=i)[0] for i in range(layout.size)] == values
    back = shape_stride_of(form)
    assert [back(i) for i in range(back.size)] == values


@given(st.integers(0, 4), st.integers(0, 4), st.integers(-6, 6), st.integers(1, 12))
def test_swizzles_are_bijections_and_linear(bits: int, base: int, shift: int, width: int) -> None:
    if abs(shift) < bits:
        return
    swizzle, count = Swizzle(bits, base, shift), 1 << width
    whole = max(count, 1 << bits + base + abs(shift))
    assert sorted(swizzle(i) for i in range(whole)) == list(range(whole))
    form = linear_of(Layout(count, 1), swizzle)
    assert [form(index=i)[0] for i in range(count)] == [swizzle(i) for i in range(count)]


@pytest.mark.parametrize("columns", [64, 128])
def test_swizzled_rows_are_a_swizzle(columns: int) -> None:
    layout, shape = Swizzled(8, 1, 8, (1, 0)), [16, columns]
    swizzle = Swizzle(3, 3, columns.bit_length() - 1 - 3)
    for row in range(16):
        for column in range(columns):
            assert layout.address(shape, (row, column)) == swizzle(row * columns + column)


def test_what_has_no_form_is_refused() -> None:
    for text in ("(3,2):(1,4)", "4:3", "(2,2):(1,1)", "(4,2):(1,2)"):
        with pytest.raises(LayoutError):
            linear_of(parse(text))
    with pytest.raises(LayoutError, match="several bits"):
        shape_stride_of(linear({"index": [[1], [3]]}, {"offset": 4}))
    with pytest.raises(LayoutError, match="overlap"):
        Swizzle(3, 0, 2)
