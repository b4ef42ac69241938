"""Tuples as kernel arguments: taken apart, typed item by item, and compiled as Triton compiles them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
from triton.language.core import constexpr

from argus_smt.capture.content import value_key
from argus_smt.capture.failure import CaptureError
from argus_smt.capture.tuples import apart, names_of, together
from argus_smt.ir.launch import PointerArg, Program, ScalarArg

Capture = Callable[[str, str], Program]
KERNEL = """
from dataclasses import dataclass
from typing import NamedTuple


class Pair(NamedTuple):
    x: torch.Tensor
    n: int


@dataclass(frozen=True)
class Mode:
    first: bool
    width: int


@triton.jit
def move(ptrs, shape, strides, B: tl.constexpr):
    i = tl.program_id(0)
    j = tl.arange(0, B)
    m = j < shape[1]
    tl.store(ptrs[1] + i * strides[1][0] + j, tl.load(ptrs[0] + i * strides[0][0] + j, mask=m), mask=m)


@triton.jit
def by_name(p, o, SHAPE: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(p.x + i, mask=i < p.n), mask=i < SHAPE[0])


@triton.jit
def moded(o, n, MODE: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    if MODE.first:
        tl.store(o + i, 0.0, mask=i < n)
    else:
        tl.store(o + i, 1.0)

"""
LAUNCH = """
def launch(x):
    y = torch.empty_like(x)
    move[(x.shape[0],)]((x, y), x.shape, (x.stride(), y.stride()), B=64)
    return y
"""


class Named(NamedTuple):
    a: int
    b: object


def test_a_tuple_is_taken_apart_and_put_together() -> None:
    value = (1, (2, Named(3, "s")), ())
    nest, leaves = apart("t", value, False)
    assert nest is not None
    assert leaves == [("t.0", 1), ("t.1.0", 2), ("t.1.1.0", 3), ("t.1.1.1", "s")]
    assert list(names_of("t", nest)) == [n for n, _ in leaves]
    form = [(n, "constexpr" if n == "t.0" else f"type of {v}", v) for n, v in leaves]
    signature, constants = together([*form, ("u", "i32", None)], (("t", nest),))
    assert signature == {"t": ("constexpr", ("type of 2", Named("type of 3", "type of s")), ()), "u": "i32"}  # type: ignore[arg-type]
    assert isinstance(signature["t"][1][1], Named)
    assert constants == {("t", 0): 1}


def test_constants_without_symbols_stay_whole() -> None:
    assert apart("t", (1, 2), True) == (None, [("t", (1, 2))])
    whole = constexpr((1, 2))
    assert apart("t", whole, False) == (None, [("t", whole)])


def test_items_are_typed_one_by_one(launcher: Capture) -> None:
    program = launcher(KERNEL + LAUNCH, "launch(x: f32[M, N])")
    first = program.launches[0]
    case = first.cases[0]
    kinds = dict(zip(case.kernel.params, case.args, strict=True))
    assert [n for n, a in kinds.items() if isinstance(a, PointerArg)] == ["ptrs.0", "ptrs.1"]
    texts = {n: str(a.value) for n, a in kinds.items() if isinstance(a, ScalarArg)}
    assert texts == {
        "shape.0": "M", "shape.1": "N", "strides.0.0": "N", "strides.0.1": "1", "strides.1.0": "N", "strides.1.1": "1",
    } or texts == {"shape.0": "M", "shape.1": "N", "strides.0.0": "N", "strides.1.0": "N"}  # fmt: skip
    assert {s.name for s in first.storages} == {"x", "y"}
    assert dict(first.arg_spans)["strides.1.0"].column > dict(first.arg_spans)["strides.0.0"].column
    wide = [c for c in first.cases if "i64" in c.label]
    assert {next(str(v.type) for p, v in zip(c.kernel.params, c.kernel.body.params, strict=True) if p == "shape.1") for c in wide
            if c.label.startswith("N is")} == {"i64"}  # fmt: skip


def test_named_tuples_and_symbolic_constant_tuples(launcher: Capture) -> None:
    body = "def launch(x):\n    o = torch.empty_like(x)\n    n = x.numel()\n    by_name[(1,)](Pair(x, n), o, (n, 3), 64)\n"
    program = launcher(KERNEL + body, "launch(x: f32[N]) where N <= 8")
    values = [dict(c.values)["SHAPE.0"] for c in program.launches[0].cases]
    assert sorted(map(int, values)) == list(range(1, 9))
    assert all(dict(c.values)["SHAPE.1"] == "3" for c in program.launches[0].cases)


def test_constant_objects_are_told_apart_by_what_they_hold(launcher: Capture) -> None:
    body = "def launch(o):\n    n = o.numel()\n    for first in (True, False):\n        moded[(1,)](o, n, Mode(first, 3), 32)\n"
    program = launcher(KERNEL + body, "launch(o: f32[N]) where N <= 32")
    one, two = (launch.cases[0].kernel for launch in program.launches)
    assert str(one) != str(two)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("[x.shape[0]]", "`shape` is a list"),
        ("(x.shape[0], 'a')", "`shape.1` is a string"),
        ("({1: 2}, 3)", "`shape.0` is a dict"),
    ],
)
def test_what_no_kernel_takes(launcher: Capture, given: str, reason: str) -> None:
    body = f"def launch(x):\n    move[(1,)]((x, x), {given}, ((1, 1), (1, 1)), B=64)\n"
    with pytest.raises(CaptureError) as error:
        launcher(KERNEL + body, "launch(x: f32[M, N])")
    assert reason in str(error.value)


def test_an_object_that_holds_a_size_is_no_constant(launcher: Capture) -> None:
    body = "def launch(o):\n    moded[(1,)](o, o.numel(), Mode(True, o.numel()), 32)\n"
    with pytest.raises(CaptureError) as error:
        launcher(KERNEL + body, "launch(o: f32[N])")
    assert "constexpr `MODE` is a Mode that holds a size" in str(error.value)


def test_keys_of_objects() -> None:
    assert value_key(Named(1, 2)) != value_key(Named(1, 3))
