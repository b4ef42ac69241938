"""`argus signature`: a line to paste with its reasons, from the text alone or from a run of the file's tests."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from argus_smt.cli import main
from tests.unit.capture.conftest import HEADER

FILE = (
    HEADER
    + """
def launch(x, y):
    n = x.numel()
    copy[(triton.cdiv(n, 16),)](x, y, n, BLOCK=16)

def second(x, y):
    copy[(1,)](x, y, 1, BLOCK=16)

def test_launch():
    for n in (5, 70):
        launch(torch.ones(n), torch.empty(n))

def bench():
    launch(torch.empty(1 << 40), torch.empty(1 << 40))
"""
)


def signature(*argv: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    return main(["signature", *argv], out, err), out.getvalue(), err.getvalue()


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "user.py"
    path.write_text(FILE)
    return str(path)


def test_calls_of_the_file_are_run(file: str) -> None:
    code, out, err = signature(file, "--launcher", "launch")
    assert (code, err) == (0, "")
    assert f'argus prove {file} --call "launch(x: f32[n], y: f32[n] out)"' in out
    assert "equal to size 0 of `x` in 2 recorded calls" in out
    assert "second" not in out


def test_the_text_alone(file: str) -> None:
    code, out, _ = signature(file, "--no-run")
    assert code == 0
    assert '--call "launch(x: f32[n], y: f32[y_0] out)"' in out
    assert '--call "second(x: f32[x_0], y: f32[y_0] out)"' in out
    assert "look at this before you use it\n  - nothing says how many dimensions `y` has: one is a guess" in out


@pytest.mark.parametrize(
    ("text", "argv", "message"),
    [
        (FILE, ("--launcher", "lunch"), "error[AR104]: no launcher `lunch` in the file\n  = help: did you mean `launch`?"),
        ("x = 1\n", (), "error[AR102]: no @triton.jit kernel found"),
        (HEADER, (), "error[AR103]: no launcher in the file\n  = help: kernels found: `copy` (line 7); state one with its grid"),
        ("def f(:\n", (), "error[AR101]: not Python"),
    ],
)
def test_wrong_input_is_one_error(tmp_path: Path, text: str, argv: tuple[str, ...], message: str) -> None:
    (tmp_path / "user.py").write_text(text)
    code, out, err = signature(str(tmp_path / "user.py"), *argv)
    assert (code, out) == (2, "")
    assert message in err


def test_a_file_that_does_not_import_still_has_a_text(tmp_path: Path) -> None:
    (tmp_path / "user.py").write_text("1 / 0\n" + FILE)
    code, out, err = signature(str(tmp_path / "user.py"))
    assert code == 0
    assert "importing the file fails: ZeroDivisionError" in err
    assert "the proposals below are from the text alone" in err
    assert "launch(x: f32[n], y: f32[y_0] out)" in out
