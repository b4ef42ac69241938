"""Input that cannot be worked on: each gets one clear line, with its place and what to do."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from argus_smt.capture.failure import CaptureError, SignatureError
from argus_smt.capture.service import answer
from argus_smt.prove.capturing import Captures, Job
from tests.unit.capture.conftest import HEADER

LAUNCH = """def launch(x):
    y = torch.empty_like(x)
    copy[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
    return y
"""


def refusal(tmp_path: Path, text: str | bytes | None, **request: Any) -> CaptureError:
    """The error that a request for a file with this text ends in."""
    path = tmp_path / request.pop("name", "user.py")
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(CaptureError) as caught:
        answer({"file": str(path), **request})
    assert "\n" not in caught.value.message
    return caught.value


def test_no_such_file(tmp_path: Path) -> None:
    assert "no such file: " in refusal(tmp_path, None).message


def test_directory(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="is a directory"):
        answer({"file": str(tmp_path)})


@pytest.mark.parametrize(("text", "name"), [(b"\x89PNG\xff\x00", "user.py"), (b"x", "notes.txt"), (b"a\x00b", "user.py")])
def test_not_python(tmp_path: Path, text: bytes, name: str) -> None:
    error = refusal(tmp_path, text, name=name)
    assert "Python" in error.message or "syntax error" in error.message
    assert error.code == "AR101"


def test_syntax_error(tmp_path: Path) -> None:
    error = refusal(tmp_path, "import os\ndef f(:\n    pass\n")
    assert error.message.startswith("syntax error: ")
    assert (error.span.line, error.span.column) == (2, 7)
    assert error.excerpt.splitlines()[0] == "def f(:"


def test_import_error_in_the_users_module(tmp_path: Path) -> None:
    error = refusal(tmp_path, HEADER + "from json import not_there\n" + LAUNCH, call="launch(x: f32[n])")
    assert "ImportError: cannot import name 'not_there'" in error.message
    assert error.span.line == HEADER.count("\n") + 1
    error = refusal(tmp_path, HEADER + "import sys\nsys.exit(3)\n" + LAUNCH, call="launch(x: f32[n])")
    assert "SystemExit(3)" in error.message


def test_no_kernel(tmp_path: Path) -> None:
    error = refusal(tmp_path, "def launch(x):\n    return x\n", call="")
    assert (error.message, error.code) == ("no @triton.jit kernel found", "AR102")
    error = refusal(tmp_path, "def launch(x):\n    return x\n", call="launch(x: f32[n])")
    assert (error.message, error.code) == ("`launch` never launches a kernel", "AR102")


def test_no_signature_lists_launchers_and_a_line_to_paste(tmp_path: Path) -> None:
    body = "def launch(a, idx, n=3):\n    M, K = a.shape\n    V = idx.shape[0]\n    copy[(M,)](a, idx, K, BLOCK=64)\n"
    error = refusal(tmp_path, HEADER + body)
    assert error.code == "AR103"
    assert "launchers found: `launch` (line 12)" in error.help
    assert '--call "launch(a: f32[M, K], idx: i32[V], n: int = 3)"' in error.help
    error = refusal(tmp_path, HEADER)
    assert '--kernel "copy(x: f32[n], y: f32[n], n: int, BLOCK=64) grid (1,)"' in error.help


def test_proposals_know_pointers_by_their_use(tmp_path: Path) -> None:
    kernel = "@triton.jit\ndef norm(X, W, s, n, eps):\n    X += 3 * s\n    p = X + n\n    tl.store(p, tl.load(W + s) + eps)\n\n\n"
    body = "def launch(x, weight, s, eps=1e-6, big=False):\n    norm[(1,)](x, weight, s, n=3, eps=eps)\n"
    error = refusal(tmp_path, HEADER + kernel + body)
    assert '--call "launch(x: f32[X_0], weight: f32[WEIGHT_0], s: int, eps: float, big: bool = False)"' in error.help


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("launch(x: f32[-5])", "a size of `x` is -5; sizes are at least 1"),
        ("launch(x: f32[3, 0])", "a size of `x` is 0; sizes are at least 1"),
        ("launch(x: f32[n]) where n < 5, n > 5", "no value of `n` is allowed"),
        ("launch(x: f32[n, m]) where n < m, n > m", "the preconditions contradict each other"),
        ("launch(x: f32[n]) where n in_ 5", "in_"),
        ("launch(x: f32[2], n: int in [5, 2])", "no value of `n` is allowed"),
    ],
)
def test_signatures_that_nothing_meets(tmp_path: Path, call: str, message: str) -> None:
    path = tmp_path / "user.py"
    path.write_text(HEADER + LAUNCH.replace("(x):", "(x, n=3):"))
    with pytest.raises(SignatureError, match=message):
        answer({"file": str(path), "call": call})


def test_a_kernel_that_triton_never_takes(tmp_path: Path) -> None:
    path = tmp_path / "user.py"
    path.write_text(HEADER + LAUNCH)
    with pytest.raises(CaptureError, match=r"Triton refuses `copy` with BLOCK = 60: .*power of 2") as caught:
        answer({"file": str(path), "kernel": "copy(x: f32[n], y: f32[n], n: int, BLOCK=60) grid (1,)"})
    assert caught.value.span.line == 7


def test_launcher_not_found(tmp_path: Path) -> None:
    error = refusal(tmp_path, HEADER + LAUNCH, call="lunch(x: f32[n])")
    assert (error.message, error.help) == ("no launcher `lunch` in the file", "did you mean `launch`?")
    error = refusal(tmp_path, HEADER + LAUNCH, kernel="kopy(x: f32[n]) grid (1,)")
    assert (error.message, error.help) == ("no kernel `kopy` in the file", "did you mean `copy`?")


def test_wrong_arguments(tmp_path: Path) -> None:
    error = refusal(tmp_path, HEADER + LAUNCH, call="launch(y: f32[n])")
    assert error.message == "the signature leaves out `x` of `launch`"
    error = refusal(tmp_path, HEADER + LAUNCH, call="launch(x: f32[n], z: int)")
    assert error.message == "`launch` has no argument `z`"


def test_signature_faults_have_a_caret(tmp_path: Path) -> None:
    path = tmp_path / "user.py"
    path.write_text(HEADER + LAUNCH)
    with pytest.raises(SignatureError, match="unknown dtype `float32`"):
        answer({"file": str(path), "call": "launch(x: float32[n])"})
    with pytest.raises(SignatureError, match="has no grid"):
        answer({"file": str(path), "call": "launch(x: f32[n]) grid (1,)"})
    with pytest.raises(SignatureError, match="ends with its grid"):
        answer({"file": str(path), "kernel": "copy(x: f32[n], y: f32[n], n: int, BLOCK=64)"})


def test_declared_signature_that_does_not_parse_points_at_the_function(tmp_path: Path) -> None:
    error = refusal(tmp_path, HEADER + "import argus_smt as argus\n@argus.launch('x: f77[n]')\n" + LAUNCH)
    assert "unknown dtype `f77`" in error.message
    assert error.span.line in (12, 13)
    assert error.excerpt.splitlines()[0] == "launch(x: f77[n])"


def test_launcher_that_raises_on_every_path(tmp_path: Path) -> None:
    body = "def launch(x):\n    if x.shape[0] > 3:\n        raise ValueError('too big')\n    raise ValueError('too small')\n"
    error = refusal(tmp_path, HEADER + body + "\n\n" + LAUNCH.replace("launch", "other"), call="launch(x: f32[n])")
    assert error.message == "the launcher raises ValueError: too big on every path"
    assert (error.span.line, error.code) == (14, "AR105")
    assert error.excerpt.strip() == "raise ValueError('too big')"


def test_wrong_launch_of_the_kernel(tmp_path: Path) -> None:
    body = "def launch(x):\n    copy[(1,)](x, x, BLOCK=64)\n"
    error = refusal(tmp_path, HEADER + body, call="launch(x: f32[n])")
    assert error.message == "the launcher raises TypeError: missing a required argument: 'n'"
    assert error.span.line == 13
    body = "def launch(x):\n    copy[(1,)](x, x, 3, BLOCKS=64, BLOCK=32)\n"
    assert "unexpected keyword argument 'BLOCKS'" in refusal(tmp_path, HEADER + body, call="launch(x: f32[n])").message


def test_launcher_that_never_launches(tmp_path: Path) -> None:
    body = "def launch(x):\n    return x + 1\n\n\n" + LAUNCH.replace("launch", "other")
    error = refusal(tmp_path, HEADER + body, call="launch(x: f32[n])")
    assert (error.message, error.code) == ("`launch` never launches a kernel", "AR102")


def test_size_that_becomes_a_number(tmp_path: Path) -> None:
    body = "def launch(x):\n    n = x.shape[0]\n    t = torch.tensor([n])\n    copy[(1,)](x, x, len(range(n)), BLOCK=64)\n"
    error = refusal(tmp_path, HEADER + body, call="launch(x: f32[N])")
    assert error.message == "line 14 turns the size N into a number"
    assert (error.span.line, error.code) == (14, "AR106")
    assert "helper" in error.help


def test_reply_is_not_disturbed_by_what_user_code_prints(tmp_path: Path) -> None:
    path = tmp_path / "user.py"
    path.write_text("import os\nprint('loud')\nos.write(1, b'louder')\n" + HEADER + LAUNCH.replace("y =", "print(x); y ="))
    missing = str(tmp_path / "no.py")
    printed, absent = Captures().run([Job(str(path), call="launch(x: f32[n])"), Job(missing)])
    assert (len(printed.programs), printed.error) == (1, None)
    assert absent.error is not None
    assert (absent.error.message, absent.error.code) == (f"no such file: {missing}", "AR101")


@pytest.mark.parametrize(
    ("body", "call", "code", "help_"),
    [
        ("def launch(x):\n    assert x.shape[0] < 0\n", "x: f32[n]", "AR105", "refuses every call that the signature allows"),
        ("def launch(x):\n    return x\n", "x: f32[n]", "AR102", "it returns before any launch: state values"),
        ("def plan(x):\n    return open(x)\ndef launch(x):\n    copy[(plan(x),)](x, x, 1, BLOCK=16)\n", "x: f32[n]", "AR105",
         "`helper plan(…) -> int in [1, 8]`"),
        ("from . import sibling\ndef launch(x): ...\n", "x: f32[n]", "AR101", "its folders hold an `__init__.py` each"),
        ("1 / 0\ndef launch(x): ...\n", "x: f32[n]", "AR101", "must import on a machine without a device"),
        ("raise SystemExit(3)\ndef launch(x): ...\n", "x: f32[n]", "AR101", "under `if __name__ =="),
    ],
)  # fmt: skip
def test_what_cannot_be_captured_says_what_to_write_next(tmp_path: Path, body: str, call: str, code: str, help_: str) -> None:
    path = tmp_path / "user.py"
    path.write_text(HEADER + body)
    with pytest.raises(CaptureError) as caught:
        answer({"file": str(path), "call": f"launch({call})"})
    assert caught.value.code == code
    assert help_ in caught.value.help
    assert caught.value.span.line > 1 or code == "AR101"


@pytest.mark.parametrize("init", ["", "import no_such_module\n"])
def test_a_file_of_a_package_imports_its_siblings(tmp_path: Path, init: str) -> None:
    folder = tmp_path / "top" / "ops"
    folder.mkdir(parents=True)
    (tmp_path / "top" / "__init__.py").write_text("SIZE = 32\n" + init)
    (folder / "__init__.py").write_text("")
    (folder / "sibling.py").write_text("SIZE = 16\n")
    (tmp_path / "top" / "cousin.py").write_text("STEP = 2\n")
    path = folder / "user.py"
    imports = "from .sibling import SIZE\nfrom ..cousin import STEP\n"
    path.write_text(imports + HEADER + "def launch(x):\n    copy[(1,)](x, x, 1, BLOCK=SIZE * STEP)\n")
    before, path_before = set(sys.modules), list(sys.path)
    (program,) = answer({"file": str(path), "call": "launch(x: f32[n])"})
    assert "32" in json.dumps(program["program"]["launches"][0]["cases"][0]["values"])
    assert sys.path == path_before
    for name in set(sys.modules) - before:
        del sys.modules[name]
