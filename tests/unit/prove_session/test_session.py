"""Whole sessions with a fake capture process and a fake prover."""

from __future__ import annotations

from pathlib import Path

from argus_smt.prove.cache import Cache
from argus_smt.prove.capturing import InputError, Job
from argus_smt.prove.finding import ProveOptions
from argus_smt.prove.processes import command
from argus_smt.prove.report import Outcome, build_report
from argus_smt.prove.session import SessionOptions, run_session
from tests.unit.prove_session.fakes import ENTRY

CAPTURE = command("tests.unit.prove_session.fakes")


def session(*calls: str, cache: Cache | None = None, **changes: float) -> tuple[Outcome, tuple[InputError, ...]]:
    """A session over one file for each call."""
    options = SessionOptions(
        jobs=2, entry=ENTRY, capture=CAPTURE, hard_limit_s=changes.pop("hard_limit_s", 30.0), cache=cache, **changes
    )
    return run_session([Job("kernel.py", call) for call in calls], options)


def exit_code(outcome: Outcome) -> int:
    return build_report(outcome, ProveOptions(), "1").exit_code


def test_all_proved() -> None:
    outcome, errors = session("fine;fine too", "fine")
    assert errors == ()
    assert [len(run.results) for run in outcome.runs] == [2, 1]
    assert exit_code(outcome) == 0
    assert outcome.resources.capture_s["capture"] == 0.5
    assert 0.01 <= outcome.resources.capture_s["imports"] < 1
    assert outcome.resources.peak_worker_mb > 5


def test_dead_and_hung_workers_leave_the_case_unknown() -> None:
    outcome, _ = session("segfault;fine;hang", hard_limit_s=2.0)
    report = build_report(outcome, ProveOptions(), "1")
    assert report.exit_code == 3
    unknown = [ob for ob in report.kernels[0].obligations if ob.verdict == "unknown"]
    assert {ob.case: ob.code for ob in unknown} == {"segfault": "AR902", "hang": "AR902"}
    assert report.kernels[0].reason == "AR902 out-of-budget"


def test_a_fault_of_argus_gives_code_4_but_a_refutation_outranks_it() -> None:
    outcome, _ = session("raise;fine")
    assert exit_code(outcome) == 4
    assert "KeyError" in outcome.faults[0]
    outcome, _ = session("raise;refute")
    assert exit_code(outcome) == 1


def test_interrupt_gives_what_is_decided() -> None:
    outcome, _ = session("fine;refute;fine 2;interrupt;hang")
    assert outcome.interrupted == "interrupted: 3 of 5 cases decided"
    report = build_report(outcome, ProveOptions(), "1")
    assert report.exit_code == 1
    assert [c.decided for c in report.kernels[0].cases] == [True, True, True, False, False]
    reasons = {ob.reason for ob in report.kernels[0].obligations if ob.verdict == "unknown"}
    assert reasons == {outcome.interrupted}


def test_interrupted_proofs_are_no_proof() -> None:
    outcome, _ = session("fine;interrupt;hang")
    assert exit_code(outcome) == 3


def test_captures_that_break() -> None:
    _, errors = session("segfault", "exit", "quit", "broken", "garbage", "nothing", "refuse", "fine")
    texts = [e.message for e in errors]
    assert "segmentation fault" in texts[0]
    assert texts[1] == "the process that loads the file ended with status 7 without a reply"
    assert texts[2] == "the process that loads the file ended with status 0 without a reply"
    assert texts[3] == "the capture process failed: RuntimeError: capture is broken"
    assert "without a reply" in texts[4]
    assert texts[5] == "`launch` launches no kernel: there is nothing to check"
    assert texts[6] == "the launcher raises ValueError"
    assert (errors[6].place, errors[6].help, errors[6].code) == ("kernel.py:3:5", "give other sizes", "AR105")
    assert [e.internal for e in errors] == [False, False, False, True, False, False, False]


def test_the_loss_of_the_process_that_forks_is_survived() -> None:
    outcome, errors = session("fine", "murder", "fine", "fine")
    assert len(outcome.runs) == 3
    assert [e.message for e in errors] == ["the process that loads the files was ended twice"]


def test_a_capture_that_takes_too_long() -> None:
    _, errors = session("hang", capture_limit_s=0.5)
    assert errors[0].message == "loading and launching took longer than 0.5 s and was ended"


def test_a_prover_that_does_not_start_is_a_fault() -> None:
    options = SessionOptions(jobs=1, entry="tests.absent:f", capture=CAPTURE)
    outcome, _ = run_session([Job("kernel.py", "fine")], options)
    report = build_report(outcome, ProveOptions(), "1")
    assert report.exit_code == 4
    assert report.kernels[0].verdict == "unknown"


def test_the_cache_keeps_what_is_decided(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    first, _ = session("fine;refute;unknown;segfault", cache=cache)
    assert first.resources.cached_cases == 0
    second, _ = session("fine;refute;unknown;segfault", cache=cache)
    assert second.resources.cached_cases == 2
    assert first.runs[0].results[0, 1] == second.runs[0].results[0, 1]
    for entry in tmp_path.rglob("*.json"):
        entry.write_text("{")
    third, _ = session("fine;refute", cache=cache)
    assert third.resources.cached_cases == 0
