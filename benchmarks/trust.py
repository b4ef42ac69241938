"""Attacks on Argus's own verdicts at full size, and docs/trust.md with what came of them.

    python benchmarks/trust.py [--jobs N] [--quick]

Three attacks: faults planted in the examples (`benchmarks/mutation.py`), generated kernels against every small launch
(`tests/properties`), and a second solver (`--cross-check cvc5`). `--quick` leaves out the properties marked slow.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "trust.md"
INTRODUCTION = """# Attacks on Argus's own verdicts

What was done to find a wrong verdict, and what came of it. `make trust` does it all again and rewrites this page
(hours on two cores); [what a verdict stands on](trusting.md) says what is assumed to begin with.
"""


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="without the properties marked slow")
    args = parser.parse_args(argv)
    planted = _run("faults", [sys.executable, "benchmarks/mutation.py", "--jobs", str(args.jobs), "--write"])
    asked = _run("properties", [
        sys.executable, "-m", "pytest", "tests/properties", "-q", "-s", "-rN", *(["-m", "not slow"] if args.quick else []),
    ])  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        _run("second solver", [
            sys.executable, "-m", "argus_smt", "prove", "examples/triton", "--no-cache", "--cross-check", "cvc5",
            "-j", str(args.jobs), "--format", "json", "-o", str(report),
        ])  # fmt: skip
        kernels = json.loads(report.read_text(encoding="utf-8"))["kernels"]
    lines = [INTRODUCTION, *_planted(planted), *_generated(asked, args.quick), *_second(kernels)]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    wrong = any(k["cross_check"] and k["cross_check"]["contradicted"] for k in kernels)
    return int(planted.returncode != 0 or asked.returncode != 0 or wrong)


def _run(what: str, command: list[str]) -> subprocess.CompletedProcess[str]:
    print(f"== {what}: {' '.join(command[1:])}", file=sys.stderr, flush=True)
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)


def _planted(done: subprocess.CompletedProcess[str]) -> Iterator[str]:
    score = next((line for line in done.stdout.splitlines() if line.startswith("Score: ")), "Score: none")
    yield "## Faults planted in the examples\n"
    yield "Single faults of a fixed list in the proved examples; [the page](mutation.md) names those that are not refuted.\n"
    yield f"{score}\n"
    judged = next((line for line in done.stdout.splitlines() if line.endswith("mutants were judged.")), "")
    yield f"{judged}\n"


def _generated(done: subprocess.CompletedProcess[str], quick: bool) -> Iterator[str]:
    """What the property tests say: each fails where a verdict disagrees with what was run."""
    last = next((line for line in reversed(done.stdout.splitlines()) if re.search(r"\d+ (passed|failed)", line)), "nothing ran")
    yield "## Generated kernels against every small launch\n"
    some = ' -m "not slow"' if quick else ""
    yield f"`python -m pytest tests/properties{some}`: {last.strip('= ')}.\n"
    yield "A test fails where something proved is seen to fail in a small launch, or something refuted is not.\n"
    for line in done.stdout.splitlines():
        if "seeds " in line:
            yield f"- {line[line.index('seeds ') :]}"
    yield ""


def _second(kernels: list[dict[str, object]]) -> Iterator[str]:
    yield "## A second solver\n"
    yield "`argus prove examples/triton --cross-check cvc5`: answers that proofs stand on, and what cvc5 says to them within two"
    yield "seconds each.\n"
    yield "| kernel | verdict | confirmed | no answer | contradicted |\n| --- | --- | ---: | ---: | ---: |"
    sums = [0, 0, 0]
    for k in kernels:
        crossed = k["cross_check"]
        assert isinstance(crossed, dict)
        counts = [crossed["agreed"], crossed["unanswered"], crossed["contradicted"]]
        sums = [a + b for a, b in zip(sums, counts, strict=True)]
        yield f"| `{k['name']}` | {k['verdict']} | {' | '.join(map(str, counts))} |"
    yield f"| all | | {' | '.join(map(str, sums))} |"


if __name__ == "__main__":
    sys.exit(main())
