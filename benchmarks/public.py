"""Verdicts on public Triton kernels as they stand in their repositories, as a table.

    python benchmarks/public.py FOLDER [--only TEXT] [--python36 PYTHON] [--write]

FOLDER holds the repositories of `public.toml` at the commits named there, each in a folder `<owner>__<name>`. Kernels
that need Triton 3.6 are run with the interpreter given by `--python36`, or left out of the table with a note.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).resolve().parent
TABLE = HERE.parent / "docs" / "public-kernels.md"
TIMEOUT_S = 300
HEAD = "| kernel | verdict | codes | cases | capture s | proof s | reason |\n| --- | --- | --- | --- | --- | --- | --- |\n"


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    verdict: str
    codes: str = ""
    cases: int = 0
    capture_s: float = 0.0
    proof_s: float = 0.0
    reason: str = ""

    def text(self) -> str:
        times = f"{self.capture_s:.1f} | {self.proof_s:.1f}"
        return f"| {self.name} | {self.verdict} | {self.codes} | {self.cases} | {times} | {self.reason.replace('|', '/')} |\n"


def run(entry: dict[str, Any], folder: Path, python: str) -> Row:
    """Prove one launcher in a process of its own."""
    repo = folder / entry["repo"].replace("/", "__")
    launcher = entry["call"].split("(")[0]
    name = f"{entry['repo'].split('/')[1]} `{Path(entry['path']).name}` {launcher}"
    command = [
        python,
        "-m",
        "argus_smt",
        "prove",
        str(repo / entry["path"]),
        "--call",
        entry["call"],
        "--format",
        "json",
        "--no-cache",
    ]
    paths = [str(HERE.parent), str(repo), str(repo / "src")]
    own = {"PYTHONPATH": os.pathsep.join(paths), "TRITON_DEFAULT_FP_FUSION": "1"}
    env = {**os.environ, **own, **entry.get("env", {})}
    started = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return Row(name, "unknown", reason=f"not done after {TIMEOUT_S} s", capture_s=time.monotonic() - started)
    if done.returncode in (2, 4) or not done.stdout.strip():
        why = (done.stderr.strip().splitlines() or ["no output"])[0]
        return Row(name, "not captured", reason=why, capture_s=time.monotonic() - started)
    return row_of(name, json.loads(done.stdout))


def row_of(name: str, report: dict[str, Any]) -> Row:
    """The line of a report: the worst verdict of its launches, and every code that is not proved."""
    kernels = report["kernels"]
    verdicts = [k["verdict"] for k in kernels]
    verdict = next((v for v in ("refuted", "unknown", "proved") if v in verdicts), "none")
    open_ = [o for k in kernels for o in k["obligations"] if o["verdict"] != "proved" and o["severity"] == "error"]
    codes = sorted({f"{o['code']}:{o['location']['line']}" for o in open_ if o["verdict"] == verdict})
    reasons = [str(o["reason"]) for o in open_ if o["verdict"] == "unknown" and o.get("reason")]
    capture = sum(float(x.get("capture_s", 0.0)) for x in report.get("launchers", ()))
    return Row(
        name, verdict, " ".join(codes), sum(len(k["cases"]) for k in kernels),
        capture, float(sum(o.get("time_s", 0.0) for k in kernels for o in k["obligations"])),
        next(iter(reasons), ""),
    )  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--python36", default="")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    entries = tomllib.loads((HERE / "public.toml").read_text())["kernel"]
    rows = []
    for entry in entries:
        if args.only not in entry["path"] + entry["call"]:
            continue
        old = entry.get("triton") == "3.6"
        if old and not args.python36:
            continue
        rows.append(run(entry, args.folder, args.python36 if old else sys.executable))
        print(rows[-1].text(), end="", flush=True)
    decided = sum(r.verdict in ("proved", "refuted") for r in rows)
    summary = f"{decided} of {len(rows)} decided ({100 * decided // max(1, len(rows))} %)\n"
    print(summary)
    if args.write:
        TABLE.write_text(PREFACE + HEAD + "".join(r.text() for r in rows) + "\n" + summary)
    return 0


PREFACE = """# Public kernels

Kernels that were not written for Argus, read as they stand in their repositories (`benchmarks/public.toml` names the
commits and states the inputs of each launcher). Made by `python benchmarks/public.py FOLDER --python36 PYTHON --write`.

"""

if __name__ == "__main__":
    sys.exit(main())
