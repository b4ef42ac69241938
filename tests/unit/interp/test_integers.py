"""Integer operations against Python's own unbounded integers, at every width."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argus_smt.interp.integers import INT_BINARY, INT_PREDICATES, INT_UNARY, check_fits, exact

WIDTHS = (1, 8, 16, 32, 64)


def value(bits: int, code: int) -> int:
    """The number that a lane holds for a bit pattern."""
    return code if bits == 1 or code < 1 << (bits - 1) else code - (1 << bits)


def signed(bits: int, lane: int) -> int:
    return -lane if bits == 1 else lane


def unsigned(bits: int, lane: int) -> int:
    return lane % (1 << bits)


def toward_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def expected(fn: str, a: int, b: int, bits: int) -> int | None:
    """The exact result before it is cut to the width; None where there is none."""
    sa, sb, ua, ub = signed(bits, a), signed(bits, b), unsigned(bits, a), unsigned(bits, b)
    table: dict[str, Callable[[], int]] = {
        "add": lambda: a + b, "sub": lambda: a - b, "mul": lambda: a * b,
        "sdiv": lambda: toward_zero(sa, sb), "srem": lambda: sa - sb * toward_zero(sa, sb),
        "udiv": lambda: ua // ub, "urem": lambda: ua % ub,
        "mulhi_s": lambda: (sa * sb) >> bits, "mulhi_u": lambda: (ua * ub) >> bits,
        "and": lambda: a & b, "or": lambda: a | b, "xor": lambda: a ^ b,
        "shl": lambda: a << ub, "lshr": lambda: ua >> ub, "ashr": lambda: sa >> ub,
        "smin": lambda: min(sa, sb), "smax": lambda: max(sa, sb),
        "umin": lambda: min(ua, ub), "umax": lambda: max(ua, ub),
    }  # fmt: skip
    if fn in ("sdiv", "udiv", "srem", "urem") and b == 0:
        return None
    if fn in ("shl", "lshr", "ashr") and ub >= bits:
        return None
    return table[fn]()


def edges(bits: int) -> list[int]:
    codes = {0, 1, 2, 3, 5, bits - 1, bits, (1 << bits) - 1, (1 << bits) - 2, 1 << (bits - 1), (1 << (bits - 1)) - 1,
             (1 << (bits - 1)) + 1, 1 << (bits // 2), (1 << (bits // 2)) - 1}  # fmt: skip
    return [value(bits, c) for c in sorted(c for c in codes if 0 <= c < 1 << bits)]


WRAPPING = {"add", "sub", "mul", "shl"}


def check_binary(fn: str, bits: int, pairs: list[tuple[int, int]]) -> None:
    a, b = (np.array([p[k] for p in pairs], np.int64) for k in (0, 1))
    with np.errstate(all="ignore"):
        result = INT_BINARY[fn](a, b, bits)
    for k, (x, y) in enumerate(pairs):
        truth = expected(fn, x, y, bits)
        if truth is None:
            assert result.bad is not None
            assert result.bad[k], (fn, bits, x, y)
            continue
        assert result.bad is None or not result.bad[k], (fn, bits, x, y)
        assert int(result.data[k]) == value(bits, truth % (1 << bits)), (fn, bits, x, y)
        low, high = (0, 1) if bits == 1 else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        wraps = not low <= truth <= high and (fn in WRAPPING or (fn == "sdiv" and bits > 1))
        assert (result.wraps is not None and bool(result.wraps[k])) == wraps, (fn, bits, x, y)
        if wraps:
            assert exact(fn, (x, y)) == truth


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("fn", sorted(INT_BINARY))
def test_binary_at_the_edges(fn: str, bits: int) -> None:
    check_binary(fn, bits, [(a, b) for a in edges(bits) for b in edges(bits)])


@pytest.mark.parametrize("bits", WIDTHS)
@settings(max_examples=25)
@given(data=st.data())
def test_binary_anywhere(bits: int, data: st.DataObject) -> None:
    lane = st.integers(0, (1 << bits) - 1).map(lambda c: value(bits, c))
    pairs = data.draw(st.lists(st.tuples(lane, lane), min_size=1, max_size=30))
    for fn in INT_BINARY:
        check_binary(fn, bits, pairs)


@pytest.mark.parametrize("bits", WIDTHS)
def test_unary(bits: int) -> None:
    lanes = edges(bits)
    for fn, compute in INT_UNARY.items():
        with np.errstate(all="ignore"):
            result = compute(np.array(lanes, np.int64), bits)
        for k, lane in enumerate(lanes):
            code = unsigned(bits, lane)
            truth = {
                "neg": -lane, "abs": abs(lane), "not": ~lane, "popc": bin(code).count("1"),
                "clz": bits - code.bit_length(),
                "ctz": (code & -code).bit_length() - 1 if code else bits,
            }[fn]  # fmt: skip
            assert int(result.data[k]) == value(bits, truth % (1 << bits)), (fn, lane)
            if bits > 1 and fn in ("neg", "abs"):
                assert result.wraps is not None
                assert bool(result.wraps[k]) == (lane == -(1 << (bits - 1)))


@pytest.mark.parametrize("bits", WIDTHS)
def test_predicates(bits: int) -> None:
    pairs = [(a, b) for a in edges(bits) for b in edges(bits)]
    a, b = (np.array([p[k] for p in pairs], np.int64) for k in (0, 1))
    order: dict[str, Callable[[int, int], bool]] = {
        "lt": lambda x, y: x < y, "le": lambda x, y: x <= y, "gt": lambda x, y: x > y, "ge": lambda x, y: x >= y,
    }  # fmt: skip
    for name, compute in INT_PREDICATES.items():
        found = compute(a, b, bits)
        for k, (x, y) in enumerate(pairs):
            if name in ("eq", "ne"):
                assert bool(found[k]) == ((x == y) == (name == "eq"))
            else:
                read = signed if name[0] == "s" else unsigned
                assert bool(found[k]) == order[name[1:]](read(bits, x), read(bits, y)), (name, x, y)


def test_high_half_of_random_products() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(-(1 << 63), 1 << 63, (2, 500), np.int64)
    with np.errstate(all="ignore"):
        high_s, high_u = INT_BINARY["mulhi_s"](a, b, 64).data, INT_BINARY["mulhi_u"](a, b, 64).data
    for x, y, s, u in zip(a.tolist(), b.tolist(), high_s.tolist(), high_u.tolist(), strict=True):
        assert s == (x * y) >> 64
        assert u % (1 << 64) == ((x % (1 << 64)) * (y % (1 << 64))) >> 64


def test_arguments_of_either_signedness() -> None:
    assert check_fits((1 << 64) - 1, 64) == -1
    assert check_fits(-(1 << 31), 32) == -(1 << 31)
    with pytest.raises(ValueError, match="does not fit"):
        check_fits(1 << 32, 32)
