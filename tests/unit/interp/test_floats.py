"""Float operations, comparisons, conversions and formats."""

from __future__ import annotations

import math

import numpy as np
import pytest

from argus_smt.interp import floats
from argus_smt.interp.casts import SCALAR_CASTS
from argus_smt.interp.formats import FLOAT_DTYPES, decode, encode, round_to
from argus_smt.ir.types import FLOAT_BITS, INT_BITS, Scalar

F16, F32, F64 = Scalar("f16"), Scalar("f32"), Scalar("f64")
nan, inf = math.nan, math.inf


def one(fn: str, x: float, elem: Scalar = F64) -> float:
    with np.errstate(all="ignore"):
        return float(floats.unary(fn, round_to(np.array([x]), elem), elem)[0])


def two(fn: str, a: float, b: float, elem: Scalar = F64) -> float:
    with np.errstate(all="ignore"):
        return float(floats.binary(fn, round_to(np.array([a]), elem), round_to(np.array([b]), elem), elem)[0])


@pytest.mark.parametrize("x", [0.25, 1.0, 2.5, 0.7])
def test_unary_functions(x: float) -> None:
    truth = {
        "fneg": -x, "fabs": x, "exp": math.exp(x), "exp2": 2**x, "log": math.log(x), "log2": math.log2(x),
        "log1p": math.log1p(x), "expm1": math.expm1(x), "sin": math.sin(x), "cos": math.cos(x), "tan": math.tan(x),
        "tanh": math.tanh(x), "sqrt": math.sqrt(x), "rsqrt": 1 / math.sqrt(x), "erf": math.erf(x),
        "erfc": math.erfc(x), "log10": math.log10(x), "cbrt": x ** (1 / 3), "sinh": math.sinh(x), "cosh": math.cosh(x),
        "asin": math.asin(x) if x <= 1 else nan, "acos": math.acos(x) if x <= 1 else nan, "atan": math.atan(x),
        "asinh": math.asinh(x), "acosh": math.acosh(x) if x >= 1 else nan, "roundeven": round(x),
        "atanh": nan if x > 1 else inf if x == 1 else math.atanh(x),
        "floor": math.floor(x), "ceil": math.ceil(x), "trunc": math.trunc(x), "round": math.floor(x + 0.5),
    }  # fmt: skip
    assert set(truth) == floats.FLOAT_UNARY_NAMES
    for fn, value in truth.items():
        assert one(fn, x) == pytest.approx(value, rel=1e-12, nan_ok=True), fn


def test_rounding_of_halves_is_away_from_zero() -> None:
    assert [one("round", x) for x in (-2.5, -0.5, 0.5, 1.5, 0.49999999999999994)] == [-3, -1, 1, 2, 0]


def test_binary_functions() -> None:
    assert [two("fadd", 1, 2), two("fsub", 1, 2), two("fmul", 3, 2), two("fdiv", 1, 4)] == [3, -1, 6, 0.25]
    assert [two("frem", -7, 3), two("pow", 2, 0.5), two("atan2", 1, -1)] == [-1, math.sqrt(2), math.atan2(1, -1)]
    assert two("fdiv", 1, 0) == inf


def test_nan_in_minimum_and_maximum() -> None:
    assert [two("fmin", nan, 1), two("fmax", 1, nan), two("fmin", 1, 2), two("fmax", 1, 2)] == [1, 1, 1, 2]
    assert math.isnan(two("fminimum", nan, 1))
    assert math.isnan(two("fmaximum", 1, nan))
    assert [two("fminimum", 1, 2), two("fmaximum", 1, 2)] == [1, 2]


def test_each_operation_rounds_to_its_type() -> None:
    assert two("fadd", 2048, 1, F16) == 2048
    assert two("fadd", 256, 1, Scalar("bf16")) == 256
    assert two("fmul", 65504, 2, F16) == inf
    assert two("fadd", 1, 2**-30, F32) == 1


def test_dot_sums_halves_in_single_precision() -> None:
    a, b = np.full((1, 4096), 1, np.float16), np.full((4096, 1), 1, np.float16)
    assert floats.dot(a, b, np.array([[0.5]], np.float32), F32).tolist() == [[4096.5]]
    batch = floats.dot(np.ones((3, 2, 5), np.float32), np.ones((3, 5, 4), np.float32), np.ones((3, 2, 4), np.float32), F32)
    assert batch.shape == (3, 2, 4)
    assert (batch == 6).all()


def test_fma_keeps_the_product() -> None:
    x = np.array([1 + 2**-23], np.float32)
    assert floats.fma(x, x, -x * x, F32)[0] != 0


def test_comparisons() -> None:
    a, b = np.array([1, 2, 2, nan, nan]), np.array([2, 1, 2, 1, nan])
    table = {
        "oeq": "00100", "one": "11000", "olt": "10000", "ole": "10100", "ogt": "01000", "oge": "01100",
        "ueq": "00111", "une": "11011", "fult": "10011", "fule": "10111", "fugt": "01011", "fuge": "01111",
        "ord": "11100", "uno": "00011", "false": "00000", "true": "11111",
    }  # fmt: skip
    assert set(table) == floats.FLOAT_PREDICATES
    for pred, holds in table.items():
        assert "".join("01"[int(x)] for x in floats.compare(pred, a, b)) == holds, pred


