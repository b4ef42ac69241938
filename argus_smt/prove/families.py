"""The groups of checks beside memory safety: for each its name and what makes its findings for a case."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from argus_smt.prove.context import Context
from argus_smt.prove.finding import Finding
from argus_smt.prove.races import race_findings

FAMILIES: dict[str, Callable[[Context], Iterator[Finding]]] = {
    "races": race_findings,
}


def further_findings(context: Context, checks: tuple[str, ...]) -> Iterator[Finding]:
    """Findings of the chosen groups."""
    for name, find in FAMILIES.items():
        if name in checks:
            yield from find(context)
