"""Layouts of results against torch itself: whichever strides a tensor has, the result has the ones that torch gives it."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
import torch

from argus_smt.capture.layouts import _facts
from argus_smt.ir.launch import Program
from argus_smt.smt import term as T
from tests.unit.capture.points import applying, at

Capture = Callable[[str, str], Program]


def strided(sizes: list[int], strides: list[int], dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """A tensor of these sizes and strides."""
    return torch.zeros(1 + sum((n - 1) * s for n, s in zip(sizes, strides, strict=True)), dtype=dtype).as_strided(sizes, strides)


def random_layout(draw: random.Random, rank: int) -> tuple[list[int], list[int]]:
    """Small sizes, and strides that are often 0, equal, or those of some dense order."""
    sizes = [draw.choice([1, 2, 2, 3, 4]) for _ in range(rank)]
    if draw.random() < 0.4:
        strides, stride = [0] * rank, 1
        for d in draw.sample(range(rank), rank):
            strides[d] = stride
            stride *= sizes[d]
        if draw.random() < 0.4:
            strides[draw.randrange(rank)] = 0
        return sizes, strides
    return sizes, [draw.choice([0, 1, 1, 2, 2, 3, 4, 6, 8, 12]) for _ in range(rank)]


@pytest.mark.parametrize("rank", [2, 3, 4])
def test_strides_are_those_of_torch(rank: int) -> None:
    draw = random.Random(rank)
    for _ in range(400):
        sizes, strides = random_layout(draw, rank)
        n, s = tuple(map(T.const, sizes)), tuple(map(T.const, strides))
        found = [made for where, made in _facts(n, s, min(strides) > 0) if where is T.TRUE]
        assert len(found) == 1, (sizes, strides)
        x = strided(sizes, strides)
        for real in (torch.empty_like(x), x.clone(), x.to(torch.float64), x + 1, -x, torch.zeros_like(x), x > 0):
            for d in (d for d in range(rank) if sizes[d] > 1):
                assert found[0][d].value == real.stride(d), (sizes, strides, real.stride())


OPERATIONS = [
    "torch.empty_like(x)", "x.clone()", "x.to(torch.float32)", "x + 1", "x.contiguous()",
    "torch.full_like(x, 2, dtype=torch.int8)", "x.contiguous().clone()", "torch.empty_like(x.transpose(0, 1))",
    "x.clone(memory_format=torch.contiguous_format)",
    "(x * 2).contiguous()", "x > 0", "x.float()",
    "torch.where(x > 0, 1.0, 0.0)", "x * x + x",
]  # fmt: skip


@pytest.mark.parametrize("expr", OPERATIONS)
def test_captured_strides_are_those_of_torch(launcher: Capture, expr: str) -> None:
    body = f"def launch(x):\n    y = {expr}\n    copy[y.stride()](y, y, y.numel(), BLOCK=64)\n"
    program = launcher(body, "launch(x: f16[A, B, C] strided)")
    assert not [r for r in program.not_covered if not r.rejected]
    assert dict(program.explored)["launches"] <= 12
    draw = random.Random(5)
    for _ in range(60):
        sizes, strides = random_layout(draw, 3)
        x = strided(sizes, strides, torch.float16)
        y = eval(expr, {"x": x, "torch": torch})
        if 0 in y.shape:
            continue
        point = dict(zip(("A", "B", "C", "x_s0", "x_s1", "x_s2"), (*sizes, *strides), strict=True))
        for symbol in (s for s in program.symbols if s.name not in point):
            defining = [c.term for c in program.preconditions if c.text.startswith(f"`{symbol.name}` ")]
            for value in range(1, 65):
                if all(at(c, {**point, symbol.name: value}) for c in defining):
                    point[symbol.name] = value
                    break
        launches = {id(launch): launch for launch, _ in applying(program, point)}
        assert len(launches) == 1
        for launch in launches.values():
            for d in (d for d in range(3) if y.shape[d] > 1):
                assert at(launch.grid[d], point) == y.stride(d), (point, y.stride())


def test_contiguity_is_one_question(launcher: Capture) -> None:
    body = "def launch(x):\n    b = 32 if x.is_contiguous() else 64\n    copy[(1,)](x, x, 3, BLOCK=b)\n"
    program = launcher(body, "launch(x: f16[A, B, C, D] strided)")
    assert dict(program.explored) == {"launches": 2}
    draw = random.Random(7)
    for _ in range(200):
        sizes, strides = random_layout(draw, 4)
        point = {**dict(zip("ABCD", sizes, strict=True)), **{f"x_s{d}": s for d, s in enumerate(strides)}}
        blocks = {dict(case.values)["BLOCK"] for _, case in applying(program, point)}
        assert blocks == {"32" if strided(sizes, strides).is_contiguous() else "64"}
