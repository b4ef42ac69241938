"""ARCHITECTURE.md has a line for every file, in step with what the module says of itself."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path


def test_tables_are_in_step(root: Path) -> None:
    done = subprocess.run([sys.executable, "docs/architecture.py"], cwd=root, check=False)
    assert done.returncode == 0, "run `make architecture`, then put new rows in their place"


def test_every_file_has_its_line(root: Path) -> None:
    named = re.findall(r"^\| `([^`]+\.py)` \| \S", (root / "ARCHITECTURE.md").read_text(encoding="utf-8"), re.MULTILINE)
    tops = ("argus_smt", "encodings", "kernels", "agent", "benchmarks", "docs")
    paths = [path for top in tops for path in (root / top).glob("**/*.py") if path.stat().st_size]
    assert sorted(named) == sorted(path.relative_to(root).as_posix() for path in paths)
