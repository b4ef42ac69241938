"""From findings to a report: verdicts are never better than what was found, and nothing is dropped in silence."""

from __future__ import annotations

from dataclasses import replace

from argus_smt.diag.report import KernelReport
from argus_smt.ir.launch import Condition
from argus_smt.prove.codec import dumps_result, loads_result
from argus_smt.prove.finding import CaseResult, Finding, OtherAccess, ProveOptions, Severity, Verdict
from argus_smt.prove.report import NO_WRAP, Outcome, ProgramRun, build_report, kernel_report
from argus_smt.smt import term as T
from argus_smt.source import Span
from tests.unit.prove_session.programs import (
    NOT_COVERED,
    REFUSED,
    REJECTED,
    N,
    finding,
    launch,
    program,
    refuted,
    result,
)

UNKNOWN = {"verdict": Verdict.UNKNOWN, "reason": "time-out", "reason_code": "AR902"}


def judged(*findings: Finding, options: ProveOptions | None = None, **changes: object) -> KernelReport:
    """The entry of a kernel with one case."""
    run = ProgramRun(program(launch("only")), {(0, 0): result(*findings, label="only", **changes)})
    return kernel_report(run, 0, options or ProveOptions())


def cases(*results: CaseResult | None) -> KernelReport:
    """The entry of a kernel with a case for each result."""
    labels = [f"case {k}" for k in range(len(results))]
    found = {(0, k): r for k, r in enumerate(results) if r is not None}
    return kernel_report(ProgramRun(program(launch(*labels)), found), 0, ProveOptions())


def test_verdicts() -> None:
    assert judged(finding()).verdict == "proved"
    assert judged(finding(), refuted(), finding(**UNKNOWN)).verdict == "refuted"
    assert judged(finding(), finding(**UNKNOWN)).verdict == "unknown"
    assert judged(finding(), finding(**UNKNOWN)).reason == "AR902 out-of-budget"


def test_nothing_checked_is_not_proved() -> None:
    entry = judged()
    assert entry.verdict == "unknown"
    assert entry.obligations[0].code == "AR905"
    assert "gives rise to no obligation" in entry.obligations[0].reason


def test_only_errors_refute() -> None:
    note = finding("AR307", Verdict.REFUTED, severity=Severity.NOTE)
    assert judged(finding(), note).verdict == "proved"
    assert judged(finding(), finding("AR307", severity=Severity.NOTE, **UNKNOWN)).verdict == "proved"
    assert judged(finding(), finding("AR303", severity=Severity.WARNING, **UNKNOWN)).verdict == "unknown"


def test_an_error_without_a_replayed_run_is_unknown() -> None:
    entry = judged(finding(), finding(verdict=Verdict.REFUTED))
    assert entry.verdict == "unknown"
    assert entry.obligations[1].reason_code == "AR903"


def test_a_wrap_always_puts_a_limit_into_the_verdict() -> None:
    wrap = finding("AR303", Verdict.REFUTED, severity=Severity.WARNING)
    assert judged(finding(), wrap).limit == NO_WRAP
    assert judged(finding(), wrap, limits=("n < 2**31",)).limit == "n < 2**31"
    with_limit = finding("AR303", Verdict.REFUTED, severity=Severity.WARNING, limit="n < 2**30")
    assert judged(finding(), with_limit).limit == "n < 2**30"
    assert judged(finding()).limit == ""
    two = judged(finding(), limits=("n < 4 or m < 4", "n < 8"))
    assert (two.limit, two.limits) == ("(n < 4 or m < 4) and n < 8", ("n < 4 or m < 4", "n < 8"))
    off = judged(finding(), options=ProveOptions(overflow="off"))
    assert off.limit == NO_WRAP
    assert off.assumptions == ("32-bit arithmetic does not wrap (--overflow=off)",)
    ignoring = judged(finding(), with_limit, options=ProveOptions(ignore=("AR303",)))
    assert ignoring.limit == "n < 2**30"


def test_what_no_lane_reaches_in_any_case_is_vacuous() -> None:
    dead, live = finding(unreachable=True), finding()
    entry = cases(result(dead), result(dead))
    assert entry.verdict == "unknown"
    assert {ob.reason_code for ob in entry.obligations} == {"AR905"}
    assert cases(result(dead), result(live)).verdict == "proved"
    note = finding("AR307", severity=Severity.NOTE, unreachable=True)
    assert [ob.verdict for ob in cases(result(note, live)).obligations] == ["proved", "proved"]
    other = finding("AR302", site="7:5")
    assert cases(result(dead, other), result(other)).verdict == "unknown"


