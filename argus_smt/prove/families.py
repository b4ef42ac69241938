"""The groups of checks beside memory safety: for each its name and what makes its findings for a case."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from argus_smt.prove.context import Context
from argus_smt.prove.finding import Finding

FAMILIES: dict[str, Callable[[Context], Iterator[Finding]]] = {}


def further_findings(context: Context, checks: tuple[str, ...]) -> Iterator[Finding]:
    """Findings of the chosen groups."""
    for name, find in FAMILIES.items():
        if name in checks:
            yield from find(context)
