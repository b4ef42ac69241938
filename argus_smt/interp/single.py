"""Operations on single numbers, with the results that lanes get: for analyses that fold constants."""

from __future__ import annotations

import numpy as np

from argus_smt.interp import floats
from argus_smt.interp.casts import SCALAR_CASTS
from argus_smt.interp.formats import lane_dtype, round_to
from argus_smt.interp.integers import INT_BINARY, INT_PREDICATES, INT_UNARY, IntResult
from argus_smt.interp.lanes import Array
from argus_smt.ir.types import Scalar

Number = int | float


def _lane(value: Number, elem: Scalar) -> Array:
    with np.errstate(all="ignore"):
        if elem.is_int:
            return np.asarray(int(value), np.int64)
        return round_to(np.asarray(value, np.float64), elem).astype(lane_dtype(elem))


def rounded(value: Number, elem: Scalar) -> float:
    """A float as its type holds it."""
    return float(_lane(value, elem))


def unary(fn: str, x: Number, elem: Scalar) -> Number | None:
    """`fn`, a key of UNARY; None for the function without a name."""
    with np.errstate(all="ignore"):
        if fn in floats.FLOAT_TESTS:
            return int(floats.FLOAT_TESTS[fn](_lane(x, elem)))
        if fn in INT_UNARY:
            return _integer(INT_UNARY[fn](_lane(x, elem), elem.bits))
        return float(floats.unary(fn, _lane(x, elem), elem)) if fn in floats.FLOAT_UNARY_NAMES else None


def binary(fn: str, a: Number, b: Number, elem: Scalar) -> Number | None:
    """`fn`, a key of BINARY; None where there is no result, as for a division by 0."""
    x, y = _lane(a, elem), _lane(b, elem)
    with np.errstate(all="ignore"):
        if fn in INT_BINARY:
            return _integer(INT_BINARY[fn](x, y, elem.bits))
        return float(floats.binary(fn, x, y, elem))


def compare(pred: str, a: Number, b: Number, elem: Scalar) -> bool:
    """`pred`, a key of PREDICATES."""
    x, y = _lane(a, elem), _lane(b, elem)
    return bool(INT_PREDICATES[pred](x, y, elem.bits) if elem.is_int else floats.compare(pred, x, y))


def cast(kind: str, x: Number, source: Scalar, target: Scalar) -> Number | None:
    """`kind`, a key of CASTS between numbers; None where there is no result."""
    with np.errstate(all="ignore"):
        result = SCALAR_CASTS[kind](_lane(x, source), source, target)
    found = _integer(result)
    return found if found is None or target.is_int else float(result.data)


def _integer(result: IntResult) -> int | float | None:
    wrong = result.bad is not None and bool(np.any(result.bad))
    return None if wrong else np.asarray(result.data).item()
