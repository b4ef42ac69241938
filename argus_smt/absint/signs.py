"""Signs of floats: sets of negative infinity, negative, zero, positive, infinity and NaN, and what arithmetic makes of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

NINF, NEG, ZERO, POS, PINF, NAN = 1, 2, 4, 8, 16, 32
FINITE = NEG | ZERO | POS
ANY = 63
_MIRROR = {NINF: PINF, NEG: POS, ZERO: ZERO, POS: NEG, PINF: NINF, NAN: NAN}
INFINITE = NINF | PINF


def bits(signs: int) -> Iterator[int]:
    """The single signs of a set."""
    for k in (NINF, NEG, ZERO, POS, PINF, NAN):
        if signs & k:
            yield k


def sign_of(x: float) -> int:
    """The sign of a number."""
    if math.isnan(x):
        return NAN
    if math.isinf(x):
        return PINF if x > 0 else NINF
    return ZERO if x == 0 else POS if x > 0 else NEG


def negated(signs: int) -> int:
    """Signs of `-x`."""
    return sum(_MIRROR[k] for k in bits(signs))


def _add(a: int, b: int) -> int:
    if a == NAN or b == NAN or {a, b} == {NINF, PINF}:
        return NAN
    for k in (NINF, PINF):
        if k in (a, b):
            return k
    if ZERO in (a, b):
        return b if a == ZERO else a
    return a if a == b else FINITE


def _product_sign(a: int, b: int) -> bool:
    """Whether a product of two signs is negative."""
    return (a in (NINF, NEG)) != (b in (NINF, NEG))


def _mul(a: int, b: int) -> int:
    infinite = a & INFINITE or b & INFINITE
    if a == NAN or b == NAN or (infinite and ZERO in (a, b)):
        return NAN
    if ZERO in (a, b):
        return ZERO
    if infinite:
        return NINF if _product_sign(a, b) else PINF
    return (NEG if _product_sign(a, b) else POS) | ZERO  # small products become zero


def _div(a: int, b: int) -> int:
    if a == NAN or b == NAN or (a & INFINITE and b & INFINITE) or (a == ZERO and b == ZERO):
        return NAN
    if a == ZERO or b & INFINITE:
        return ZERO
    if b == ZERO:
        return INFINITE
    if a & INFINITE:
        return NINF if _product_sign(a, b) else PINF
    return (NEG if _product_sign(a, b) else POS) | ZERO


def _extreme(larger: bool, keeps_nan: bool) -> Callable[[int, int], int]:
    def pick(a: int, b: int) -> int:
        if NAN in (a, b):
            return NAN if keeps_nan or a == b else (b if a == NAN else a)
        return max(a, b) if larger else min(a, b)

    return pick


_BINARY: dict[str, Callable[[int, int], int]] = {
    "fadd": _add,
    "fsub": lambda a, b: _add(a, _MIRROR[b]),
    "fmul": _mul,
    "fdiv": _div,
    "fmax": _extreme(True, False),
    "fmaximum": _extreme(True, True),
    "fmin": _extreme(False, False),
    "fminimum": _extreme(False, True),
}

_UNARY: dict[str, dict[int, int]] = {
    "fneg": _MIRROR,
    "fabs": {NINF: PINF, NEG: POS, ZERO: ZERO, POS: POS, PINF: PINF, NAN: NAN},
    "exp": {NINF: ZERO, NEG: POS | ZERO, ZERO: POS, POS: POS, PINF: PINF, NAN: NAN},
    "log": {NINF: NAN, NEG: NAN, ZERO: NINF, POS: FINITE, PINF: PINF, NAN: NAN},
    "sqrt": {NINF: NAN, NEG: NAN, ZERO: ZERO, POS: POS, PINF: PINF, NAN: NAN},
    "rsqrt": {NINF: NAN, NEG: NAN, ZERO: INFINITE, POS: POS, PINF: ZERO, NAN: NAN},
    "tanh": {NINF: NEG, NEG: NEG | ZERO, ZERO: ZERO, POS: POS | ZERO, PINF: POS, NAN: NAN},
    "expm1": {NINF: NEG, NEG: NEG | ZERO, ZERO: ZERO, POS: POS, PINF: PINF, NAN: NAN},
    "log1p": {NINF: NAN, NEG: FINITE | NINF | NAN, ZERO: ZERO, POS: POS | ZERO, PINF: PINF, NAN: NAN},
    "sin": {NINF: NAN, NEG: FINITE, ZERO: ZERO, POS: FINITE, PINF: NAN, NAN: NAN},
    "trunc": {NINF: NINF, NEG: NEG | ZERO, ZERO: ZERO, POS: POS | ZERO, PINF: PINF, NAN: NAN},
    "floor": {NINF: NINF, NEG: NEG, ZERO: ZERO, POS: POS | ZERO, PINF: PINF, NAN: NAN},
    "ceil": {NINF: NINF, NEG: NEG | ZERO, ZERO: ZERO, POS: POS, PINF: PINF, NAN: NAN},
}
_LIKE = {
    "exp2": "exp", "log2": "log", "log10": "log", "erf": "tanh", "tan": "sin", "round": "trunc", "roundeven": "trunc",
    "cbrt": "trunc", "sinh": "trunc", "asinh": "trunc", "atan": "tanh",
}  # fmt: skip


def binary(fn: str, a: int, b: int, strict: bool = False) -> int:
    """Signs of a two-operand float function; `strict` as for `settled`."""
    table = _BINARY.get(fn)
    if table is None:
        return settled(ANY, a | b, strict)
    out = 0
    for x in bits(a):
        for y in bits(b):
            out |= table(x, y)
    return settled(out, a | b, strict)


def unary(fn: str, a: int, strict: bool = False) -> int:
    """Signs of a one-operand float function; `strict` as for `settled`."""
    table = _UNARY.get(_LIKE.get(fn, fn))
    if table is None:
        return settled(ANY, a, strict)
    out = 0
    for x in bits(a):
        out |= table[x]
    return settled(out, a, strict)


def settled(signs: int, given: int, strict: bool) -> int:
    """`signs` of a result whose operands have the signs `given`.

    Arithmetic on finite numbers is taken to stay finite, so that no divisor is zero and no logarithm that of zero; `strict`
    where that may not be said, because the operand that matters is not a number of the user.
    """
    if strict or given & ~FINITE:
        return signs
    return signs & FINITE or FINITE


def below(a: int, b: int) -> bool | None:
    """Whether every number of `a` is less than every one of `b` (None: it depends); False where none is less."""
    if NAN & (a | b):
        return None
    pairs = [(x, y) for x in bits(a) for y in bits(b)]
    if all(x < y for x, y in pairs):
        return True
    single = NINF | ZERO | PINF
    return False if all(x > y or (x == y and x & single) for x, y in pairs) else None
