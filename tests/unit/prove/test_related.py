"""Places that explain a finding, from the text of the kernel."""

from __future__ import annotations

from pathlib import Path

from argus_smt.prove.finding import Related
from argus_smt.prove.related import LIMIT, related
from argus_smt.smt.model import Model
from tests.unit.prove.contexts import context, program, reader

SOURCE = """\
@triton.jit
def k(x, m):
    pid = tl.program_id(0)
    unused = pid + 1
    at = pid * 16
    at = at + tl.arange(0, 16)
    mask = at < m
    v = tl.load(x + at, mask=mask)


def launch(x, m):
    k[(4,)](x, m)
"""


def places(path: Path, source: str = SOURCE, line: int = 8) -> list[tuple[int, str]]:
    path.write_text(source, encoding="utf-8")
    made = program(reader(True, str(path), line), file=str(path))
    found, duty = context(made)
    out = related(found, duty, Model({}))
    assert all(isinstance(r, Related) and r.span.file == str(path) for r in out)
    return [(r.span.line, r.message) for r in out]


def test_definitions_come_nearest_first_then_arguments_then_the_launch(tmp_path: Path) -> None:
    found = places(tmp_path / "k.py")
    assert [(line, text) for line, text in found if "defined" in text] == [
        (6, "`at` is defined here"), (7, "`mask` is defined here"), (5, "`at` is defined here"), (3, "`pid` is defined here"),
    ]  # fmt: skip
    assert (12, "`m` passed here") in found
    assert found[-1] == (12, "`k` is launched here")
    assert all("unused" not in text for _, text in found)


def test_what_a_loop_brings_back_is_shown(tmp_path: Path) -> None:
    source = "def k(x, m):\n    p = x\n    for _ in range(9):\n        v = tl.load(p)\n        p += 16\n    p = x + 1\n"
    found = places(tmp_path / "k.py", source, line=4)
    assert (2, "`p` is defined here") in found
    assert (5, "`p` is defined here") in found
    assert (6, "`p` is defined here") not in found


def test_a_long_chain_is_cut(tmp_path: Path) -> None:
    steps = "".join(f"    a{i + 1} = a{i} + 1\n" for i in range(20))
    found = places(tmp_path / "k.py", f"def k(x, a0):\n{steps}    v = tl.load(x + a20)\n", line=22)
    assert sum("defined" in text for _, text in found) == LIMIT


def test_files_that_cannot_be_read_leave_the_launch(tmp_path: Path) -> None:
    assert places(tmp_path / "broken.py", "def k(:\n") == [(12, "`k` is launched here")]
    found, duty = context(program(reader(True, str(tmp_path / "gone.py"), 8), file=str(tmp_path / "gone.py")))
    assert [r.message for r in related(found, duty, Model({}))] == ["`k` is launched here"]
