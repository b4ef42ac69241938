"""The examples of the manual pages do what the pages say: the first is refuted with the code, the mended one is not."""

from __future__ import annotations

import io
import re
import textwrap
from pathlib import Path

import pytest

from argus_smt.cli import main
from argus_smt.diag.codes import page
from argus_smt.diag.report import Report, read_report

BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def verdict(file: Path, text: str, call: str, overflow: str) -> Report:
    file.write_text(text, encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    main(
        ["prove", str(file), "--call", call, "--overflow", overflow, "--checks", "all", "--format", "json", "--no-cache"],
        out,
        err,
    )
    return read_report(out.getvalue())


def refuted(report: Report) -> set[str]:
    return {ob.code for kernel in report.kernels for ob in kernel.obligations if ob.verdict == "refuted"}


def mended(failing: str, change: str) -> str:
    """The failing example with the line of the same beginning replaced; an assert goes to the top of the launcher."""
    line = textwrap.dedent(change).strip()
    start = re.match(r"\w+ =|@?[\w.]+\(\w+|assert", line)
    assert start
    anchor = r"^def launch.*$" if start[0] == "assert" else rf"^ *{re.escape(start[0])}.*$"
    found = re.search(anchor, failing, re.MULTILINE)
    assert found
    kept = found[0] + "\n" if start[0] == "assert" else ""
    indent = "    " if kept else " " * (len(found[0]) - len(found[0].lstrip()))
    return failing[: found.start()] + kept + textwrap.indent(line, indent) + failing[found.end() :]


SLOW = ("AR301", "AR303", "AR305", "AR306", "AR307", "AR401", "AR402", "AR403", "AR407")
NEW = ("AR304", "AR404", "AR406", "AR411", "AR601", "AR603")


@pytest.mark.parametrize("code", ["AR302", *(pytest.param(c, marks=pytest.mark.slow) for c in (*SLOW, *NEW))])
def test_examples(code: str, tmp_path: Path) -> None:
    text = page(code) or ""
    before, _, after = text.partition("## How to fix")
    failing, change = BLOCK.findall(before)[0], BLOCK.findall(after)[0]
    call = re.findall(r'--call "([^"]+)"', failing)[0]
    overflow = "error" if code == "AR303" else "warn"
    assert code in refuted(verdict(tmp_path / "failing.py", failing, call, overflow))
    assert code not in refuted(verdict(tmp_path / "mended.py", mended(failing, change), call, overflow))
