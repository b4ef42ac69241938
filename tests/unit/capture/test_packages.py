"""Files that lie in a package: relative imports work, and an `__init__` runs only where a name of it is used."""

from __future__ import annotations

from pathlib import Path

from argus_smt.capture.module import Loader
from argus_smt.capture.program import capture
from argus_smt.ir.launch import Program

KERNEL = """import triton
import triton.language as tl
from .parts import double

@triton.jit
def copy(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, double(tl.load(x + i, mask=i < n)), mask=i < n)
"""
PARTS = "import triton\n\n@triton.jit\ndef double(v):\n    return v + v\n"
MAIN = """import torch, triton
from ..conf import BLOCK
from .kernels import copy
{more}
def launch(x):
    y = torch.empty_like(x)
    copy[(triton.cdiv(x.numel(), BLOCK),)](x, y, x.numel(), BLOCK)
"""


def written(root: Path, more: str = "", outer: str = "raise RuntimeError('runs')", inner: str = "") -> Path:
    """A package `lib.ops` with a file `main.py`."""
    texts = {
        "lib/__init__.py": outer, "lib/conf.py": "BLOCK = 64\n", "lib/ops/__init__.py": inner,
        "lib/ops/kernels.py": KERNEL, "lib/ops/parts.py": PARTS, "lib/ops/main.py": MAIN.format(more=more),
    }  # fmt: skip
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root / "lib/ops/main.py"


def captured(path: Path) -> Program:
    return capture(Loader(str(path)), "launch(x: f32[N])")


def test_relative_imports_and_places_in_the_right_file(tmp_path: Path) -> None:
    path = written(tmp_path)
    (launch,) = captured(path).launches
    assert launch.span.file == str(path)
    assert launch.kernel_span.file == str(path.parent / "kernels.py")
    assert {op.span.file for op in launch.cases[0].kernel.body.ops} == {str(path.parent / f) for f in ("kernels.py", "parts.py")}


def test_the_init_runs_for_a_name_that_it_defines(tmp_path: Path) -> None:
    path = written(tmp_path, more="from lib import SIZE\nBLOCK = SIZE", outer="SIZE = 32\n")
    assert dict(captured(path).launches[0].cases[0].values) == {"B": "32"}


def test_a_name_of_the_init_goes_before_a_module_of_that_name(tmp_path: Path) -> None:
    path = written(tmp_path, more="from .size import N\nfrom lib.ops import size\nBLOCK = size", inner="from .size import size\n")
    (path.parent / "size.py").write_text("N = 1\nsize = 16\n")
    assert dict(captured(path).launches[0].cases[0].values) == {"B": "16"}
    other = written(tmp_path / "other", more="from lib.ops import parts\nBLOCK = parts.N", inner="raise RuntimeError('runs')\n")
    (other.parent / "parts.py").write_text(PARTS + "N = 128\n")
    assert dict(captured(other).launches[0].cases[0].values) == {"B": "128"}
