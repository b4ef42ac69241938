"""The outputs that the README shows are what the commands print; `--update-golden` writes them anew.

A comment `<!-- argus … -->` before a block names the command. Times may differ, and keep what the README says.
"""

from __future__ import annotations

import io
import re
import shlex
from pathlib import Path

import pytest

from argus_smt.cli import main

BLOCK = re.compile(r"(<!-- argus (?P<command>[^\n]*) -->\n```text\n)(?P<output>.*?)(```\n)", re.DOTALL)


def printed(command: str) -> str:
    out, err = io.StringIO(), io.StringIO()
    code = main([*shlex.split(command), "--no-cache"], out, err)
    assert code in (0, 1), err.getvalue()
    return out.getvalue()


def timeless(text: str) -> str:
    return re.sub(r"\d+(\.\d+)? (ms|s)\b", "N s", text)


def test_shown_output_is_printed(root: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    path = root / "README.md"
    text = path.read_text(encoding="utf-8")
    shown = {match["command"]: match["output"] for match in BLOCK.finditer(text)}
    assert len(shown) == 2
    now = {command: printed(command) for command in shown}
    if request.config.getoption("--update-golden"):
        path.write_text(BLOCK.sub(lambda m: m[1] + now[m["command"]] + m[4], text), encoding="utf-8")
        return
    for command, output in shown.items():
        assert timeless(output) == timeless(now[command]), command
