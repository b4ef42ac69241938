"""Verdicts on padding against NumPy: whether a reduction depends on its padding lanes is computed from its definition."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from argus_smt.absint import content as C
from argus_smt.absint import signs as S
from argus_smt.absint.combine import neutral
from argus_smt.interp import single
from argus_smt.ir.types import Scalar
from argus_smt.prove.finding import ProveOptions, Verdict
from tests.integration.pipeline import program_of, prove_all

OPTIONS = ProveOptions(overflow="off", checks=("padding",))
F32 = Scalar("f32")

EXPRESSIONS: dict[str, Callable[[Any], Any]] = {
    "x": lambda x: x,
    "-x": lambda x: -x,
    "tl.abs(x)": np.abs,
    "tl.exp(x)": np.exp,
    "x * x": lambda x: x * x,
    "x + 1.0": lambda x: x + 1,
    "tl.where(x > 0.0, x, 0.0)": lambda x: np.where(x > 0, x, 0),
    "tl.maximum(x, 1.0)": lambda x: np.maximum(x, 1),
    "1.0 / (x * x + 1.0)": lambda x: 1 / (x * x + 1),
    "tl.exp(x) - 1.0": lambda x: np.exp(x) - 1,
    "(x > 0.0).to(tl.float32)": lambda x: (x > 0).astype(np.float64),
    "tl.where(c < N, x + 1.0, 0.0)": None,  # type: ignore[dict-item]
}
FILLS = {"0.0": 0.0, "1.0": 1.0, 'float("inf")': math.inf, '-float("inf")': -math.inf, "": math.nan}
REDUCTIONS: dict[str, Callable[[Any], Any]] = {"sum": np.sum, "max": np.max, "min": np.min}
TEXT = """
import torch, triton
import triton.language as tl

@triton.jit
def kernel(x_ptr, y_ptr, N, B: tl.constexpr):
    c = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * N + c, mask=c < N{other})
    v = {expression}
    tl.store(y_ptr + tl.program_id(0), tl.{reduction}(v, axis=0))

def launch(x):
    M, N = x.shape
    assert N <= 8
    y = torch.empty((M,), dtype=torch.float32, device=x.device)
    kernel[(M,)](x, y, N, B=8)
    return y
"""
DRAWN = random.Random(7).sample(list(itertools.product(EXPRESSIONS, FILLS, REDUCTIONS)), 30)


def depends(expression: str, fill: float, reduction: str) -> bool:
    """Whether the result differs from the one over real lanes alone, for any of many random rows."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        n = int(rng.integers(1, 8))
        x = rng.normal(rng.choice([-3, 0, 3]), 1, size=n)
        of = EXPRESSIONS[expression]
        with np.errstate(all="ignore"):
            if of is None:
                row, real = np.concatenate([x + 1, np.zeros(8 - n)]), x + 1
            else:
                row, real = np.asarray(of(np.concatenate([x, np.full(8 - n, fill)]))), np.asarray(of(x))
            a, b = float(REDUCTIONS[reduction](row)), float(REDUCTIONS[reduction](real))
        if math.isnan(a) or not math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9):
            return True
    return False


@pytest.mark.parametrize(("expression", "fill", "reduction"), DRAWN)
def test_verdicts_agree_with_the_definition(expression: str, fill: str, reduction: str, tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    other = f", other={fill}" if fill else ""
    file.write_text(TEXT.format(other=other, expression=expression, reduction=reduction), encoding="utf-8")
    program = program_of(file, "launch(x: f32[M, N]) where N <= 8")
    verdicts = {f.verdict for r in prove_all(program, OPTIONS) for f in r.findings if f.code == "AR601"}
    if depends(expression, FILLS[fill], reduction):
        assert verdicts & {Verdict.REFUTED, Verdict.UNKNOWN}, "a dependence was missed"
    else:
        assert Verdict.REFUTED not in verdicts, "a dependence was invented"


NUMBERS = (0.0, -0.0, 1.0, -1.0, 2.5, -3.75, 0.125, 40.0, -40.0, math.inf, -math.inf, math.nan)
UNARY = ("fneg", "fabs", "exp", "exp2", "log", "sqrt", "rsqrt", "tanh", "sin", "floor", "ceil", "expm1", "log1p", "erf", "round")
BINARY = ("fadd", "fsub", "fmul", "fdiv", "fmax", "fmin", "fmaximum", "fminimum")


def of(*numbers: float) -> C.Content:
    """A content that holds some numbers and is known by their signs alone; none of them is the user's."""
    signs = 0
    for x in numbers:
        signs |= S.sign_of(x)
    return C.Content(signs, given=False)


@pytest.mark.parametrize("fn", UNARY)
def test_signs_of_unary_functions_hold_the_result(fn: str) -> None:
    for a, b in itertools.product(NUMBERS, repeat=2):
        result = single.unary(fn, a, F32)
        assert result is not None
        assert C.unary(fn, of(a, b), F32).signs & S.sign_of(float(result)), (fn, a, result)


@pytest.mark.parametrize("fn", BINARY)
def test_signs_of_binary_functions_hold_the_result(fn: str) -> None:
    for a, b, c in itertools.product(NUMBERS, repeat=3):
        result = single.binary(fn, a, b, F32)
        assert result is not None
        assert C.binary(fn, of(a, c), of(b), F32).signs & S.sign_of(float(result)), (fn, a, b, result)
        assert C.binary(fn, C.constant(a, F32), of(b, c), F32).signs & S.sign_of(float(result)), (fn, a, b, result)


@pytest.mark.parametrize("fn", ["fadd", "fmul", "fmax", "fmin", "fmaximum", "fminimum"])
def test_what_is_neutral_changes_no_number(fn: str) -> None:
    sets = [(1.0,), (-2.0, 3.0), (0.0, 2.0), (-math.inf, 1.0), (0.0, -1.0), (0.0,), (math.inf, -1.0)]
    for reals, pad in itertools.product(sets, NUMBERS):
        signs = of(*reals).signs
        if neutral(lambda x: [C.binary(fn, x[0], x[1], F32)], [C.Content(signs)], [C.constant(pad, F32)]):
            for x in (n for n in NUMBERS if S.sign_of(n) & signs):
                assert single.binary(fn, x, pad, F32) == x, (fn, x, pad)
                assert single.binary(fn, pad, x, F32) == x, (fn, x, pad)
