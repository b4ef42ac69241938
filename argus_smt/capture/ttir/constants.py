"""Literals of `arith.constant`: integers, booleans, decimal and hexadecimal floats of every format, splats."""

from __future__ import annotations

import struct
from math import inf, nan

from argus_smt.ir.types import Scalar

# format → (exponent bits, mantissa bits, bias, what the top exponent means)
_SMALL_FLOATS = {
    "f8e4m3fn": (4, 3, 7, "one nan"),
    "f8e4m3fnuz": (4, 3, 8, "negative zero is nan"),
    "f8e4m3b15": (4, 3, 15, "finite"),
    "f8e5m2": (5, 2, 15, "ieee"),
    "f8e5m2fnuz": (5, 2, 16, "negative zero is nan"),
}


def parse_literal(text: str, elem: Scalar) -> int | float | None:
    """Value of a literal or of a splat `dense<…>` of it; None where it is neither."""
    if text.startswith("dense<") and text.endswith(">"):
        text = text[len("dense<") : -1]
    if elem.is_int:
        return _integer(text)
    if text.startswith("0x"):
        return _from_bits(int(text, 16), elem.name)
    try:
        return float(text)
    except ValueError:
        return None


def _integer(text: str) -> int | None:
    if text in ("true", "false"):
        return int(text == "true")
    try:
        return int(text, 0)
    except ValueError:
        return None


def _from_bits(bits: int, name: str) -> float:
    match name:
        case "f64":
            return float(struct.unpack(">d", struct.pack(">Q", bits))[0])
        case "f32":
            return float(struct.unpack(">f", struct.pack(">I", bits))[0])
        case "f16":
            return float(struct.unpack(">e", struct.pack(">H", bits))[0])
        case "bf16":
            return float(struct.unpack(">f", struct.pack(">I", bits << 16))[0])
        case _:
            return _small(bits, *_SMALL_FLOATS[name])


def _small(bits: int, exponent_bits: int, mantissa_bits: int, bias: int, top: str) -> float:
    """Value of an eight-bit float."""
    exponent = bits >> mantissa_bits & (1 << exponent_bits) - 1
    mantissa = bits & (1 << mantissa_bits) - 1
    sign = -1.0 if bits >> 7 else 1.0
    if top == "negative zero is nan" and bits == 0x80:
        return nan
    if exponent == (1 << exponent_bits) - 1:
        if top == "ieee":
            return nan if mantissa else sign * inf
        if top == "one nan" and mantissa == (1 << mantissa_bits) - 1:
            return nan
    if exponent == 0:
        return sign * float(mantissa) * 2.0 ** (1 - bias - mantissa_bits)
    return sign * (1.0 + mantissa / (1 << mantissa_bits)) * 2.0 ** (exponent - bias)
