"""`--cross-check`: what the proofs of a case stand on, put to a second solver."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

from argus_smt.prove.finding import Finding, Verdict
from argus_smt.smt.second import opinion
from argus_smt.smt.solver import Claims, Solver

PER_CLAIM_MS = 2000
"""How long the second solver may think about one answer."""


@dataclass(frozen=True, slots=True)
class Crossed:
    """How many answers it gives too, gives none to, and contradicts; `first` is a contradicted one, as SMT-LIB 2."""

    agreed: int = 0
    unanswered: int = 0
    contradicted: int = 0
    first: str = ""

    @property
    def counts(self) -> tuple[int, int, int]:
        return self.agreed, self.unanswered, self.contradicted


def crossed(solver: Solver, claims: Claims, seconds: float) -> Crossed:
    """Ask about each claim, for at most `seconds` in all; those that are left then count as not answered."""
    until = time.monotonic() + seconds
    agreed = unanswered = contradicted = 0
    first = ""
    for facts in claims.made.values():
        left = int(1000 * (until - time.monotonic()))
        text = solver.text(facts)
        said = opinion(text, min(PER_CLAIM_MS, left)) if left > 0 else "unknown"
        agreed += said == "unsat"
        unanswered += said == "unknown"
        if said == "sat":
            contradicted += 1
            first = first or text
    return Crossed(agreed, unanswered, contradicted, first)


def doubted(findings: Iterable[Finding], name: str) -> list[Finding]:
    """The findings of a case in which the solvers contradict each other: nothing in it is proved."""
    reason = f"{name} contradicts an answer that the proofs of this case may stand on"
    return [
        replace(f, verdict=Verdict.UNKNOWN, method="", reason=reason, reason_code="AR906") if f.verdict is Verdict.PROVED else f
        for f in findings
    ]
