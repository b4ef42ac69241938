"""Float operations, rounded to their type after each one.

Types narrower than 32 bits are computed in f32 and rounded, which gives the correctly rounded result for
`+ - * / sqrt` (24 bits are more than twice 11, and two more). NumPy's own functions serve f32 and f64.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from argus_smt.interp.formats import round_to
from argus_smt.interp.lanes import Array
from argus_smt.ir.types import Scalar


def _one_by_one(fn: Callable[[float], float]) -> Callable[[Array], Array]:
    """A function that Python has and NumPy lacks."""
    return lambda x: np.asarray(np.vectorize(fn, otypes=[np.float64])(x)).astype(x.dtype)


def _round_away(x: Array) -> Array:
    """To the nearest integer, halves away from zero."""
    whole = np.trunc(x)
    return np.asarray(whole + np.where(np.abs(x - whole) >= 0.5, np.copysign(1, x), 0)).astype(x.dtype)


_FLOAT_UNARY: dict[str, Callable[[Array], Array]] = {
    "fneg": np.negative,
    "fabs": np.abs,
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "log1p": np.log1p,
    "expm1": np.expm1,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "tanh": np.tanh,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: np.reciprocal(np.sqrt(x)),
    "erf": _one_by_one(math.erf),
    "erfc": _one_by_one(math.erfc),
    "log10": np.log10,
    "cbrt": np.cbrt,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "roundeven": np.rint,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round": _round_away,
}

FLOAT_TESTS: dict[str, Callable[[Array], Array]] = {"isnan": np.isnan, "isinf": np.isinf}

_FLOAT_BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "fadd": np.add,
    "fsub": np.subtract,
    "fmul": np.multiply,
    "fdiv": np.divide,
    "frem": np.fmod,
    "fmin": np.fmin,
    "fmax": np.fmax,
    "fminimum": np.minimum,
    "fmaximum": np.maximum,
    "pow": np.power,
    "atan2": np.arctan2,
}

FLOAT_UNARY_NAMES = frozenset(_FLOAT_UNARY)
FLOAT_BINARY_NAMES = frozenset(_FLOAT_BINARY)


def widen(x: Array) -> Array:
    """f64 as it is, anything narrower as f32."""
    return x if x.dtype == np.float64 else x.astype(np.float32, copy=False)


def unary(fn: str, x: Array, elem: Scalar) -> Array:
    """`fn`, one of FLOAT_UNARY_NAMES, on lanes of type `elem`."""
    return round_to(np.asarray(_FLOAT_UNARY[fn](widen(x))), elem)


def binary(fn: str, a: Array, b: Array, elem: Scalar) -> Array:
    """`fn`, one of FLOAT_BINARY_NAMES, on lanes of type `elem`."""
    return round_to(np.asarray(_FLOAT_BINARY[fn](widen(a), widen(b))), elem)


def fma(a: Array, b: Array, c: Array, elem: Scalar) -> Array:
    """`a * b + c` with the product kept in f64."""
    product = a.astype(np.float64) * b.astype(np.float64)
    return round_to(np.asarray(product + c.astype(np.float64)), elem)


def dot(a: Array, b: Array, c: Array, elem: Scalar) -> Array:
    """`a @ b + c`, summed in f32 (in f64 where the result is f64)."""
    wide = np.float64 if elem.name == "f64" else np.float32
    product = np.matmul(a.astype(wide), b.astype(wide))
    return round_to(np.asarray(product + c.astype(wide)), elem)


_ORDERED: dict[str, Callable[[Array, Array], Array]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}

_UNORDERED = {"eq": "ueq", "ne": "une", "lt": "fult", "le": "fule", "gt": "fugt", "ge": "fuge"}
"""Names of the unordered comparisons; `ult` and the like are those of unsigned integers."""

_RELATIONS: dict[str, tuple[str, bool]] = {f"o{p}": (p, False) for p in _ORDERED} | {
    name: (p, True) for p, name in _UNORDERED.items()
}
"""Name to relation and whether it holds for NaN."""

FLOAT_PREDICATES = frozenset([*_RELATIONS, "ord", "uno", "false", "true"])


def compare(pred: str, a: Array, b: Array) -> Array:
    """A boolean array; `pred` is one of FLOAT_PREDICATES."""
    a, b = widen(a), widen(b)
    unordered = np.isnan(a) | np.isnan(b)
    match pred:
        case "false" | "true":
            return np.full(unordered.shape, pred == "true")
        case "ord":
            return ~unordered
        case "uno":
            return unordered
    relation, with_nan = _RELATIONS[pred]
    holds = _ORDERED[relation](a, b)
    return holds | unordered if with_nan else holds & ~unordered
