"""How elements look as NumPy arrays and as bytes in memory, for every element type."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np

from argus_smt.interp.lanes import Array
from argus_smt.ir.types import Ptr, Scalar

FLOAT_DTYPES: dict[str, np.dtype[Any]] = {
    "f64": np.dtype(np.float64),
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f8e4m3fn": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8e4m3fnuz": np.dtype(ml_dtypes.float8_e4m3fnuz),
    "f8e5m2": np.dtype(ml_dtypes.float8_e5m2),
    "f8e5m2fnuz": np.dtype(ml_dtypes.float8_e5m2fnuz),
    "f8e4m3b15": np.dtype(np.float32),
}
"""f8e4m3b15 has no NumPy type: its lanes are f32 numbers that the format can hold."""

INT_DTYPES: dict[int, np.dtype[Any]] = {
    1: np.dtype(np.int8),
    8: np.dtype(np.int8),
    16: np.dtype(np.int16),
    32: np.dtype(np.int32),
    64: np.dtype(np.int64),
}
POISON_INT = 0x5A5A5A5A5A5A5A5A
"""Cut to the width: what undefined integer lanes hold. Undefined float lanes hold NaN."""


def lane_dtype(elem: Scalar | Ptr) -> np.dtype[Any]:
    """NumPy type of the lanes of a value of this element type."""
    if isinstance(elem, Ptr) or elem.is_int:
        return np.dtype(np.int64)
    return FLOAT_DTYPES[elem.name]


def poison(elem: Scalar | Ptr, shape: tuple[int, ...]) -> Array:
    """An array of what undefined lanes hold."""
    if isinstance(elem, Ptr):
        return np.zeros(shape, np.int64)
    if elem.is_int:
        return np.full(shape, settle(np.asarray(POISON_INT, np.int64), elem.bits), np.int64)
    return np.full(shape, np.nan, FLOAT_DTYPES[elem.name])


def settle(x: Array, bits: int) -> Array:
    """int64 numbers brought into the signed range of `bits` (0 and 1 for one bit), modulo 2**bits."""
    if bits == 64:
        return x
    if bits == 1:
        return x & 1
    half = 1 << (bits - 1)
    return ((x + half) & ((1 << bits) - 1)) - half


def settle_int(x: int, bits: int) -> int:
    """The same for one Python integer of any size."""
    if bits == 1:
        return x & 1
    half = 1 << (bits - 1)
    return ((x + half) & ((1 << bits) - 1)) - half


def round_to(x: Array, elem: Scalar) -> Array:
    """Floats of any width rounded (to nearest, ties to even) into the lanes of type `elem`."""
    if elem.name == "f8e4m3b15":
        return _e4m3b15_values()[_e4m3b15_encode(x)]
    return x.astype(FLOAT_DTYPES[elem.name], copy=False)


def encode(x: Array, elem: Scalar) -> Array:
    """Lanes as bytes: shape (…, nbytes), little endian."""
    if elem.name == "f8e4m3b15":
        raw = _e4m3b15_encode(x)
    elif elem.is_int:
        raw = x.astype(INT_DTYPES[elem.bits])
    else:
        raw = np.ascontiguousarray(x)
    raw = raw.reshape(x.shape)
    return np.ascontiguousarray(raw).view(np.uint8).reshape(*x.shape, elem.nbytes)


def decode(raw: Array, elem: Scalar) -> Array:
    """Inverse of `encode`; a boolean is true where its byte is not 0."""
    shape = raw.shape[:-1]
    raw = np.ascontiguousarray(raw)
    if elem.name == "f8e4m3b15":
        return _e4m3b15_values()[raw.reshape(shape)]
    if elem.bits == 1:
        return np.asarray(raw.reshape(shape) != 0).astype(np.int64)
    if elem.is_int:
        return np.asarray(raw.view(INT_DTYPES[elem.bits]).reshape(shape).astype(np.int64))
    return np.asarray(raw.view(FLOAT_DTYPES[elem.name]).reshape(shape))


def reinterpret(x: Array, source: Scalar, target: Scalar) -> Array:
    """Lanes of `source` seen as lanes of `target`, which has as many bits."""
    return decode(encode(x, source), target)


@lru_cache(maxsize=1)
def _e4m3b15_values() -> Array:
    """f32 value of each of the 256 codes: 4 exponent bits of bias 15, 3 of fraction, no infinities, all ones is NaN."""
    code = np.arange(128)
    exponent, fraction = code >> 3, code & 7
    normal = np.ldexp(1 + fraction / 8, exponent - 15)
    values = np.where(exponent == 0, np.ldexp(fraction / 8, -14), normal)
    values[127] = np.nan
    return np.concatenate([values, -values]).astype(np.float32)


def _e4m3b15_encode(x: Array) -> Array:
    """Nearest code, ties to even, numbers past the largest saturate."""
    wide = np.asarray(x).astype(np.float64)
    grid = _e4m3b15_values()[:127].astype(np.float64)
    size = np.minimum(np.abs(np.nan_to_num(wide, nan=0.0, posinf=4.0, neginf=-4.0)), grid[-1])
    above = np.clip(np.searchsorted(grid, size), 1, 126)
    low, high = size - grid[above - 1], grid[above] - size
    code = np.where((low < high) | ((low == high) & ((above - 1) % 2 == 0)), above - 1, above)
    code = np.where(np.isnan(wide), 127, code)
    return (code | np.where(np.signbit(wide), 128, 0)).astype(np.uint8)
