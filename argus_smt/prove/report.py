"""From programs and the results of their cases to the report: verdicts, limits, and what each proof stands on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from argus_smt.diag import report as R
from argus_smt.diag.codes import CODES
from argus_smt.ir.launch import Case, Launch, Program
from argus_smt.prove.finding import CaseResult, Counterexample, Finding, OtherAccess, ProveOptions, Severity, Verdict
from argus_smt.prove.standing import ASSUMPTIONS, assumptions_of, location, not_checked_of, open_limits, preconditions_of
from argus_smt.smt.show import show
from argus_smt.source import Span

NO_WRAP = "no 32-bit arithmetic wraps"


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """A captured program and what is decided of it: (launch, case) → result; a pair that is missing is undecided."""

    program: Program
    results: Mapping[tuple[int, int], CaseResult]
    options: ProveOptions | None = None
    """How it was proved, if not as the session says."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that a session found out, ready to be reported."""

    runs: tuple[ProgramRun, ...]
    interrupted: str = ""
    faults: tuple[str, ...] = ()
    resources: R.Resources = field(default_factory=R.Resources)


def build_report(outcome: Outcome, options: ProveOptions, version: str, skipped: Sequence[R.Skipped] = ()) -> R.Report:
    """The report of a session; the kernels come in the order in which they are launched."""
    kernels = tuple(
        kernel_report(run, index, run.options or options, outcome.interrupted) for run in outcome.runs for index in _made(run)
    )
    versions = {name: v for run in outcome.runs for name, v in run.program.versions}
    warnings = [w for run in outcome.runs for result in run.results.values() for w in result.internal]
    return R.Report(
        tool=R.Tool(version=version, versions=versions),
        assumptions=ASSUMPTIONS,
        kernels=kernels,
        launchers=tuple(_launcher(run.program) for run in outcome.runs),
        skipped=tuple(skipped),
        warnings=tuple(dict.fromkeys(warnings)),
        faults=outcome.faults,
        interrupted=outcome.interrupted,
        resources=outcome.resources,
    )


def _launcher(program: Program) -> R.LauncherModel:
    return R.LauncherModel(
        launcher=program.launcher, call=program.call, file=program.file, paths=dict(program.explored), covered=program.exhausted,
        capture_s=round(sum(s for _, s in program.seconds), 3),
    )  # fmt: skip


def _made(run: ProgramRun) -> list[int]:
    """Launches that are made under the user's assumptions; all of them if none would be left."""
    launches = range(len(run.program.launches))
    made = [i for i in launches if not _ruled_out(run, i)]
    return made or list(launches)


def _ruled_out(run: ProgramRun, index: int) -> bool:
    cases = range(len(run.program.launches[index].cases))
    results = [run.results.get((index, k)) for k in cases]
    return bool(results) and all(r is not None and r.empty for r in results)


def kernel_report(run: ProgramRun, index: int, options: ProveOptions, interrupted: str = "") -> R.KernelReport:
    """The entry of launch `index` of the program: its verdict over all of its cases."""
    program = run.program
    launch = program.launches[index]
    results = [run.results.get((index, k)) for k in range(len(launch.cases))]
    decided = [r for r in results if r is not None]
    findings = list(_with_vacuity(decided, complete=len(decided) == len(results)))
    findings += _missing(launch, results, interrupted)
    findings += _uncovered(program)
    findings += _refused(launch)
    kept, dropped = _select(findings, options)
    limits = _limits(program, launch, decided, findings, options)
    if launch.cases and not any(f.code[2] not in "19" for f in kept):
        kept.append(_nothing_checked(launch, bool(dropped)))
    verdict, reason = _verdict(kept)
    return R.KernelReport(
        name=launch.kernel,
        file=launch.kernel_span.file or program.file,
        line=launch.kernel_span.line,
        launch=_launch_model(program, index),
        config=launch.config,
        cases=tuple(_case_model(c, r is not None) for c, r in zip(launch.cases, results, strict=True)),
        verdict=verdict.value,
        reason=reason,
        limit=" and ".join(limits if len(limits) == 1 else (f"({text})" if " or " in text else text for text in limits)),
        limits=limits,
        preconditions=preconditions_of(program, launch, options),
        assumptions=assumptions_of(program, decided, options),
        not_checked=not_checked_of(program, dropped, options),
        obligations=tuple(obligation(f) for f in sorted(kept, key=_order)),
        cross_check=_crossed(decided, options),
        analysis_s=sum(r.analysis_s for r in decided),
        solve_s=sum(r.solve_s for r in decided),
    )


