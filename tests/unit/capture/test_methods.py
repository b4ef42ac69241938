"""Methods as launchers, and the names that a file gives them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from argus_smt.capture.failure import CaptureError
from argus_smt.capture.listing import list_file, require_arguments, require_function
from argus_smt.capture.methods import found_in
from argus_smt.ir.launch import Program

Capture = Callable[[str, str], Program]
TEXT = """
class Copy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, block=64):
        y = torch.empty_like(x)
        copy[(triton.cdiv(x.numel(), block),)](x, y, x.numel(), BLOCK=block)
        return y

class Late(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return Copy.apply(x, 32)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

class Plan:
    block = 16

    @classmethod
    def launch(cls, x):
        return Copy.forward(None, x, cls.block)

    def bound(self, x):
        return x

again = Copy.apply
"""


@pytest.mark.parametrize(
    ("call", "block"),
    [
        ("Copy.apply(x: f32[N])", "64"), ("Copy.apply(x: f32[N], block: int = 128)", "128"), ("again(x: f32[N])", "64"),
        ("Late.apply(x: f32[N])", "32"), ("Plan.launch(x: f32[N])", "16"),
    ],
)  # fmt: skip
def test_methods_are_called_as_python_calls_them(call: str, block: str, launcher: Capture) -> None:
    program = launcher(TEXT, call)
    assert program.launcher == call.partition("(")[0]
    assert {dict(c.values)["BLOCK"] for launch in program.launches for c in launch.cases} == {block}


def test_what_needs_an_object_or_is_not_there_is_no_launcher() -> None:
    listing = list_file("f.py", "import torch\n" + TEXT)
    for name in ("Plan.bound", "Plan.apply", "Copy", "other"):
        with pytest.raises(CaptureError, match="no launcher"):
            require_function(listing, name, False)
    require_function(listing, "Copy.apply", False)
    require_arguments(listing, "Copy.apply", ["x"])
    require_arguments(listing, "Copy.forward", ["ctx", "x"])
    with pytest.raises(CaptureError, match="leaves out `x`"):
        require_arguments(listing, "again", ["block"])
    with pytest.raises(CaptureError, match="no argument `ctx`"):
        require_arguments(listing, "Late.apply", ["x", "ctx"])


def test_defaults_between_the_given_arguments_are_filled_in() -> None:
    class Function:
        @staticmethod
        def forward(ctx: object, a: int, b: int = 2, c: int = 3) -> tuple[int, int, int]:
            return a, b, c

        @classmethod
        def apply(cls, *args: int) -> tuple[int, int, int]:
            return cls.forward(None, *args)

    assert found_in({"F": Function}, "F.apply")(a=1, c=5) == (1, 2, 5)
