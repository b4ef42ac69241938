"""Proves every case of one captured program in this fresh process, once, and prints times and memory as JSON.

Stands in for a prover worker: text of a program on standard input, `{"cases": […], "maxrss_mb": …}` on standard output.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections import Counter
from typing import Any

from argus_smt.ir.launch import Program
from argus_smt.ir.serialise import loads_program
from argus_smt.prove.finding import ProveOptions
from argus_smt.prove.pool import ENTRY
from argus_smt.prove.worker import Prove, load_entry


def main() -> int:
    prove = load_entry(ENTRY)
    program = loads_program(sys.stdin.read())
    cases = [measure(prove, program, i, j) for i, launch in enumerate(program.launches) for j in range(len(launch.cases))]
    maxrss_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    json.dump({"cases": cases, "maxrss_mb": maxrss_mb}, sys.stdout)
    return 0


def measure(prove: Prove, program: Program, launch: int, case: int) -> dict[str, Any]:
    """Verdicts and methods of one case, and the seconds from the captured program to its result."""
    start = time.perf_counter()
    result = prove(program, launch, case, ProveOptions())
    seconds = time.perf_counter() - start
    return {
        "label": result.label,
        "seconds": seconds,
        "solve_s": result.solve_s,
        "verdicts": Counter(f.verdict.value for f in result.findings if f.severity.value != "note"),
        "methods": Counter(f.method or "none" for f in result.findings),
        "codes": sorted({f.code for f in result.findings if f.verdict.value != "proved"}),
    }


if __name__ == "__main__":
    sys.exit(main())