def _crossed(results: Sequence[CaseResult], options: ProveOptions) -> R.CrossCheck | None:
    """What the second solver says, over all cases; None if it was not asked."""
    counts = [r.cross for r in results if r.cross]
    if not options.cross_check or not counts:
        return None
    agreed, unanswered, contradicted = (sum(column) for column in zip(*counts, strict=True))
    return R.CrossCheck(solver=options.cross_check, agreed=agreed, unanswered=unanswered, contradicted=contradicted)


# ---------------------------------------------------------------- which findings


def _confirmed(f: Finding) -> Finding:
    """Only a replayed counterexample refutes an error."""
    shown = f.counterexample is not None and f.counterexample.replayed
    if f.verdict is not Verdict.REFUTED or f.severity is not Severity.ERROR or shown:
        return f
    reason = "the counterexample was not replayed"
    return replace(f, verdict=Verdict.UNKNOWN, reason=f.reason or reason, reason_code=f.reason_code or "AR903")


def _with_vacuity(results: Sequence[CaseResult], complete: bool) -> Iterable[Finding]:
    """All findings; a site that no lane reaches in any case of the launch is not proved, but vacuous."""
    findings = [_labelled(_confirmed(f), r.label) for r in results for f in r.findings]
    reached = {_site(f) for f in findings if not f.unreachable}
    for f in findings:
        empty = f.unreachable and f.verdict is Verdict.PROVED and f.severity is not Severity.NOTE
        if complete and empty and _site(f) not in reached:
            yield replace(f, verdict=Verdict.UNKNOWN, reason="vacuous: no lane ever reaches this place", reason_code="AR905")
        else:
            yield f


def _labelled(f: Finding, label: str) -> Finding:
    return f if f.label or not label else replace(f, label=label)


def _site(f: Finding) -> tuple[str, str]:
    return f.code, f.site or str(f.span)


def _unknown(code: str, span: Span, message: str, reason: str, label: str = "") -> Finding:
    """An obligation that is not decided; those of one code at one place count as one defect."""
    return Finding(
        code,
        Verdict.UNKNOWN,
        Severity.ERROR,
        span,
        message,
        label=label,
        reason=reason,
        reason_code=code,
        site=f"{code} {span}",
    )


def _missing(launch: Launch, results: Sequence[CaseResult | None], interrupted: str) -> list[Finding]:
    reason = interrupted or "the case was never decided"
    return [
        _unknown("AR902", launch.span, f"`{launch.kernel}` is undecided in a case", reason, case.label)
        for case, result in zip(launch.cases, results, strict=True)
        if result is None
    ]


def _uncovered(program: Program) -> list[Finding]:
    return [
        _unknown("AR106", hole.span, f"nothing is claimed where `{show(hole.condition)}`", hole.reason)
        for hole in program.not_covered
        if not hole.rejected
    ]


def _refused(launch: Launch) -> list[Finding]:
    """A launch of which no case compiles is not proved by having none."""
    if launch.cases:
        return []
    reason = launch.refusals[0].message if launch.refusals else "the launch has no case"
    return [_unknown("AR107", launch.span, f"Triton compiles no case of `{launch.kernel}`", reason)]


def _nothing_checked(launch: Launch, dropped: bool) -> Finding:
    reason = "--select and --ignore leave no obligation" if dropped else "the kernel gives rise to no obligation"
    return _unknown("AR905", launch.kernel_span, f"nothing was checked in `{launch.kernel}`", reason)


def _select(findings: Sequence[Finding], options: ProveOptions) -> tuple[list[Finding], list[Finding]]:
    """(kept, dropped). Reasons for not knowing, of the families 1 and 9, cannot be dropped."""
    kept: list[Finding] = []
    dropped: list[Finding] = []
    for f in findings:
        wanted = not options.select or f.code.startswith(options.select)
        wanted = wanted and not (options.ignore and f.code.startswith(options.ignore))
        (kept if wanted or f.code[2] in "19" else dropped).append(f)
    return kept, dropped


