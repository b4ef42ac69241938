"""`--dump-smt`: every duty as an SMT-LIB 2 file, for the record or for another solver."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from argus_smt.obligations.obligation import Obligation
from argus_smt.prove.context import Context
from argus_smt.prove.wording import message
from argus_smt.smt import term as T
from argus_smt.smt.solver import range_facts


def write(folder: str, context: Context, launch: int, case: int, duties: Iterable[Obligation]) -> None:
    """One file a duty: hypotheses and the denied goal, exact integers, so that `unsat` means proved.

    Raises OSError where the folder cannot be written.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    kernel = re.sub(r"\W", "_", context.dom.launch.kernel)
    for number, ob in enumerate(duties):
        hyps = context.prover.hypotheses(ob.reach, guards=True, goal=ob.goal)
        facts = [*hyps, T.not_(ob.goal)]
        bounds = context.prover.bounds(ob.reach)
        header = (
            f"; {ob.code} {message(ob, failing=False)}\n"
            f"; {Path(ob.op.span.file).name}:{ob.op.span.line}:{ob.op.span.column}, case {context.dom.case.label or 'all'}\n"
            "; unsat: proved for every shape of the case; sat: a candidate for a counterexample\n"
        )
        text = context.prover.solver.text([*facts, *range_facts(facts, bounds)])
        name = f"{kernel}-{launch}-{case}-{number:03d}-{ob.code}-line{ob.op.span.line}.smt2"
        (target / name).write_text(header + text, encoding="utf-8")
