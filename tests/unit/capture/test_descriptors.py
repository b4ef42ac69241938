"""Descriptors that the launcher makes: what is passed, what Triton asks of them, and what becomes of a refusal."""

from __future__ import annotations

from pathlib import Path

import pytest

from argus_smt.capture.failure import CaptureError
from argus_smt.capture.module import Loader
from argus_smt.capture.program import capture
from argus_smt.ir import ops as O
from argus_smt.ir.launch import Launch, PointerArg, Program, ScalarArg
from argus_smt.ir.walk import walk
from tests.unit.capture.points import at

FILE = Path(__file__).parent / "launchers" / "described.py"


def of(call: str) -> Program:
    return capture(Loader(str(FILE)), call)


def checks(launch: Launch) -> list[str]:
    return [str(c.term) for c in launch.path if c.source == "check"]


def holds(launch: Launch, point: dict[str, int]) -> bool:
    return all(at(c.term, point) for c in launch.path)


def block_loaded(case: O.Kernel) -> list[str]:
    return [str(op.result.type) for op in walk(case.body) if isinstance(op, O.Load)]


def test_a_descriptor_is_passed_as_pointer_shape_and_strides() -> None:
    (launch,) = of("whole(x: f16[M, N])").launches
    (case,) = launch.cases
    assert case.kernel.params[:6] == ("src", "src.shape.0", "src.shape.1", "src.stride.0", "src.stride.1", "dst")
    first, *rest = case.args
    assert isinstance(first, PointerArg)
    assert [(a.dtype, str(a.value)) for a in rest[:4] if isinstance(a, ScalarArg)] == [
        ("i32", "M"), ("i32", "N"), ("i64", "N"), ("i64", "1"),
    ]  # fmt: skip
    assert [s.name for s in launch.storages] == ["x", "out"]
    assert checks(launch) == ["(2 * N) % 16 == 0"]
    assert "M < 2**31" in " ".join(c.text for c in launch.limits)


def test_padding_is_that_of_the_descriptor() -> None:
    for call, padding in (("whole(x: f16[M, N])", "0.0"), ("nan_padded(x: f16[M, N])", "nan")):
        (case,) = of(call).launches[0].cases
        (load,) = [op for op in walk(case.kernel.body) if isinstance(op, O.Load)]
        (other,) = [op for op in walk(case.kernel.body) if isinstance(op, O.Const) and op.result == load.other]
        assert str(other.value) == padding


def test_the_start_of_a_view_is_asked_about() -> None:
    (launch,) = of("shifted(x: f32[M, N], first: int) where first >= 0, first < M").launches
    assert holds(launch, {"M": 9, "N": 4, "first": 3})
    assert not holds(launch, {"M": 9, "N": 5, "first": 0})
    assert not holds(launch, {"M": 9, "N": 2, "first": 1})
    assert any("first" in c for c in checks(launch)) or "(4 * N) % 16 == 0" in checks(launch)
    pointer = launch.cases[0].args[0]
    assert isinstance(pointer, PointerArg)
    assert str(pointer.offset) == "4 * N * first"


def test_what_triton_always_refuses_is_the_launchers_rejection() -> None:
    with pytest.raises(CaptureError, match=r"Last dimension must be contiguous|strides must be 16-byte aligned"):
        of("transposed(x: f16[64, 64])")


def test_a_launcher_may_catch_the_refusal() -> None:
    program = of("careful(x: f16[M, N])")
    (launch,) = program.launches
    assert holds(launch, {"M": 3, "N": 8})
    assert not holds(launch, {"M": 3, "N": 9})
    assert not program.not_covered


def test_a_tuning_hook_sets_the_block() -> None:
    launches = of("tuned(x: f16[M, N])").launches
    assert [block_loaded(launch.cases[0].kernel) for launch in launches] == [["tile<8x16xf16>"], ["tile<32x16xf16>"]]


def test_a_block_that_depends_on_a_size_makes_cases() -> None:
    (launch,) = of("sized(x: f16[M, N]) where N <= 40, N >= 8").launches
    assert [block_loaded(c.kernel) for c in launch.cases] == [[f"tile<16x{n}xf16>"] for n in (8, 16, 32, 64)]
    assert [str(c.condition[0].term) for c in launch.cases] == [f"np2_N == {n}" for n in (8, 16, 32, 64)]
