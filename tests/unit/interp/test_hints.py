"""The weakest reading of multiple_of, max_contiguous and max_constancy."""

from __future__ import annotations

import numpy as np
import pytest

from argus_smt.interp.hints import broken_lanes


def broken(kind: str, values: tuple[int, ...], numbers: object, stride: int = 1) -> list[int]:
    return np.flatnonzero(broken_lanes(kind, values, np.asarray(numbers), stride)).tolist()


def test_divisibility_is_of_the_first_of_each_contiguous_group() -> None:
    assert broken("divisibility", (8,), 24) == []
    assert broken("divisibility", (8,), 25) == [0]
    assert broken("divisibility", (16,), 32 + np.arange(8)) == []
    assert broken("divisibility", (16,), 33 + np.arange(8)) == [0]
    assert broken("divisibility", (4,), [0, 1, 4, 5, 8, 9, 13, 14]) == [6]
    assert broken("divisibility", (4,), [0, 4, 8, 13]) == [3]
    assert broken("divisibility", (16,), 4096 + 4 * np.arange(8), stride=4) == []


def test_contiguity_and_constancy_are_by_aligned_groups() -> None:
    assert broken("contiguity", (2,), [4, 5, 9, 10]) == []
    assert broken("contiguity", (4,), [4, 5, 9, 10]) == [2]
    assert broken("contiguity", (16,), [4, 5, 6, 7]) == []
    assert broken("constancy", (2,), [4, 4, 9, 9]) == []
    assert broken("constancy", (4,), [4, 4, 9, 9]) == [2]


def test_each_dimension_has_its_number() -> None:
    numbers = np.arange(4)[None, :] + 64 * np.arange(2)[:, None]
    assert broken("contiguity", (1, 4), numbers) == []
    assert broken("contiguity", (2, 1), numbers) == [4, 5, 6, 7]
    assert broken("divisibility", (1, 4), numbers) == []


def test_unknown_hint() -> None:
    with pytest.raises(ValueError, match="unknown hint"):
        broken("shininess", (1,), [1, 2])
