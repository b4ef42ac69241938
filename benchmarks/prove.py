"""Measures proofs of the shipped examples, the prover's memory and the command's start; `--write` keeps the table.

All figures of a run come from one machine: captured once per signature, then proved in fresh processes, median of N.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import statistics
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from argus_smt.ir.serialise import dumps_program
from argus_smt.prove.capturing import Captures, Job

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results.md"
MAX_WORKER_MB = 300.0
HELP_S = 0.3
WHOLE_S = 8.0


@dataclass(frozen=True, slots=True)
class Example:
    """A kernel to prove: its launcher's signature, the sizes that are bounded, and seconds for its slowest case."""

    name: str
    file: str
    call: str
    sizes: tuple[str, ...]
    figure_s: float | None = None
    where: str = ""


EXAMPLES = (
    Example("vector add", "vector_add.py", "add(x: f32[n], y: f32[n])", ("n",), 0.05),
    Example("row softmax", "softmax.py", "softmax(x: f32[M, N] {row, 1})", ("M", "N"), 0.3),
    Example("grouped matmul", "matmul.py", "matmul(a: f16[M, K] strided, b: f16[K, N] strided)", ("M", "N", "K"), 2.0),
    Example("layer norm", "layer_norm.py", "layer_norm(x: f32[M, N] {row, 1}, weight: f32[N], bias: f32[N])", ("M", "N")),
    Example("RMS norm", "rms_norm.py", "rms_norm(x: f16[B, S, N], weight: f16[N])", ("B", "S", "N")),
    Example("embedding", "embedding.py", "embedding(tokens: i64[T] in [0, V), table: f32[V, D] {row, 1})", ("T", "V", "D")),
    Example(
        "causal attention",
        "attention.py",
        "attention(q: f16[B, HQ, S, 64] strided, k: f16[B, HKV, S, 64] strided, v: f16[B, HKV, S, 64] strided)",
        ("B", "HQ", "HKV", "S"),
        4.0,
        "HQ % HKV == 0",
    ),
)

CLASSES: tuple[tuple[str, int | None], ...] = (("≤ 64", 64), ("≤ 4096", 4096), ("≤ 2^20", 1 << 20), ("any", None))
"""Size classes: every size of the signature is at most this."""

COLUMNS = (
    *("example", "sizes", "cases", "slowest", "figure", "ratio", "to smallest", "all cases", "solver", "peak"),
    *("obligations by method", "verdicts"),
)
TEXT_COLUMNS = ("example", "sizes", "obligations by method", "verdicts")


@dataclass(frozen=True, slots=True)
class Row:
    """One example in one size class. Times in seconds: the slowest case and all cases together, medians over runs."""

    example: Example
    size: str
    cases: int
    slowest_s: float
    total_s: float
    solve_s: float
    maxrss_mb: float
    methods: Counter[str]
    verdicts: Counter[str]
    open_codes: tuple[str, ...]


def signature(example: Example, bound: int | None) -> str:
    """The call with its sizes bounded."""
    conditions = [example.where] if example.where else []
    conditions += [f"{size} <= {bound}" for size in example.sizes] if bound else []
    return example.call + (f" where {', '.join(conditions)}" if conditions else "")


def measure(example: Example, size: str, bound: int | None, runs: int) -> Row:
    """Capture, then prove in `runs` fresh processes. Raises SystemExit with the reason where capture fails."""
    text = capture(example, signature(example, bound))
    answers = [prove_once(text) for _ in range(runs)]
    cases = answers[0]["cases"]
    per_case = [statistics.median(a["cases"][k]["seconds"] for a in answers) for k in range(len(cases))]
    return Row(
        example,
        size,
        len(cases),
        max(per_case),
        sum(per_case),
        sum(statistics.median(a["cases"][k]["solve_s"] for a in answers) for k in range(len(cases))),
        max(a["maxrss_mb"] for a in answers),
        sum((Counter(c["methods"]) for c in cases), Counter()),
        sum((Counter(c["verdicts"]) for c in cases), Counter()),
        tuple(sorted({code for c in cases for code in c["codes"]})),
    )


def capture(example: Example, call: str) -> str:
    """The program of one example under this signature, as JSON text."""
    (captured,) = Captures().run([Job(str(ROOT / "examples" / "triton" / example.file), call)])
    if captured.error is not None:
        raise SystemExit(f"{example.name}: {captured.error.place}: {captured.error.message}")
    if len(captured.programs) != 1:
        raise SystemExit(f"{example.name}: one program expected, {len(captured.programs)} captured")
    return dumps_program(captured.programs[0])


