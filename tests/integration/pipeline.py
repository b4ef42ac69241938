"""From a file to verdicts in this process: what `argus prove` does in several."""

from __future__ import annotations

from pathlib import Path

from argus_smt.capture.module import Loader
from argus_smt.capture.program import capture
from argus_smt.capture.service import declared_signatures, warm_up
from argus_smt.ir.launch import Program
from argus_smt.prove.case import prove_case
from argus_smt.prove.finding import CaseResult, Finding, ProveOptions, Severity, Verdict


def program_of(path: Path, call: str = "", wide: bool = False) -> Program:
    """The program of a launcher for a signature, by default the one that the file declares."""
    warm_up()
    loader = Loader(str(path))
    return capture(loader, call or declared_signatures(loader)[0].text, wide=wide)


def prove_all(program: Program, options: ProveOptions) -> list[CaseResult]:
    """Results of all cases of all launches."""
    return [
        prove_case(program, launch, case, options)
        for launch, described in enumerate(program.launches)
        for case in range(len(described.cases))
    ]


def errors(results: list[CaseResult]) -> list[Finding]:
    """Refuted errors."""
    return [f for r in results for f in r.findings if f.verdict is Verdict.REFUTED and f.severity is Severity.ERROR]


def undecided(results: list[CaseResult]) -> list[Finding]:
    """Findings that are unknown, of any severity."""
    return [f for r in results for f in r.findings if f.verdict is Verdict.UNKNOWN]
