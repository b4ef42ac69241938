"""Launchers inside of what torch wraps around them: operators of libraries, compiled functions, device contexts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from argus_smt.capture.failure import CaptureError
from argus_smt.ir.launch import Program

Capture = Callable[[str, str], Program]
CODE = """
def code(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    copy[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64 if x.numel() < 100 else 128)
    return y
"""
CALL = "\n\ndef launch(x):\n    return torch.ops.argustest.f(x)\n"
FAKE = "torch.library.register_fake('argustest::f', lambda x: torch.empty_like(x))\n"

WRAPPED = {
    "defined library": CODE + "lib = torch.library.Library('argustest', 'DEF')\nlib.define('f(Tensor x) -> Tensor')\n"
    "lib.impl('f', code, 'CUDA')\nlib.impl('f', lambda x: torch.empty_like(x), 'Meta')\n" + CALL,
    "fragment": CODE + "lib = torch.library.Library('argustest', 'FRAGMENT')\n"
    "lib.define('f' + torch.library.infer_schema(code, mutates_args=()))\nlib.impl('f', code, dispatch_key='CUDA')\n"
    "lib._register_fake('f', lambda x: torch.empty_like(x))\n" + CALL,
    "custom op": CODE + "f = torch.library.custom_op('argustest::f', mutates_args=())(code)\n" + FAKE + CALL,
    "compiled": CODE + "\n@torch.compile(fullgraph=True)\ndef launch(x):\n    return code(x)\n",
    "compiled plainly": CODE + "\nlaunch_ = torch.compile(code)\ndef launch(x):\n    return launch_(x)\n",
    "device context": CODE + "\ndef launch(x):\n    with torch.cuda.device_of(x), torch.cuda.device(x.device.index):\n"
    "        return code(x)\n",
}  # fmt: skip


@pytest.mark.parametrize("name", WRAPPED)
def test_the_launch_inside_is_found_on_all_paths(name: str, launcher: Capture) -> None:
    program = launcher(WRAPPED[name], "launch(x: f32[N])")
    assert {dict(launch.cases[0].values)["BLOCK"] for launch in program.launches} == {"64", "128"}
    assert not program.not_covered


def test_an_operator_whose_code_is_not_known_is_not_passed_over(launcher: Capture) -> None:
    body = "torch.library.define('argustest::g', '(Tensor x) -> Tensor')\n"
    body += "torch.library.register_fake('argustest::g', lambda x: torch.empty_like(x))\n"
    body += CODE + "\ndef launch(x):\n    return torch.ops.argustest.g(code(x))\n"
    with pytest.raises(CaptureError, match="what the operator `argustest::g` runs is not known") as caught:
        launcher(body, "launch(x: f32[N])")
    assert caught.value.span.line == 21
