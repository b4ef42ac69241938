"""Conversions between scalar types on lanes; pointer conversions need the address map and live with the machine."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from argus_smt.interp.formats import reinterpret, round_to, settle
from argus_smt.interp.integers import IntResult, signed, unsigned
from argus_smt.interp.lanes import Array
from argus_smt.ir.types import Scalar


def _trunc(x: Array, source: Scalar, target: Scalar) -> IntResult:
    data = settle(x, target.bits)
    return IntResult(data, data != x)


def _sitofp(x: Array, source: Scalar, target: Scalar) -> IntResult:
    return IntResult(_from_int(signed(x, source.bits), target))


def _uitofp(x: Array, source: Scalar, target: Scalar) -> IntResult:
    return IntResult(_from_int(unsigned(x, source.bits), target))


def _from_int(x: Array, target: Scalar) -> Array:
    """One rounding for f32 and f64; narrower types go through f64, which holds what decides their rounding."""
    wide = np.float32 if target.name == "f32" else np.float64
    return round_to(np.asarray(x.astype(wide)), target)


def _fptosi(x: Array, source: Scalar, target: Scalar) -> IntResult:
    whole = np.trunc(x.astype(np.float64))
    limit = 2.0 ** (target.bits - 1)
    fits = (whole >= -limit) & (whole < limit)
    return IntResult(settle(np.where(fits, whole, 0).astype(np.int64), target.bits), None, ~fits, "undef")


def _fptoui(x: Array, source: Scalar, target: Scalar) -> IntResult:
    whole = np.trunc(x.astype(np.float64))
    fits = (whole >= 0) & (whole < 2.0**target.bits)
    data = np.where(fits, whole, 0).astype(np.uint64).view(np.int64)
    return IntResult(settle(data, target.bits), None, ~fits, "undef")


def _fptrunc(x: Array, source: Scalar, target: Scalar) -> IntResult:
    return IntResult(round_to(x, target))


def _fptrunc_rz(x: Array, source: Scalar, target: Scalar) -> IntResult:
    """Towards zero: what rounded away from it becomes the next smaller number of the format, one less in its bits."""
    nearest = round_to(x, target)
    with np.errstate(all="ignore"):
        away = np.abs(nearest.astype(np.float64)) > np.abs(np.asarray(x, np.float64))
    bits = Scalar(f"i{target.bits}")
    smaller = reinterpret(reinterpret(nearest, target, bits) - 1, bits, target)
    return IntResult(np.where(away, smaller, nearest))


SCALAR_CASTS: dict[str, Callable[[Array, Scalar, Scalar], IntResult]] = {
    "sext": lambda x, source, target: IntResult(settle(signed(x, source.bits), target.bits)),
    "zext": lambda x, source, target: IntResult(settle(unsigned(x, source.bits).view(np.int64), target.bits)),
    "trunc": _trunc,
    "sitofp": _sitofp,
    "uitofp": _uitofp,
    "fptosi": _fptosi,
    "fptoui": _fptoui,
    "fpext": _fptrunc,
    "fptrunc": _fptrunc,
    "fptrunc_rz": _fptrunc_rz,
    "bitcast": lambda x, source, target: IntResult(reinterpret(x, source, target)),
    "same": lambda x, source, target: IntResult(x),
}
"""Kind to function of (lanes, source type, target type). A float outside the integer type has no result."""

POINTER_CASTS = frozenset({"ptr_to_int", "int_to_ptr", "ptr_cast"})
