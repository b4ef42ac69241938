"""The groups of checks beside memory safety: for each its name and what makes its findings for a case."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

from argus_smt.prove.addresses import address_findings
from argus_smt.prove.context import Context
from argus_smt.prove.coverage import coverage_findings
from argus_smt.prove.finding import Finding
from argus_smt.prove.hazards import hazard_findings
from argus_smt.prove.initialised import init_findings
from argus_smt.prove.padding import padding_findings
from argus_smt.prove.races import race_findings
from argus_smt.prove.release import handover_findings
from argus_smt.prove.whole import refuting

FAMILIES: dict[str, Callable[[Context], Iterator[Finding]]] = {
    "races": lambda context: refuting(context, race_findings(context), ("AR401", "AR402", "AR403")),
    "order": lambda context: refuting(context, chain(hazard_findings(context), handover_findings(context)), ("AR404", "AR406")),
    "coverage": lambda context: refuting(context, coverage_findings(context), ("AR411", "AR412")),
    "init": lambda context: refuting(context, init_findings(context), ("AR304",)),
    "padding": lambda context: chain(padding_findings(context), address_findings(context)),
}


def further_findings(context: Context, checks: tuple[str, ...]) -> Iterator[Finding]:
    """Findings of the chosen groups."""
    for name, find in FAMILIES.items():
        if name in checks:
            yield from find(context)
