"""Programs at single points: which case applies, and what its expressions are there."""

from __future__ import annotations

from collections.abc import Mapping

from argus_smt.ir.launch import Case, Launch, Program
from argus_smt.smt import term as T
from argus_smt.smt.show import parse_term
from argus_smt.smt.term import Term


def complete(program: Program, sizes: Mapping[str, int]) -> dict[str, int]:
    """`sizes` with the values of summary symbols."""
    out = dict(sizes)
    for s in program.symbols:
        if s.kind == "summary":
            n = at(parse_term(s.about.removeprefix("next_power_of_2(").removesuffix(")")), out)
            out[s.name] = 1 << (n - 1).bit_length()
    return out


def at(t: Term, point: Mapping[str, int]) -> int:
    """Value of a term."""
    return T.evaluate(t, lambda node, _: point[node.data])


def allowed(program: Program, point: Mapping[str, int]) -> bool:
    """Whether the point meets the preconditions."""
    bounds = all(
        (s.lower is None or point[s.name] >= s.lower) and (s.upper is None or point[s.name] <= s.upper) for s in program.symbols
    )
    return bounds and all(at(c.term, point) for c in program.preconditions)


def applying(program: Program, point: Mapping[str, int]) -> list[tuple[Launch, Case]]:
    """Cases whose conditions hold at the point."""
    return [
        (launch, case)
        for launch in program.launches
        if all(at(c.term, point) for c in launch.path)
        for case in launch.cases
        if all(at(c.term, point) for c in case.condition)
    ]
