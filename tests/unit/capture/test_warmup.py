"""Kernels compiled ahead: the launch counts, the compilation does not, and its measures are not followed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from argus_smt.ir.launch import Program

Capture = Callable[[str, str], Program]


def test_a_warm_up_is_no_launch(launcher: Capture) -> None:
    body = """
def launch(x):
    n = x.shape[0]
    kernel = copy.warmup(x, x, n, BLOCK=64, num_warps=8, grid=(1,))
    kernel._init_handles()
    kernel[(n, 1, 1)](x, x, n, 64)
"""
    (launch,) = launcher(body, "launch(x: f32[N])").launches
    assert str(launch.grid[0]) == "N"
    assert dict(launch.cases[0].values)["BLOCK"] == "64"
    assert dict(launch.cases[0].options)["num_warps"] == 8


def test_measures_of_the_compiler_are_not_followed(launcher: Capture) -> None:
    body = """
def launch(x):
    n = x.shape[0]
    kernel = copy.warmup(torch.float32, x, n, BLOCK=64, grid=(1,))
    programs = 65536 // (kernel.n_regs * 64) + 65536 // (kernel.metadata.shared + 1)
    kernel[(min(programs, n),)](x, x, n)
"""
    program = launcher(body, "launch(x: f32[N])")
    assert {(s.kind, s.about) for s in program.symbols if s.name != "N"} == {
        ("unfollowed", "`n_regs` of the compiled `copy`"),
        ("unfollowed", "`shared` of the compiled `copy`"),
    }
    assert program.launches


@pytest.mark.parametrize("args", ["x, x.to(torch.float16), n", "x, x, n + 1", "x, x, 1.5", "x, x, None"])
def test_other_arguments_than_were_compiled_for_are_unknown(launcher: Capture, args: str) -> None:
    body = f"def launch(x):\n    n = x.shape[0]\n    k = copy.warmup(x, x, n, BLOCK=64, grid=(1,))\n    k[(n,)]({args})\n"
    with pytest.raises(Exception, match="differs from what `copy` was compiled for"):
        launcher(body, "launch(x: f32[N])")


def test_unknown_answers_of_a_compiled_kernel_end_the_path(launcher: Capture) -> None:
    body = "def launch(x):\n    k = copy.warmup(x, x, 3, BLOCK=64, grid=(1,))\n    k[(len(k.asm['ttir']),)](x, x, 3)\n"
    with pytest.raises(Exception, match="reads `asm` of the compiled `copy`"):
        launcher(body, "launch(x: f32[N])")
