"""Exact machine integers: every operation gives the two's complement result and the lanes where it is not the true one.

Arrays hold int64 numbers in the signed range of their width; i1 holds 0 and 1. Widths below 64 are computed in 64 bits,
where nothing is lost; 64-bit results are checked by sign rules and by the high half of products.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from argus_smt.interp.formats import settle, settle_int
from argus_smt.interp.lanes import Array


@dataclass(frozen=True, slots=True, eq=False)
class IntResult:
    """`wraps`: lanes whose exact result does not fit; `bad`: lanes without a result, because of `fault`."""

    data: Array
    wraps: Array | None = None
    bad: Array | None = None
    fault: str = ""


def signed(x: Array, bits: int) -> Array:
    """The numbers as signed ones: a set boolean is -1."""
    return -x if bits == 1 else x


def unsigned(x: Array, bits: int) -> Array:
    """The numbers as unsigned ones, as uint64."""
    raw = x.astype(np.int64, copy=False).view(np.uint64)
    return raw if bits == 64 else raw & np.uint64((1 << bits) - 1)


def _from_unsigned(x: Array, bits: int) -> Array:
    return settle(x.astype(np.uint64, copy=False).view(np.int64), bits)


def _fitted(exact: Array, bits: int) -> IntResult:
    """Result of an operation on fewer than 64 bits, from its exact value."""
    data = settle(exact, bits)
    return IntResult(data, data != exact)


def _add(a: Array, b: Array, bits: int) -> IntResult:
    total = a + b
    return _fitted(total, bits) if bits < 64 else IntResult(total, ((a ^ total) & (b ^ total)) < 0)


def _sub(a: Array, b: Array, bits: int) -> IntResult:
    total = a - b
    return _fitted(total, bits) if bits < 64 else IntResult(total, ((a ^ b) & (a ^ total)) < 0)


def _mul(a: Array, b: Array, bits: int) -> IntResult:
    product = a * b
    if bits < 64:
        return _fitted(product, bits)
    return IntResult(product, _high_signed(a, b) != (product >> 63))


def _high_unsigned(a: Array, b: Array) -> Array:
    """High 64 bits of the product of uint64 arrays, by 32-bit halves."""
    low, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    a0, a1, b0, b1 = a & low, a >> shift, b & low, b >> shift
    middle = a1 * b0 + ((a0 * b0) >> shift)
    carry = a0 * b1 + (middle & low)
    return np.asarray(a1 * b1 + (middle >> shift) + (carry >> shift))


def _high_signed(a: Array, b: Array) -> Array:
    high = _high_unsigned(a.view(np.uint64), b.view(np.uint64)).view(np.int64)
    return high - np.where(a < 0, b, 0) - np.where(b < 0, a, 0)


def _mulhi_s(a: Array, b: Array, bits: int) -> IntResult:
    if bits == 64:
        return IntResult(_high_signed(a, b))
    return IntResult(settle((signed(a, bits) * signed(b, bits)) >> bits, bits))


def _mulhi_u(a: Array, b: Array, bits: int) -> IntResult:
    ua, ub = unsigned(a, bits), unsigned(b, bits)
    high = _high_unsigned(ua, ub) if bits == 64 else (ua * ub) >> np.uint64(bits)
    return IntResult(_from_unsigned(high, bits))


def _magnitudes(a: Array, b: Array, bits: int) -> tuple[Array, Array, Array]:
    """|a|, |b| as uint64 with 1 for a zero divisor, and the zero lanes."""
    zero = b == 0
    a, b = signed(a, bits), np.where(zero, 1, signed(b, bits))
    return np.abs(a).view(np.uint64), np.abs(b).view(np.uint64), zero


def _sdiv(a: Array, b: Array, bits: int) -> IntResult:
    ua, ub, zero = _magnitudes(a, b, bits)
    size = (ua // ub).view(np.int64)
    quotient = np.where((a < 0) != (b < 0), -size, size) if bits > 1 else size
    lowest = a == (-(1 << (bits - 1)) if bits > 1 else 1)
    wraps = lowest & (b == (-1 if bits > 1 else 1)) & (bits > 1)
    return IntResult(settle(quotient, bits), wraps, zero, "div_zero")


def _srem(a: Array, b: Array, bits: int) -> IntResult:
    ua, ub, zero = _magnitudes(a, b, bits)
    size = (ua % ub).view(np.int64)
    return IntResult(settle(np.where(a < 0, -size, size), bits), None, zero, "div_zero")


def _udiv(a: Array, b: Array, bits: int) -> IntResult:
    zero = b == 0
    quotient = unsigned(a, bits) // unsigned(np.where(zero, 1, b), bits)
    return IntResult(_from_unsigned(quotient, bits), None, zero, "div_zero")


def _urem(a: Array, b: Array, bits: int) -> IntResult:
    zero = b == 0
    rest = unsigned(a, bits) % unsigned(np.where(zero, 1, b), bits)
    return IntResult(_from_unsigned(rest, bits), None, zero, "div_zero")


def _amount(b: Array, bits: int) -> tuple[Array, Array]:
    """Shift amounts with 0 for those that are not in [0, bits), and the lanes where they are not."""
    bad = unsigned(b, bits) >= np.uint64(bits)
    return np.where(bad, 0, b), bad


def _shl(a: Array, b: Array, bits: int) -> IntResult:
    by, bad = _amount(b, bits)
    moved = settle(a << by, bits)
    return IntResult(moved, (moved >> by) != a, bad, "shift_width")


def _lshr(a: Array, b: Array, bits: int) -> IntResult:
    by, bad = _amount(b, bits)
    return IntResult(_from_unsigned(unsigned(a, bits) >> by.view(np.uint64), bits), None, bad, "shift_width")


def _ashr(a: Array, b: Array, bits: int) -> IntResult:
    by, bad = _amount(b, bits)
    return IntResult(settle(signed(a, bits) >> by, bits), None, bad, "shift_width")


def _pick(order: Callable[[Array, int], Array], smaller: bool) -> Callable[[Array, Array, int], IntResult]:
    def pick(a: Array, b: Array, bits: int) -> IntResult:
        less = order(a, bits) < order(b, bits)
        return IntResult(np.where(less == smaller, a, b))

    return pick


INT_BINARY: dict[str, Callable[[Array, Array, int], IntResult]] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "sdiv": _sdiv,
    "udiv": _udiv,
    "srem": _srem,
    "urem": _urem,
    "mulhi_s": _mulhi_s,
    "mulhi_u": _mulhi_u,
    "and": lambda a, b, bits: IntResult(a & b),
    "or": lambda a, b, bits: IntResult(a | b),
    "xor": lambda a, b, bits: IntResult(a ^ b),
    "shl": _shl,
    "lshr": _lshr,
    "ashr": _ashr,
    "smin": _pick(signed, True),
    "smax": _pick(signed, False),
    "umin": _pick(unsigned, True),
    "umax": _pick(unsigned, False),
}


def _neg(a: Array, bits: int) -> IntResult:
    return _sub(np.zeros_like(a), a, bits)


def _abs(a: Array, bits: int) -> IntResult:
    if bits == 1:
        return IntResult(a)
    return IntResult(settle(np.abs(a), bits), a == -(1 << (bits - 1)))


def _popcount(x: Array) -> Array:
    """Set bits of each uint64."""
    pairs, nibbles = np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & pairs) + ((x >> np.uint64(2)) & pairs)
    x = (x + (x >> np.uint64(4))) & nibbles
    return np.asarray((x * np.uint64(0x0101010101010101)) >> np.uint64(56)).view(np.int64)


def _smear(x: Array) -> Array:
    """Each uint64 with all bits below its highest set one set too."""
    for by in (1, 2, 4, 8, 16, 32):
        x = x | (x >> np.uint64(by))
    return x


def _clz(a: Array, bits: int) -> IntResult:
    return IntResult(settle(bits - _popcount(_smear(unsigned(a, bits))), bits))


def _ctz(a: Array, bits: int) -> IntResult:
    lowest = a & -a
    count = _popcount(unsigned(lowest - 1, bits))
    return IntResult(settle(count, bits))


INT_UNARY: dict[str, Callable[[Array, int], IntResult]] = {
    "neg": _neg,
    "abs": _abs,
    "not": lambda a, bits: IntResult(1 - a if bits == 1 else ~a),
    "clz": _clz,
    "ctz": _ctz,
    "popc": lambda a, bits: IntResult(settle(_popcount(unsigned(a, bits)), bits)),
}

INT_PREDICATES: dict[str, Callable[[Array, Array, int], Array]] = {
    "eq": lambda a, b, bits: a == b,
    "ne": lambda a, b, bits: a != b,
    "slt": lambda a, b, bits: signed(a, bits) < signed(b, bits),
    "sle": lambda a, b, bits: signed(a, bits) <= signed(b, bits),
    "sgt": lambda a, b, bits: signed(a, bits) > signed(b, bits),
    "sge": lambda a, b, bits: signed(a, bits) >= signed(b, bits),
    "ult": lambda a, b, bits: unsigned(a, bits) < unsigned(b, bits),
    "ule": lambda a, b, bits: unsigned(a, bits) <= unsigned(b, bits),
    "ugt": lambda a, b, bits: unsigned(a, bits) > unsigned(b, bits),
    "uge": lambda a, b, bits: unsigned(a, bits) >= unsigned(b, bits),
}


def exact(fn: str, operands: tuple[int, ...]) -> int | None:
    """The true result of an operation that can wrap, from its operands (one or two); None for any other operation."""
    match fn, operands:
        case "add", (a, b):
            return a + b
        case "sub", (a, b):
            return a - b
        case "mul", (a, b):
            return a * b
        case "shl", (a, b):
            return a << b
        case "sdiv", (a, b):
            return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        case "neg", (a,):
            return -a
        case "abs", (a,):
            return abs(a)
        case "trunc", (a,):
            return a
    return None


def check_fits(value: int, bits: int) -> int:
    """An argument as a lane of `bits`; numbers of either signedness are taken.

    Raises ValueError where it fits neither.
    """
    if not -(1 << (bits - 1)) <= value < 1 << bits:
        raise ValueError(f"{value} does not fit in {bits} bits")
    return settle_int(value, bits)