def _verdict(findings: Sequence[Finding]) -> tuple[Verdict, str]:
    if any(f.verdict is Verdict.REFUTED and f.severity is Severity.ERROR for f in findings):
        return Verdict.REFUTED, ""
    open_ = [f for f in findings if f.verdict is Verdict.UNKNOWN and f.severity is not Severity.NOTE]
    if open_:
        reasons = dict.fromkeys(f.reason_code or f.code for f in open_)
        return Verdict.UNKNOWN, ", ".join(f"{code} {CODES[code].slug}" for code in reasons if code in CODES)
    return Verdict.PROVED, ""


def _limits(
    program: Program, launch: Launch, results: Sequence[CaseResult], findings: Sequence[Finding], options: ProveOptions
) -> tuple[str, ...]:
    """Conditions under which the other proofs hold, as each 32-bit operation that may wrap gives one."""
    limits = dict.fromkeys(limit for r in results for limit in r.limits)
    wraps = [f for f in findings if f.code == "AR303" and f.verdict is not Verdict.PROVED]
    limits.update(dict.fromkeys(f.limit for f in wraps if f.limit))
    bare = any(not f.limit for f in wraps) and not any(r.limits for r in results)
    if bare or options.overflow == "off":
        limits[NO_WRAP] = None
    limits.update(dict.fromkeys(c.text for c in open_limits(program, launch, options)))
    return tuple(limits)


def _conjunction(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else " and ".join(f"({t})" if " or " in t else t for t in texts)


def _order(f: Finding) -> tuple[str, int, int, str, str]:
    return f.span.file, f.span.line, f.span.column, f.code, f.label


# ---------------------------------------------------------------- models


def obligation(f: Finding) -> R.Obligation:
    """The model of a finding."""
    return R.Obligation(
        code=f.code,
        name=CODES[f.code].slug if f.code in CODES else "",
        severity=f.severity.value,
        verdict=f.verdict.value,
        case=f.label,
        method=f.method,
        site=f.site,
        location=location(f.span),
        related=tuple(R.Related(location=location(r.span), message=r.message) for r in f.related),
        message=f.message,
        help=f.help,
        suggestion=f.suggestion,
        limit=f.limit,
        unreachable=f.unreachable,
        reason=f.reason,
        reason_code=f.reason_code,
        approximations=f.approximations,
        counterexample=None if f.counterexample is None else _counterexample(f.counterexample),
        time_s=round(f.time_s, 6),
    )


def _counterexample(c: Counterexample) -> R.CounterexampleModel:
    return R.CounterexampleModel(
        shape=c.shape,
        program_id=c.program_id,
        grid=c.grid,
        element=c.element,
        iteration=c.iteration,
        storage=c.storage,
        view=c.view,
        address=c.address,
        extent=c.extent,
        access_bytes=c.access_bytes,
        values=c.values,
        inputs=tuple(R.InputElement(tensor=t, index=i, value=v) for t, i, v in c.inputs),
        replayed=c.replayed,
        does=c.does,
        other=None if c.other is None else _other(c.other),
        unwritten=c.unwritten,
    )


def _other(o: OtherAccess) -> R.OtherAccessModel:
    return R.OtherAccessModel(
        location=location(o.span), does=o.does, program_id=o.program_id, element=o.element, iteration=o.iteration
    )


def _launch_model(program: Program, index: int) -> R.LaunchModel:
    launch = program.launches[index]
    x, y, z = (show(t) for t in launch.grid)
    return R.LaunchModel(
        launcher=program.launcher,
        call=program.call,
        file=program.file,
        index=index,
        count=len(program.launches),
        location=location(launch.span),
        path=tuple(c.text or show(c.term) for c in launch.path),
        grid=(x, y, z),
    )


def _case_model(case: Case, decided: bool) -> R.CaseModel:
    return R.CaseModel(
        label=case.label,
        condition=tuple(show(c.term) for c in case.condition),
        values=dict(case.values),
        decided=decided,
    )
