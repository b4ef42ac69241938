"""Table of verdicts: every shipped example, and every file of a folder of cases with sidecars if one is given.

    python benchmarks/verdicts.py [CASES]

Times are those of the prover (analysis and solving) as the report states them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
METHODS = ("interval", "algebra", "solver")


def jobs(cases: Path | None) -> Iterator[tuple[Path, list[str]]]:
    """Files with the arguments that they are proved with."""
    for path in sorted((ROOT / "examples" / "triton").glob("*.py")):
        yield path, []
    for sidecar in sorted(cases.glob("*.json")) if cases else ():
        about = json.loads(sidecar.read_text())
        for name in about["files"].values():
            mode = ["--overflow", "error"] if "overflow" in about["bug_class"] else []
            yield cases / name, ["--call", about["call"], *mode]  # type: ignore[operator]


def report(path: Path, arguments: list[str]) -> dict[str, Any]:
    """The JSON report of one run; a run that gives none is an empty report."""
    command = [sys.executable, "-m", "argus_smt", "prove", "--no-cache", "--format", "json", str(path), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"kernels": [], "error": done.stderr.strip().splitlines()[-1:]}
    return found


def row(path: Path, found: dict[str, Any]) -> str:
    """One line of the table."""
    kernels = found["kernels"]
    duties = [ob for k in kernels for ob in k["obligations"]]
    methods = Counter(ob["method"] for ob in duties if ob["verdict"] == "proved")
    refuted = sorted(
        {f"{ob['code']}:{ob['location']['line']}" for ob in duties if ob["verdict"] == "refuted" and ob["severity"] == "error"}
    )
    unknown = sorted({f"{ob['code']}:{ob['location']['line']}" for ob in duties if ob["verdict"] == "unknown"})
    verdicts = ", ".join(k["verdict"] for k in kernels) or f"no report: {found.get('error')}"
    seconds = sum(k["analysis_s"] + k["solve_s"] for k in kernels)
    counts = " | ".join(str(methods[m]) for m in METHODS)
    cases = sum(len(k["cases"]) for k in kernels)
    return f"| {path.stem} | {verdicts} | {seconds:.2f} | {cases} | {counts} | {' '.join(refuted)} | {' '.join(unknown)} |"


def main() -> None:
    cases = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    print("| file | verdict | s | cases | interval | algebra | solver | refuted at | unknown at |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for path, arguments in jobs(cases):
        print(row(path, report(path, arguments)), flush=True)


if __name__ == "__main__":
    main()
