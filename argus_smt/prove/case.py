"""The pipeline for one case of one launch: domain → facts → duties → decisions → replay → findings."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain

from argus_smt.absint.engine import analyze
from argus_smt.absint.facts import Facts, Lost, Scope
from argus_smt.absint.members import exists, view
from argus_smt.absint.promises import BASE_ALIGNMENT
from argus_smt.absint.values import NO_GUARDS, Target
from argus_smt.ir.launch import PointerArg, Program, Storage
from argus_smt.ir.ops import Hint
from argus_smt.ir.types import Ptr, elem_of, element
from argus_smt.obligations import access, overflow, values
from argus_smt.obligations.obligation import Obligation, Reach
from argus_smt.prove import smt_files
from argus_smt.prove.confirm import confirm, executed
from argus_smt.prove.context import Context
from argus_smt.prove.crosscheck import Crossed, crossed, doubted
from argus_smt.prove.dimension import dimension_finding
from argus_smt.prove.discharge import Decision, Prover, guesses
from argus_smt.prove.domain import Domain, domain
from argus_smt.prove.elements import Asking, Elements
from argus_smt.prove.emptiness import unmet
from argus_smt.prove.families import further_findings
from argus_smt.prove.finding import CaseResult, Finding, ProveOptions, Severity, Verdict
from argus_smt.prove.scene import followed
from argus_smt.prove.tuning import tuning_finding
from argus_smt.prove.whole import stuck
from argus_smt.prove.widths import Widths, wrap_findings
from argus_smt.prove.wording import message
from argus_smt.smt import term as T
from argus_smt.smt.solver import Claims, Solver


@dataclass(slots=True)
class _Clock:
    started: float = field(default_factory=time.monotonic)

    def lap(self) -> float:
        now = time.monotonic()
        out, self.started = now - self.started, now
        return out


def prove_case(program: Program, launch: int, case: int, options: ProveOptions) -> CaseResult:
    """Verdicts on all duties of `program.launches[launch].cases[case]`.

    Raises ValueError for `options.assume` that does not parse.
    """
    clock = _Clock()
    picked = program.launches[launch]
    dom = domain(program, picked, picked.cases[case], options.assume)
    claims = Claims() if options.cross_check else None
    solver = Solver(options.rlimit, deadline=time.monotonic() + options.timeout_s, claims=claims)
    if options.assume and _impossible(dom, solver):
        return CaseResult(launch, case, dom.case.label, findings=(), empty=True)
    storages = {s.ident: s for s in dom.launch.storages}
    elements = Elements(storages, dom.bounds.copy())
    facts = analyze(dom.launch, dom.case, dom.bounds, dom.facts, Asking(solver, elements), elements.about)
    _follow_sources(facts, storages)
    analysis = clock.lap()
    prover = Prover(facts, solver, elements, dom.display)
    context = Context(program, dom, facts, prover, launch)
    if options.dump_smt:
        widths_of = (o for item in overflow.of(facts) for o in (item.at_operation, *item.at_uses))
        smt_files.write(options.dump_smt, context, launch, case, chain(duties(facts, dom), widths_of))
    further = list(further_findings(context, options.checks))  # first, since it may rely on what must not wrap
    widths = Widths((), ()) if options.overflow == "off" else wrap_findings(context, options.overflow)
    findings = _merge(list(_findings(context)) if "memory" in options.checks else [], widths.findings)
    findings += [*further, *_nothing_stated_of(dom, solver), *_nothing_behind(context), *_nothing_ends(context)]
    label, cross = dom.case.label, Crossed()
    if claims is not None:
        cross = crossed(solver, claims, options.timeout_s)
    if cross.contradicted:
        findings = doubted(findings, options.cross_check)
        context.internal.append(f"{options.cross_check} contradicts an answer in case {label or 'all'}:\n{cross.first}")
    return CaseResult(
        launch, case, label,
        findings=tuple(replace(f, label=label) for f in findings),
        limits=widths.limits,
        assumptions=(*_assumptions(facts), *context.assumed),
        analysis_s=analysis,
        solve_s=clock.lap(),
        internal=tuple(context.internal),
        cross=cross.counts if claims is not None else (),
    )  # fmt: skip


def _impossible(dom: Domain, solver: Solver) -> bool:
    """Whether what the user assumes rules the case out."""
    if any(m.satisfies(dom.facts) for m in guesses(dom.facts, dom.bounds)):
        return False
    return solver.unsat(dom.facts, dom.bounds).status == "unsat"


def _nothing_stated_of(dom: Domain, solver: Solver) -> Iterator[Finding]:
    """A finding where what is stated of an index tensor holds of no tensor."""
    name = unmet(dom, solver)
    if name:
        yield Finding(
            "AR905", Verdict.UNKNOWN, Severity.ERROR, dom.launch.span, f"nothing is shown for any `{name}`", site=f"AR905 {name}",
            reason=f"no contents of `{name}` were found that meet what the signature states of it", reason_code="AR905",
        )  # fmt: skip


def _nothing_behind(context: Context) -> Iterator[Finding]:
    """A finding where no entry of a table can lead to a tensor as stated: all sizes would be negative."""
    dom, facts = context.dom, context.facts
    storages = {s.ident: s for s in dom.launch.storages}
    for ident, name in facts.tables.items():
        arg = next(i for i, a in enumerate(dom.case.args) if isinstance(a, PointerArg) and a.storage == ident)
        some = Target(T.TRUE, arg, T.ZERO, T.var("$entry"))
        there = exists(storages[ident], some, view(dom.case.args, storages, some))
        if context.prover.reachable(Reach(Scope(dom.facts, (), NO_GUARDS), (), there, NO_GUARDS)) == "no":
            yield Finding(
                "AR905", Verdict.UNKNOWN, Severity.ERROR, dom.launch.span, f"nothing is shown for any `{name}`",
                site=f"AR905 {name}", reason=f"no entry of `{name}` can lead to a tensor of the sizes that the signature states",
                reason_code="AR905",
            )  # fmt: skip


def _nothing_ends(context: Context) -> Iterator[Finding]:
    """A finding where programs wait for each other for ever: the proofs are about runs that end."""
    if stuck(context):
        yield Finding(
            "AR905", Verdict.UNKNOWN, Severity.ERROR, context.dom.launch.span, "nothing is shown of runs that end",
            site="AR905 runs", reason="some program waits for ever in every small launch that was run", reason_code="AR905",
        )  # fmt: skip


def _follow_sources(facts: Facts, storages: dict[int, Storage]) -> None:
    """Enter the cells that contents computed by the host are made of."""
    work = [ident for ident, _ in facts.contents.values()]
    for ident in work:
        stated_of = storages[ident].facts
        if stated_of is None or not stated_of.exact:
            continue
        for name in sorted({a.data for t in (stated_of.element, stated_of.running) if t is not None for a in t.apps}):
            source = storages[int(name[1:].split(":")[0])]
            if name not in facts.contents:
                facts.contents[name] = (source.ident, element(source.dtype).name)
                work.append(source.ident)
                if not followed(source, storages):
                    facts.unreal[name] = f"contents of `{source.name}` ({source.contents}) are not followed"


def _assumptions(facts: Facts) -> tuple[str, ...]:
    """What the proofs of a case lean on beyond its conditions."""
    out = ["64-bit index arithmetic of tensors below 2**63 bytes"]
    if facts.contents:
        out.append("tensors that the signature names apart do not overlap in memory")
    for name in facts.tables.values():
        out.append(f"the tensors that `{name}` points to overlap nothing else that the launcher is given")
    if any(isinstance(p.op, Hint) and isinstance(elem_of(p.op.operand.type), Ptr) for p in facts.promises):
        out.append(f"allocations start at multiples of {BASE_ALIGNMENT} bytes")
    return tuple(out)


def duties(facts: Facts, dom: Domain) -> Iterator[Obligation]:
    """All duties of a case but those of integer width."""
    yield from access.of(facts, dom.launch, dom.case)
    yield from values.arithmetic(facts)
    yield from values.promises(facts)


def _findings(context: Context) -> Iterator[Finding]:
    for ob in duties(context.facts, context.dom):
        started = time.monotonic()
        decision = context.prover.decide(ob)
        finding = _finding(context, ob, decision)
        yield replace(finding, time_s=time.monotonic() - started)
        extra = dimension_finding(context, ob, finding)
        if extra is not None:
            yield extra
    for lost in context.facts.lost:
        found = lost_finding(lost)
        yield executed(context, found, lost.op) or found
    rerun = tuning_finding(context)
    if rerun is not None:
        yield rerun


def _finding(context: Context, ob: Obligation, decision: Decision) -> Finding:
    if decision.status != "proved":
        return confirm(context, ob, decision)
    reached = context.prover.reachable(ob.reach, ob.goal)
    found = Finding(
        ob.code, Verdict.PROVED, Severity.ERROR, ob.op.span, message(ob, failing=False),
        method=decision.method, site=ob.site,
    )  # fmt: skip
    if reached == "no":
        return replace(found, unreachable=True)
    if reached == "unknown":
        return replace(
            found, verdict=Verdict.UNKNOWN, reason_code="AR902",
            reason="it could not be shown that any lane gets here, so the proof may hold emptily",
        )  # fmt: skip
    return found


def lost_finding(lost: Lost) -> Finding:
    """An operation of which nothing can be said."""
    code = {"read": "AR301", "hint": "AR306"}.get(lost.kind, "AR302")
    return Finding(
        code, Verdict.UNKNOWN, Severity.ERROR, lost.op.span, f"cannot be analysed: {lost.reason}",
        site=lost.site, reason=lost.reason, reason_code="AR901",
    )  # fmt: skip


def _merge(findings: list[Finding], widths: tuple[Finding, ...]) -> list[Finding]:
    """Faults that follow from a wrap replace the proofs that only hold while nothing wraps."""
    broken = {(f.site, f.code) for f in widths if f.verdict is Verdict.REFUTED and f.code != "AR303"}
    return [*(f for f in findings if (f.site, f.code) not in broken or f.verdict is Verdict.REFUTED), *widths]
