"""Many files in one capture process: what the user's code of one does never reaches another, and all get an answer."""

from __future__ import annotations

import os
import time
from pathlib import Path

from argus_smt.ir.serialise import dumps_program
from argus_smt.prove.capturing import Captured, Captures, Job
from tests.unit.capture.conftest import HEADER

LAUNCH = """

import argus_smt as argus

@argus.launch("x: f32[n]")
def launch(x):
    y = torch.empty(x.shape[0])
    assert y.dtype == torch.float32 and torch.is_grad_enabled() and "LEAKED" not in os.environ
    copy[(triton.cdiv(x.shape[0], SIZE),)](x, y, x.shape[0], BLOCK=SIZE)
"""
SPOILER = """
import os, sys, random, builtins, threading, time
from shared import SIZE
torch.set_default_dtype(torch.float64)
torch.set_grad_enabled(False)
torch.empty = None
torch.nn = None
sys.path.insert(0, "/nowhere")
os.environ["LEAKED"] = "1"
sys.modules["shared"].SIZE = 7
tl.load = None
builtins.len = lambda x: 42
triton.cdiv = lambda a, b: 1
random.seed(1)
threading.Thread(target=time.sleep, args=(600,)).start()
"""


def written(folder: Path, name: str, size: int, text: str) -> str:
    """A file in a folder of its own, beside a module `shared` that every such folder has."""
    (folder / name).mkdir()
    (folder / name / "shared.py").write_text(f"SIZE = {size}\n")
    path = folder / name / "user.py"
    path.write_text("import os\n" + HEADER + "from shared import SIZE\n" + text)
    return str(path)


def captured(paths: list[str], limit_s: float = 60.0) -> list[Captured]:
    return Captures(jobs=1, limit_s=limit_s).run([Job(p) for p in paths])


def test_nothing_leaks_from_one_file_to_the_next(tmp_path: Path) -> None:
    files = {
        "plain": LAUNCH,
        "spoils": SPOILER,
        "crashes": "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n",
        "hangs": "import time\ntime.sleep(600)\n",
        "forks": "import subprocess\nchild = subprocess.Popen(['sleep', '600'])\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid))\n" + LAUNCH,
        "after": LAUNCH,
    }
    paths = [written(tmp_path, name, 16 << i, text) for i, (name, text) in enumerate(files.items())]
    before = time.monotonic()
    plain, spoils, crashes, hangs, forks, after = captured(paths, limit_s=4.0)
    assert time.monotonic() - before < 30
    assert [len(c.programs) for c in (plain, forks, after)] == [1, 1, 1]
    assert spoils.error is not None
    assert crashes.error is not None
    assert "segmentation fault" in crashes.error.message
    assert hangs.error is not None
    assert hangs.error.message == "loading and launching took longer than 4 s and was ended"
    blocks = [dict(c.programs[0].launches[0].cases[0].values)["BLOCK"] for c in (plain, after)]
    assert blocks == ["16", str(16 << 5)]
    assert [name for c in (plain, spoils, after) for name, _ in c.seconds].count("imports") == 1
    assert not alive(int((tmp_path / "pid").read_text()))


def test_one_process_gives_what_a_fresh_one_gives(tmp_path: Path) -> None:
    paths = [written(tmp_path, name, 32, LAUNCH) for name in ("one", "two")]
    together = captured(paths)
    alone = [c for p in paths for c in captured([p])]
    for a, b in zip(together, alone, strict=True):
        assert [strip(dumps_program(p)) for p in a.programs] == [strip(dumps_program(p)) for p in b.programs]


def strip(text: str) -> str:
    """Without the times."""
    return text.partition('"seconds"')[0]


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
