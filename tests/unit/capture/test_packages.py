"""Files that lie in a package: relative imports work, and an `__init__` runs only where a name of it is used."""

from __future__ import annotations

from pathlib import Path

import pytest

from argus_smt.capture.failure import CaptureError
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


def test_packages_beside_the_files_own_wait_too(tmp_path: Path) -> None:
    path = written(tmp_path, more="from lib.tools.sizes import SMALL\nBLOCK = SMALL")
    (tmp_path / "lib/tools/sizes").mkdir(parents=True)
    (tmp_path / "lib/tools/__init__.py").write_text("from lib.ops.main import launch\nraise RuntimeError('runs')\n")
    (tmp_path / "lib/tools/sizes/__init__.py").write_text("SMALL = 16\n")
    assert dict(captured(path).launches[0].cases[0].values) == {"B": "16"}


def test_a_name_that_an_init_only_passes_on_is_taken_from_its_module(tmp_path: Path) -> None:
    plain = "from .size import SIDE as SIZE\nraise RuntimeError('runs')\n"
    path = written(tmp_path, more="from lib import SIZE\nBLOCK = SIZE", outer=plain)
    (tmp_path / "lib/size.py").write_text("SIDE = 32\n")
    assert dict(captured(path).launches[0].cases[0].values) == {"B": "32"}
    again = ("SIZE = 64", "if True:\n    from .other import SIZE", "globals()['SIZE'] = 64", "from .other import *")
    for n, changed in enumerate(again):
        root = tmp_path / str(n)
        path = written(root, more="from lib import SIZE\nBLOCK = SIZE", outer=f"from .size import SIDE as SIZE\n{changed}\n")
        (root / "lib/size.py").write_text("SIDE = 32\n")
        (root / "lib/other.py").write_text("SIZE = 64\n")
        assert dict(captured(path).launches[0].cases[0].values) == {"B": "64"}


def test_what_an_init_might_change_elsewhere_is_said(tmp_path: Path) -> None:
    quiet = captured(written(tmp_path, outer='"""Only words."""\n'))
    assert not any("`__init__`" in n for n in quiet.notes)
    program = captured(written(tmp_path / "busy", outer="from . import conf\nconf.BLOCK = 32\n"))
    assert "the `__init__` of the package `lib`, which is not run, changes nothing outside of itself" in program.notes


def test_a_plain_name_of_an_init_is_read_only_where_it_is_bound_once(tmp_path: Path) -> None:
    more = "from lib import __size__\nBLOCK = __size__"
    path = written(tmp_path, more=more, outer="__size__ = 32\nraise RuntimeError('runs')\n")
    assert dict(captured(path).launches[0].cases[0].values) == {"B": "32"}
    twice = written(tmp_path / "twice", more=more, outer="__size__ = 32\n__size__ += 32\n")
    with pytest.raises(CaptureError, match="__size__"):
        captured(twice)


def test_a_folder_without_an_init_is_loaded_afresh_on_each_path(tmp_path: Path) -> None:
    path = written(tmp_path, more="from lib.ops.plain.sizes import pick")
    (path.parent / "plain/deep").mkdir(parents=True)
    (path.parent / "plain/sizes.py").write_text("from .deep.more import N\n\ndef pick(n):\n    return 64 if n < N else 128\n")
    (path.parent / "plain/deep/more.py").write_text("N = 9\n")
    path.write_text(path.read_text().replace("BLOCK),)", "64),)").replace("BLOCK)", "pick(x.numel()))"))
    assert {dict(c.values)["B"] for launch in captured(path).launches for c in launch.cases} == {"64", "128"}


def test_a_package_that_waits_can_be_found(tmp_path: Path) -> None:
    more = "from importlib.util import find_spec\nBLOCK = 128 if find_spec('lib') and find_spec('lib.ops') else 32"
    assert dict(captured(written(tmp_path, more=more)).launches[0].cases[0].values) == {"B": "128"}


def test_a_name_of_the_init_outlives_the_module_that_asked_for_the_init(tmp_path: Path) -> None:
    """`size` asks for a name of the package while it is loaded; the `__init__` takes its function of the same name then."""
    inner = "from lib.ops.size import size\nif size:\n    DEPTH = 1\nelse:\n    DEPTH = 2\n"
    path = written(tmp_path, more="from lib.ops.size import OTHER\nfrom lib.ops import size\nBLOCK = size()", inner=inner)
    (path.parent / "size.py").write_text("def size():\n    return 32\n\nfrom lib.ops import DEPTH\nOTHER = DEPTH\n")
    assert dict(captured(path).launches[0].cases[0].values) == {"B": "32"}