def test_casts_of_integers() -> None:
    i1, i8, i64 = Scalar("i1"), Scalar("i8"), Scalar("i64")
    lanes = np.array([0, 1, -1, -128, 127], np.int64)
    assert SCALAR_CASTS["sext"](lanes, i8, i64).data.tolist() == lanes.tolist()
    assert SCALAR_CASTS["zext"](lanes, i8, i64).data.tolist() == [0, 1, 255, 128, 127]
    assert SCALAR_CASTS["sext"](np.array([0, 1]), i1, i8).data.tolist() == [0, -1]
    assert SCALAR_CASTS["zext"](np.array([0, 1]), i1, i8).data.tolist() == [0, 1]
    cut = SCALAR_CASTS["trunc"](np.array([300, -129, 5, 200]), i64, i8)
    assert cut.data.tolist() == [44, 127, 5, -56]
    assert cut.wraps is not None
    assert cut.wraps.tolist() == [True, True, False, True]


def test_casts_between_integers_and_floats() -> None:
    i1, i32, i64 = Scalar("i1"), Scalar("i32"), Scalar("i64")
    assert SCALAR_CASTS["sitofp"](np.array([-1, 3]), i32, F32).data.tolist() == [-1, 3]
    assert SCALAR_CASTS["uitofp"](np.array([-1, 3]), i32, F64).data.tolist() == [4294967295, 3]
    assert SCALAR_CASTS["uitofp"](np.array([1]), i1, F32).data.tolist() == [1]
    assert SCALAR_CASTS["sitofp"](np.array([16777217]), i64, F32).data.tolist() == [16777216]
    signed = SCALAR_CASTS["fptosi"](np.array([-1.9, 1.9, 2.0**31, -(2.0**31), nan, inf]), F64, i32)
    assert signed.data.tolist()[:2] == [-1, 1]
    assert signed.bad is not None
    assert signed.bad.tolist() == [False, False, True, False, True, True]
    whole = SCALAR_CASTS["fptoui"](np.array([-0.9, 2.0**63, 2.0**64, -1.0]), F64, i64)
    assert whole.data.tolist()[:2] == [0, -(1 << 63)]
    assert whole.bad is not None
    assert whole.bad.tolist() == [False, False, True, True]


def test_bitcasts() -> None:
    i32 = Scalar("i32")
    assert SCALAR_CASTS["bitcast"](np.array([1.0, -2.0], np.float32), F32, i32).data.tolist() == [
        0x3F800000,
        -0x40000000,
    ]
    assert SCALAR_CASTS["bitcast"](np.array([0x3F800000]), i32, F32).data.tolist() == [1.0]
    assert SCALAR_CASTS["bitcast"](np.array([0x3F80]), Scalar("i16"), Scalar("bf16")).data.astype(float).tolist() == [1.0]


@pytest.mark.parametrize("name", sorted({**FLOAT_BITS, **INT_BITS}))
def test_elements_survive_memory(name: str) -> None:
    elem = Scalar(name)
    lanes = np.array([0, 1], np.int64) if elem.is_int else round_to(np.array([0.0, 1.0, -0.5, 1.75]), elem)
    raw = encode(lanes, elem)
    assert raw.shape == (lanes.size, elem.nbytes)
    assert decode(raw, elem).astype(float).tolist() == lanes.astype(float).tolist()
    if not elem.is_int:
        assert FLOAT_DTYPES[name] == lanes.dtype


def test_f8e4m3b15_codes() -> None:
    elem = Scalar("f8e4m3b15")
    codes = np.array([c for c in range(256) if c & 127 != 127], np.uint8)
    values = decode(codes[:, None], elem)
    assert values[8] == 2.0**-14
    assert values.max() == 1.75
    assert encode(values, elem)[:, 0].tolist() == codes.tolist()
    assert encode(np.array([5.0, -9.0], np.float32), elem)[:, 0].tolist() == [126, 254]
    ties = np.array([values[20] / 2 + values[21] / 2, values[21] / 2 + values[22] / 2], np.float32)
    assert encode(ties, elem)[:, 0].tolist() == [20, 22]


@pytest.mark.parametrize("name", ["f16", "bf16", "f8e5m2", "f8e4m3fn"])
def test_rounding_towards_zero_gives_the_largest_number_that_is_no_larger(name: str) -> None:
    target = Scalar(name)
    bits = np.arange(1 << target.bits, dtype=np.int64)
    codes = bits.astype(f"u{target.nbytes}").view(np.uint8).reshape(-1, target.nbytes)
    with np.errstate(invalid="ignore"):
        every = decode(codes, target).astype(np.float64)
    every = np.unique(every[np.isfinite(every)])
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(size=500), rng.normal(size=200) * 50, every[rng.integers(0, every.size, 50)]]).astype(
        np.float32
    )
    x = x[np.abs(x) <= every[-1]]
    found = SCALAR_CASTS["fptrunc_rz"](x, Scalar("f32"), target).data.astype(np.float64)
    below = every[np.searchsorted(every, np.abs(x).astype(np.float64), side="right") - 1]
    np.testing.assert_array_equal(found, np.copysign(below, x))
