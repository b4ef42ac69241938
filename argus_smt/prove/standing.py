"""What a verdict stands on: preconditions with their sources, assumptions, and what was not checked at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from argus_smt.diag import report as R
from argus_smt.ir.launch import Condition, Launch, Program
from argus_smt.prove.finding import CaseResult, Finding, ProveOptions, Verdict
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.show import parse_term, show
from argus_smt.smt.term import Term
from argus_smt.source import Span

ASSUMPTIONS = (
    "termination is not proved: the verdicts are about runs that end",
    "Triton's passes after its front end, the assembler and the hardware are trusted",
    "sizes, strides and integer arguments fit in 64 bits",
    "the launcher is called with arguments that its signature allows, floats are numbers, and its module is as imported",
)
"""What every report of this version assumes."""

_INT64 = (-(1 << 63), (1 << 63) - 1)

_GROUPS = {
    "memory": "memory safety (AR301 to AR307)",
    "races": "races between programs, and lanes of one store that meet (AR401 to AR403)",
    "order": "order inside a program, locks and flags (AR404, AR406)",
    "coverage": "coverage of the outputs (AR411, AR412)",
    "init": "initialisation of memory that is read (AR304)",
    "padding": "values of padding lanes, addresses as data (AR601, AR603)",
}
"""What is not looked at where a group of checks is left out."""


def preconditions_of(program: Program, launch: Launch, options: ProveOptions) -> tuple[R.Precondition, ...]:
    """Everything that restricts the shapes for which the launch is judged, without repetition."""
    seen: dict[tuple[str, str], R.Precondition] = {}
    for p in _preconditions(program, launch, options):
        seen.setdefault((p.expr, "" if p.source != "compiler" else p.detail), p)
    return tuple(seen.values())


def _preconditions(program: Program, launch: Launch, options: ProveOptions) -> Iterator[R.Precondition]:
    for c in program.preconditions:
        yield _condition(c)
    yield from _bounds(program)
    for expr in options.assume:
        yield R.Precondition(expr=expr, source="option")
    for c in launch.path:
        yield _condition(c)
    for hole in program.not_covered:
        if hole.rejected:
            yield R.Precondition(
                expr=show(T.not_(hole.condition)),
                source="launcher",
                detail=f"raises otherwise: {hole.reason}",
                location=_location(hole.span),
            )
    for c in open_limits(program, launch, options):
        yield R.Precondition(expr=show(c.term), source="limit", detail=c.text)
    for refusal in launch.refusals:
        refused = T.and_(*(c.term for c in refusal.condition))
        yield R.Precondition(
            expr=show(T.not_(refused)),
            source="compiler",
            detail=f"Triton refuses {refusal.label}: {refusal.message}",
        )


def open_limits(program: Program, launch: Launch, options: ProveOptions) -> tuple[Condition, ...]:
    """Limits on the width of integer arguments that the listed preconditions do not imply already."""
    stated = Bounds()
    for s in program.symbols:
        stated.narrow(T.var(s.name), (s.lower, s.upper))
    stated.learn(c.term for c in (*program.preconditions, *launch.path))
    stated.learn(t for t in map(_parsed, options.assume) if t is not None)
    return tuple(c for c in launch.limits if stated.truth(c.term) is not True)


def _parsed(text: str) -> Term | None:
    try:
        term = parse_term(text)
    except ValueError:
        return None
    return term if term.sort is T.Sort.BOOL else None


def _condition(c: Condition) -> R.Precondition:
    expr = show(c.term)
    detail = c.text if c.text and c.text != expr else ""
    return R.Precondition(expr=expr, source=c.source, detail=detail, location=_location(c.span))


def _bounds(program: Program) -> Iterator[R.Precondition]:
    """Ranges of the symbols that no listed condition states already."""
    stated = {part for c in program.preconditions for part in T.conjuncts(c.term)}
    for symbol in program.symbols:
        if symbol.kind == "summary":
            continue
        low = high = None
        if symbol.lower is not None and symbol.lower > _INT64[0]:
            low = T.ge(T.var(symbol.name), symbol.lower)
        if symbol.upper is not None and symbol.upper < _INT64[1]:
            high = T.le(T.var(symbol.name), symbol.upper)
        for bound in (low, high):
            if bound is not None and bound not in stated:
                yield R.Precondition(expr=show(bound), source="default")


def location(span: Span) -> R.Location:
    """The model of a span."""
    return R.Location(file=span.file, line=span.line, column=span.column, end_line=span.end_line, end_column=span.end_column)


def _location(span: Span) -> R.Location | None:
    return location(span) if span.file else None


def assumptions_of(program: Program, results: Sequence[CaseResult], options: ProveOptions) -> tuple[str, ...]:
    """What is trusted for this launch beyond `ASSUMPTIONS`."""
    out = dict.fromkeys(a for r in results for a in r.assumptions)
    out.update(dict.fromkeys(program.notes))
    if options.overflow == "off":
        out["32-bit arithmetic does not wrap (--overflow=off)"] = None
    return tuple(out)


def not_checked_of(program: Program, dropped: Sequence[Finding], options: ProveOptions) -> tuple[str, ...]:
    """What nobody looked at: families of later versions, regions left out, obligations that the options drop."""
    holes = [
        f"`{show(h.condition)}` at {h.span}: {h.reason}" if h.span.file else f"`{show(h.condition)}`: {h.reason}"
        for h in program.not_covered
        if not h.rejected
    ]
    left: list[str] = []
    for code in dict.fromkeys(f.code for f in dropped):
        verdicts = Counter(f.verdict for f in dropped if f.code == code)
        counts = ", ".join(f"{verdicts[v]} {v.value}" for v in Verdict if verdicts[v])
        left.append(f"{code}: left out by --select or --ignore ({counts})")
    groups = [text for name, text in _GROUPS.items() if name not in options.checks]
    return (*left, *holes, "values: no reference function was given", *groups, "termination")