def prove_once(text: str) -> dict[str, Any]:
    """What `measure.py` says of the program."""
    child = [sys.executable, str(ROOT / "benchmarks" / "measure.py")]
    done = subprocess.run(child, input=text, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"measure.py failed: {done.stderr.strip().splitlines()[-1]}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def environment() -> dict[str, str]:
    """That of this process, in which Argus is importable from the checkout."""
    path = os.pathsep.join(p for p in (str(ROOT), os.environ.get("PYTHONPATH")) if p)
    return {**os.environ, "PYTHONPATH": path, "TRITON_DEFAULT_FP_FUSION": "1"}


def wall(arguments: list[str], runs: int) -> float:
    """Median seconds of a whole Python process."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, *arguments], cwd=ROOT, env=environment(), capture_output=True, text=True, check=False
        )
        times.append(time.perf_counter() - start)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(arguments)} failed: {done.stderr.strip() or done.stdout.strip()}")
    return statistics.median(times)


def whole_process(runs: int) -> list[str]:
    """Lines of the table on the command as a user waits for it."""
    cli = ["-c", "import sys; from argus_smt.cli import entry; sys.exit(entry())"]
    help_s = wall([*cli, "--help"], runs)
    prove_s = wall([*cli, "prove", "examples/triton/vector_add.py", "--no-cache"], runs)
    imports_s = wall(["-c", "import torch, triton"], runs)
    return [
        "| whole process | measured | figure | ratio |",
        "|---|--:|--:|--:|",
        f"| `argus --help` | {help_s:.2f} s | {HELP_S} s | {help_s / HELP_S:.2f} |",
        f"| `argus prove vector_add.py --no-cache` | {prove_s:.2f} s | {WHOLE_S} s | {prove_s / WHOLE_S:.2f} |",
        f"| of it, a bare `import torch, triton` | {imports_s:.2f} s | | {imports_s / prove_s:.2f} of the whole |",
    ]


def row_line(row: Row, base_s: float) -> str:
    """One line of the table of proofs; `base_s` is the slowest case in the smallest size class."""
    figure = row.example.figure_s
    ratio = f"{row.slowest_s / figure:.2f}" if figure else ""
    methods = ", ".join(f"{count} {name}" for name, count in sorted(row.methods.items()))
    verdicts = ", ".join(f"{count} {name}" for name, count in sorted(row.verdicts.items()))
    codes = f" ({', '.join(row.open_codes)})" if row.open_codes else ""
    cells = [
        row.example.name,
        row.size,
        str(row.cases),
        f"{row.slowest_s * 1000:.0f} ms",
        f"{figure * 1000:.0f} ms" if figure else "",
        ratio,
        f"{row.slowest_s / base_s:.2f}",
        f"{row.total_s:.2f} s",
        f"{row.solve_s:.2f} s",
        f"{row.maxrss_mb:.0f} MB",
        methods,
        verdicts + codes,
    ]
    return f"| {' | '.join(cells)} |"


def report(rows: list[Row], runs: int, command: list[str], arguments: list[str]) -> str:
    """The whole table as Markdown; `arguments` are those that give it again."""
    base = {row.example: row.slowest_s for row in reversed(rows)}
    versions = ", ".join(f"{name} {version(name)}" for name in ("z3-solver", "torch", "triton"))
    peak = max(row.maxrss_mb for row in rows)
    lines = [
        "# Benchmarks",
        "",
        f"Written by `{shlex.join(['python', 'benchmarks/prove.py', *arguments])}`.",
        "",
        f"Medians of {runs} run{'s' * (runs > 1)}, each in a fresh process. Times are wall clock for",
        "analysis and solving after capture, all checks. *Slowest* is the slowest case of the launch, which the figure",
        "to reach is about; *to smallest* divides it by that of the smallest size class. A class bounds every size.",
        "",
        f"{cpu()}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}.",
        "",
        f"| {' | '.join(COLUMNS)} |",
        f"|{'|'.join('---' if c in TEXT_COLUMNS else '--:' for c in COLUMNS)}|",
        *[row_line(row, base[row.example]) for row in rows],
        "",
        f"Peak memory of a prover process: {peak:.0f} MB of {MAX_WORKER_MB:.0f} MB ({peak / MAX_WORKER_MB:.2f}).",
        "",
        *command,
    ]
    return "\n".join(lines) + "\n"


def cpu() -> str:
    """The processor's name as the system gives it."""
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="measurements of each, of which the median counts")
    parser.add_argument("--only", default="", help="names of examples, with commas between")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.relative_to(ROOT)}")
    chosen = parser.parse_args(arguments)
    names = {name.strip() for name in chosen.only.split(",") if name.strip()}
    examples = [e for e in EXAMPLES if not names or e.name in names]
    if not examples:
        parser.error(f"no example of these names; there are {', '.join(e.name for e in EXAMPLES)}")
    rows = []
    for example in examples:
        for size, bound in CLASSES:
            print(f"{example.name}, sizes {size}", file=sys.stderr, flush=True)
            rows.append(measure(example, size, bound, chosen.runs))
    text = report(rows, chosen.runs, whole_process(chosen.runs), arguments)
    if chosen.write:
        RESULTS.write_text(text, encoding="utf-8")
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
