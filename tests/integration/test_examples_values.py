"""The example kernels compute what they say, at awkward sizes, in Triton's interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_examples_agree_with_torch() -> None:
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    child = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("example_references.py"))],
        capture_output=True, text=True, timeout=300, env={**os.environ, "PYTHONPATH": path}, check=False,
    )  # fmt: skip
    assert child.returncode == 0, child.stderr[-3000:]
    distances = json.loads(child.stdout.splitlines()[-1])
    assert len(distances) >= 30
    assert {name: d for name, d in distances.items() if d is None or not d < 5e-3} == {}