def test_an_undecided_case_is_unknown() -> None:
    entry = cases(result(finding()), None)
    assert entry.verdict == "unknown"
    assert [(ob.case, ob.code) for ob in entry.obligations if ob.verdict == "unknown"] == [("case 1", "AR902")]


def test_selection_lists_what_it_leaves_out() -> None:
    entry = judged(finding(), refuted(), options=ProveOptions(ignore=("AR301",)))
    assert entry.verdict == "unknown"
    assert "--select and --ignore leave no obligation" in entry.obligations[0].reason
    entry = judged(finding("AR302"), refuted(), options=ProveOptions(select=("AR302",)))
    assert entry.verdict == "proved"
    assert entry.not_checked[0] == "AR301: left out by --select or --ignore (1 refuted)"


def test_reasons_for_not_knowing_cannot_be_left_out() -> None:
    options = ProveOptions(ignore=("AR9", "AR1"))
    entry = judged(finding(), finding("AR901", **UNKNOWN), options=options)
    assert entry.verdict == "unknown"
    holed = ProgramRun(program(launch("only"), not_covered=(NOT_COVERED,)), {(0, 0): result(finding())})
    assert kernel_report(holed, 0, options).verdict == "unknown"


def test_preconditions_have_their_sources() -> None:
    path = Condition(T.gt(N, 7), "check", "n > 7")
    held = program(launch("only", path=(path,), refusals=(REFUSED,)), not_covered=(REJECTED, NOT_COVERED))
    run = ProgramRun(held, {(0, 0): result(finding())})
    entry = kernel_report(run, 0, ProveOptions(assume=("n % 2 == 0",)))
    found = {(p.expr, p.source) for p in entry.preconditions}
    assert found == {
        ("n % 4 == 0", "call"),
        ("n > 0", "default"),
        ("n % 2 == 0", "option"),
        ("n >= 8", "check"),
        ("n != 12", "launcher"),
        ("n != 8", "compiler"),
    }
    details = {p.source: p.detail for p in entry.preconditions}
    assert details["compiler"] == "Triton refuses BLOCK = 3: arange's range must be a power of 2"
    assert details["launcher"] == "raises otherwise: ValueError: twelve"
    assert any("more than 8 paths" in text for text in entry.not_checked)
    assert "termination" in entry.not_checked
    assert any(text.startswith("values") for text in entry.not_checked)


def test_warnings_about_argus_itself_are_kept() -> None:
    run = ProgramRun(program(launch("only")), {(0, 0): result(finding(), internal=("did not replay",))})
    shown = build_report(Outcome((run,)), ProveOptions(), "1.2")
    assert shown.warnings == ("did not replay",)
    assert (shown.tool.version, shown.tool.versions) == ("1.2", {"triton": "3.9.0"})
    assert shown.kernels[0].launch.grid == ("(n + 63) // 64", "1", "1")
    assert shown.kernels[0].obligations[0].case == ""


def test_a_launch_that_triton_refuses_altogether_is_not_proved() -> None:
    entry = kernel_report(ProgramRun(program(launch(refusals=(REFUSED,))), {}), 0, ProveOptions())
    assert entry.verdict == "unknown"
    assert [(ob.code, ob.reason) for ob in entry.obligations] == [("AR107", "arange's range must be a power of 2")]


def test_a_limit_that_the_preconditions_imply_is_not_listed() -> None:
    small = T.lt(T.var("n"), 1 << 31)
    limited = replace(launch("only"), limits=(Condition(small, "case", "n < 2**31"),))
    run = ProgramRun(program(limited), {(0, 0): result(finding())})
    assert kernel_report(run, 0, ProveOptions()).limit == "n < 2**31"
    bounded = kernel_report(run, 0, ProveOptions(assume=("n < 100",)))
    assert (bounded.limit, [p.source for p in bounded.preconditions if p.source == "limit"]) == ("", [])
    assert kernel_report(run, 0, ProveOptions(assume=("n % 2 == 0",))).limit == "n < 2**31"


def test_both_sides_of_a_meeting_reach_the_report() -> None:
    """Through the pipe of a worker and into the report."""
    one = refuted()
    assert one.counterexample is not None
    other = OtherAccess(Span("k.py", 9, 3), "reads", (1, 0, 0), (0, 4), (2,))
    seen = replace(one.counterexample, does="stores", other=other, unwritten=(1, 2))
    found = loads_result(dumps_result(result(replace(one, counterexample=seen), label="only")))
    assert found.findings[0].counterexample == seen
    (shown,) = judged(*found.findings).obligations
    assert shown.counterexample is not None
    assert shown.counterexample.does == "stores"
    assert shown.counterexample.unwritten == (1, 2)
    assert shown.counterexample.other is not None
    assert shown.counterexample.other.location.line == 9
    assert shown.counterexample.other.program_id == (1, 0, 0)
