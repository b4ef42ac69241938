"""Verdicts on public Triton kernels as they stand in their repositories, as a table.

    python benchmarks/public.py FOLDER [--only TEXT]... [--python36 PYTHON] [--jobs N] [--patience N] [--keep FILE] [--write]

FOLDER holds the repositories of `public.toml` at the commits named there, each in a folder `<owner>__<name>`. Kernels
that need Triton 3.6 are run with the interpreter given by `--python36`, or left out of the table with a note. What a
repository itself needs installed must be importable (`unsloth`: `unsloth_zoo`, `transformers`). Rows are kept in FILE
and replaced by newer ones, so that a table can be made in several runs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
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


def signature_of(entry: dict[str, Any]) -> str:
    """What an entry states, of a launcher or of a kernel."""
    return str(entry.get("call") or entry["kernel"])


def key_of(entry: dict[str, Any]) -> str:
    """What tells an entry from all others."""
    return " ".join((entry["repo"], entry["path"], signature_of(entry)))


def run(entry: dict[str, Any], folder: Path, python: str, patience: int = 1) -> Row:
    """Prove one launcher in a process of its own."""
    repo = folder / entry["repo"].replace("/", "__")
    name = f"{entry['repo'].split('/')[1]} `{Path(entry['path']).name}` {signature_of(entry).split('(')[0]}"
    option = "--call" if "call" in entry else "--kernel"
    command = [python, "-m", "argus_smt", "prove", str(repo / entry["path"]), option, signature_of(entry)]
    command += ["--checks", "memory", "--format", "json", "--no-cache"]
    if patience > 1:
        command += ["--capture-timeout", str(60 * patience), "--timeout", str(60 * patience)]
    limit = TIMEOUT_S * patience
    paths = [str(HERE.parent), str(repo), str(repo / "src")]
    own = {"PYTHONPATH": os.pathsep.join([*paths, os.environ.get("PYTHONPATH", "")]), "TRITON_DEFAULT_FP_FUSION": "1"}
    env = {**os.environ, **own, **entry.get("env", {})}
    started = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return Row(name, "unknown", reason=f"not done after {limit} s", capture_s=time.monotonic() - started)
    if done.returncode in (2, 4) or not done.stdout.strip():
        why = (done.stderr.strip().splitlines() or ["no output"])[0]
        return Row(name, "not captured", reason=why.rpartition("/")[2], capture_s=time.monotonic() - started)
    row = row_of(name, json.loads(done.stdout))
    if row.verdict == "refuted" and "aside" in entry:
        return replace(row, verdict="refuted, set aside", reason=entry["aside"])
    return row


def row_of(name: str, report: dict[str, Any]) -> Row:
    """The line of a report: the worst verdict of its launches, and every code that is not proved."""
    kernels = report["kernels"]
    verdicts = [k["verdict"] for k in kernels]
    verdict = next((v for v in ("refuted", "unknown", "proved") if v in verdicts), "none")
    open_ = [o for k in kernels for o in k["obligations"] if o["verdict"] != "proved" and o["severity"] == "error"]
    codes = sorted({f"{o['code']}:{o['location']['line']}" for o in open_ if o["verdict"] == verdict})
    reasons = [str(o["reason"] or o["message"]) for o in open_ if o["verdict"] == verdict]
    return Row(
        name, verdict, " ".join(codes), sum(len(k["cases"]) for k in kernels),
        sum(float(x["capture_s"]) for x in report["launchers"]),
        sum(float(k["analysis_s"]) + float(k["solve_s"]) for k in kernels),
        next(iter(reasons), ""),
    )  # fmt: skip


def summary(rows: list[Row]) -> str:
    """The share that is decided, and what stands in the way of the others, most frequent first."""
    decided = sum(r.verdict in ("proved", "refuted") for r in rows)
    counts = Counter(r.verdict for r in rows)
    shares = ", ".join(f"{n} {v}" for v, n in counts.most_common())
    return f"{decided} of {len(rows)} decided ({100 * decided // max(1, len(rows))} %): {shares}.\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", action="append", default=[], help="entries with one of these in their path or signature")
    parser.add_argument("--python36", default="", help="an interpreter with Triton 3.6")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--patience", type=int, default=1, help="times as long as the limits say, on a busy machine")
    parser.add_argument("--keep", type=Path, help="a file of rows, read and written")
    parser.add_argument("--write", action="store_true", help=f"write {TABLE.name}")
    args = parser.parse_args()
    entries = tomllib.loads((HERE / "public.toml").read_text())["kernel"]
    kept: dict[str, Row] = {}
    if args.keep and args.keep.exists():
        kept = {key: Row(**row) for key, row in json.loads(args.keep.read_text()).items()}

    def one(entry: dict[str, Any]) -> None:
        old = entry.get("triton") == "3.6"
        wanted = not args.only or any(text in key_of(entry) for text in args.only)
        if not wanted or (old and not args.python36):
            return
        row = run(entry, args.folder, args.python36 if old else sys.executable, args.patience)
        kept[key_of(entry)] = row
        print(row.text(), end="", flush=True)
        if args.keep:
            args.keep.write_text(json.dumps({key: asdict(r) for key, r in kept.items()}, indent=0))

    with ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(one, entries))
    rows = [kept[key_of(e)] for e in entries if key_of(e) in kept]
    print(summary(rows), end="")
    if args.write:
        TABLE.write_text(PREFACE + HEAD + "".join(r.text() for r in rows) + "\n" + summary(rows))
    return 0


PREFACE = """# Public kernels

Kernels that were not written for Argus, read as they stand in their repositories (`benchmarks/public.toml` names the
commits and states the inputs of each launcher), checked for faults of memory (AR3xx). Made by
`python benchmarks/public.py FOLDER --python36 PYTHON --write`.
Capture is the time for running the launcher and compiling its kernels, without the imports of torch and Triton; proof is
the time of all its cases together. Times depend on what else the machine does: `--patience N` multiplies the limits where
it is busy. A refutation that only shows that the signature says too little of the inputs is set aside, and not counted as
a decision; the others are explained in [bugs-found.md](bugs-found.md).

"""

if __name__ == "__main__":
    sys.exit(main())
