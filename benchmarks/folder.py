"""Measures `argus prove FOLDER`: the shipped examples, copied until there are N files, proved as one folder from nothing.

`python benchmarks/folder.py [N]` prints wall-clock and processor time, and what was proved.
"""

from __future__ import annotations

import io
import itertools
import json
import os
import resource
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from argus_smt.cli import main

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "triton"
LIMIT_S = 90.0
"""What 50 kernels may take on two cores."""


def measure(count: int) -> int:
    """Prove `count` files; 0 if all are proved within the limit."""
    with tempfile.TemporaryDirectory(prefix="argus-bench-") as folder:
        for n, source in zip(range(count), itertools.cycle(sorted(EXAMPLES.glob("*.py"))), strict=False):
            shutil.copy(source, Path(folder) / f"k{n:03}_{source.name}")
        out, err = io.StringIO(), io.StringIO()
        start = time.monotonic()
        code = main(["prove", folder, "--no-cache", "--format", "json"], out, err)
        wall_s = time.monotonic() - start
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = json.loads(out.getvalue())
    verdicts = Counter(k["verdict"] for k in report["kernels"])
    cores = len(os.sched_getaffinity(0))
    print(f"{count} files, {len(report['kernels'])} launches: {dict(verdicts)}, exit code {code}")
    print(f"{wall_s:.1f} s on {cores} cores, {spent.ru_utime + spent.ru_stime:.1f} s of processor time; {report['resources']}")
    sys.stderr.write(err.getvalue())
    return 0 if code == 0 and wall_s <= LIMIT_S else 1


if __name__ == "__main__":
    sys.exit(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 50))
