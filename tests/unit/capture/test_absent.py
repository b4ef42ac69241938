"""Packages that are not installed may be imported and named; where they would decide something, nothing is claimed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from argus_smt.capture.failure import CaptureError
from argus_smt.ir.launch import Program

Capture = Callable[[str, str], Program]
LAUNCH = """
def launch(x):
    y = torch.empty_like(x)
    copy[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
"""

HARMLESS = {
    "imports": "import nowhere.parts as parts\nfrom nowhere.log import init_logger, Level\nlogger = init_logger(__name__)\n"
    + LAUNCH,
    "names": "import nowhere\nMODE = nowhere.Mode.FAST | nowhere.Mode.SAFE\nclass Q(nowhere.Base):\n    x: nowhere.T = None\n"
    + LAUNCH,
    "annotation": "from typing import Optional\nimport nowhere\n"
    + LAUNCH.replace("(x):", "(x, extra: Optional[nowhere.T] = None, mode=nowhere.Mode.A):"),
    "speaks": "from nowhere import logger\n" + LAUNCH + "    logger.info('copied %d', 3)\n",
    "guarded": "try:\n    import nowhere\n    HAVE = True\nexcept ImportError:\n    HAVE = False\n"
    + LAUNCH.replace("(x):", "(x):\n    if HAVE:\n        nowhere.f(x)"),
    "guarded after a plain import": "from nowhere.log import Level\nimport nowhere.parts\n"
    "try:\n    from nowhere.parts import fast\n    import nowhere.more\n    HAVE = True\nexcept ImportError:\n    HAVE = False\n"
    "def later():\n    try:\n        from nowhere.late import has\n"
    "    except ImportError:\n        return False\n    return has()\n"
    "LATE = later()\n" + LAUNCH.replace("(x):", "(x):\n    if HAVE or LATE:\n        nowhere.f(x)"),
    "asked for": "import importlib.util\nHAVE = importlib.util.find_spec('nowhere') is not None\n"
    + LAUNCH.replace("(x):", "(x):\n    assert not HAVE"),
    "device data": LAUNCH
    + "x = torch.rand((4, 5), device='cuda')\nout = launch(x)\nprint(out - x)\nassert torch.allclose(out, x)\n",
    "demonstration that runs the launcher": LAUNCH.replace("(x):", "(x):\n    assert x.dim() == 1")
    + "def demonstrate():\n    return {'a': launch(torch.randn((5,)).cuda())}\nresult = demonstrate()\n",
    "benchmark": LAUNCH
    + "torch.manual_seed(0)\n\ndef check():\n    a = torch.ones(3, device='cuda')\n    assert launch(a) is None\ncheck()\n",
}

DECIDING = {
    "call": "import nowhere\n" + LAUNCH.replace("(x):", "(x):\n    nowhere.f(x)"),
    "branch": "import nowhere\n" + LAUNCH.replace("(x):", "(x):\n    if nowhere.FLAG: return"),
    "swallowed": "import nowhere\n" + LAUNCH.replace("(x):", "(x):\n    try:\n        nowhere.f(x)\n    except:\n        pass"),
    "has": "import nowhere\n" + LAUNCH.replace("(x):", "(x):\n    if hasattr(nowhere, 'fast'): return"),
    "default": "import nowhere\n" + LAUNCH.replace("(x):", "(x):\n    b = getattr(nowhere.cfg, 'block', 64)"),
    "key": "import nowhere\n" + LAUNCH.replace("(x):", "(x):\n    b = {}.get(nowhere.KEY, 64)"),
    "comparison": "import nowhere\n" + LAUNCH.replace("(x):", "(x, m=nowhere.A):\n    if m == nowhere.B: return"),
    "class": "import nowhere\n" + LAUNCH.replace("(x):", "(x):\n    if isinstance(x, nowhere.T): return"),
    "logged tensor": "from nowhere import logger\n" + LAUNCH.replace("(x):", "(x):\n    logger.info(x)"),
    "decorator": "from nowhere import guard\n@guard" + LAUNCH,
    "decorated kernel": "from nowhere import entry\ncopy = entry()(copy)\n" + LAUNCH,
    "base class": "import nowhere\nclass Q(nowhere.Base):\n    pass\n" + LAUNCH.replace("(x):", "(x):\n    Q()"),
    "inherited": "import nowhere\nclass Q(nowhere.Base):\n    pass\n" + LAUNCH.replace("(x):", "(x):\n    hasattr(Q, 'f')"),
    "constexpr": "import nowhere\n" + LAUNCH.replace("BLOCK=64", "BLOCK=nowhere.BLOCK"),
    "import branch": "import nowhere\nif nowhere.FLAG:\n    copy = None\n" + LAUNCH,
    "star": "from nowhere import *\n" + LAUNCH,
    "kernel": "import nowhere\n\n@triton.jit\ndef other(x, n):\n    tl.store(x, nowhere.f(n))\n"
    + LAUNCH + "    other[(1,)](x, x.numel())\n",
    "device table": "TABLE = torch.zeros(16, device='cuda')\n" + LAUNCH.replace("(x):", "(x):\n    x = TABLE + x"),
    "changed": "SIZES = []\nSIZES.append(torch.ones(3, device='cuda').tolist()[0] + bool(torch.ones(1, device='cuda')))\n"
    + LAUNCH.replace("(x):", "(x):\n    if SIZES: return"),
}  # fmt: skip


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_only_named_does_not_matter(name: str, launcher: Capture) -> None:
    program = launcher(HARMLESS[name], "launch(x: f32[N])")
    assert len(program.launches) == 1
    assert not program.not_covered


@pytest.mark.parametrize("name", DECIDING)
def test_what_decides_something_is_not_guessed(name: str, launcher: Capture) -> None:
    with pytest.raises(CaptureError) as caught:
        launcher(DECIDING[name], "launch(x: f32[N])")
    assert "not installed" in caught.value.message or "device" in caught.value.message


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("imports", "the package `nowhere` is not installed: nothing is claimed where it is used"),
        ("guarded", "the package `nowhere` is not installed, for which the file has a way of its own"),
        ("benchmark", "line 21 is not run when the file is imported: it needs a device"),
    ],
)
def test_the_report_says_what_is_absent(name: str, note: str, launcher: Capture) -> None:
    assert note in launcher(HARMLESS[name], "launch(x: f32[N])").notes
