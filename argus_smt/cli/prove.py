"""`argus prove`: runs a session and writes its report."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from argus_smt import __version__
from argus_smt.cli.arguments import LATER_FORMATS, UsageError
from argus_smt.cli.breakage import print_errors
from argus_smt.cli.inputs import inputs_of
from argus_smt.diag.report import Report, Skipped
from argus_smt.diag.text import Style, render
from argus_smt.ir.launch import Program
from argus_smt.prove.cache import Cache, default_folder
from argus_smt.prove.capturing import InputError, Job
from argus_smt.prove.dump import dump_programs
from argus_smt.prove.finding import ProveOptions
from argus_smt.prove.report import Outcome, build_report
from argus_smt.prove.session import Progress, SessionOptions, run_session, silent
from argus_smt.smt.second import KNOWN, installed
from argus_smt.smt.show import parse_term
from argus_smt.smt.term import Sort

Session = Callable[[Sequence[Job], SessionOptions, Progress], tuple[Outcome, tuple[InputError, ...]]]


def run(args: argparse.Namespace, stdout: TextIO, stderr: TextIO, session: Session | None = None) -> int:
    """Prove the files of the command line; gives the exit code."""
    _check(args)
    _check_assumed(args.assume, ())
    inputs = inputs_of(args)
    print_errors(inputs.errors, stderr)
    if not inputs.jobs:
        return 2
    for job in inputs.jobs:
        _check_assumed((*job.assume, *(job.prove.assume if job.prove else ())), (), job.place)
    options = _options(args)
    with _progress(stderr) as progress:
        outcome, more = (session or run_session)(inputs.jobs, options, progress)
    if args.dump_ir:
        dump_programs([run.program for run in outcome.runs], Path(args.dump_ir))
    more = (*more, *(_required(inputs.skipped) if args.require_signatures else ()))
    print_errors(more, stderr)
    report = build_report(outcome, options.prove, __version__, inputs.skipped)
    for text in report.warnings:
        stderr.write(f"argus: internal warning: {text}\n")
    for text in report.faults:
        stderr.write(f"argus: fault of Argus itself: {text}\n")
    if report.kernels or args.format == "json":
        _write(report, args, stdout)
    elif report.interrupted:
        stdout.write(report.interrupted + "\n")
    return _exit_code(report, [*inputs.errors, *more])


def _required(skipped: Sequence[Skipped]) -> list[InputError]:
    """Launchers without a signature as errors."""
    return [InputError(f"`{s.launcher}`: {s.reason}", f"{s.file}:{s.line}", s.help, code="AR103") for s in skipped]


def _check(args: argparse.Namespace) -> None:
    if args.format in LATER_FORMATS:
        raise UsageError(f"--format {args.format} is not in this version; there are text and json")
    if args.format not in ("text", "json"):
        raise UsageError(f"no such format: {args.format!r}; there are text and json")
    if args.cross_check and args.cross_check not in KNOWN:
        raise UsageError(f"--cross-check: no such solver: {args.cross_check!r}; there is {', '.join(KNOWN)}")
    if args.cross_check and not installed(args.cross_check):
        raise UsageError(f"--cross-check: {args.cross_check} is not installed; `pip install {args.cross_check}` brings it")
    if args.output and not os.path.isdir(os.path.dirname(os.path.abspath(args.output))):
        raise UsageError(f"the folder of {args.output} does not exist")
    for folder in (args.dump_smt, args.dump_ir):
        if folder:
            try:
                os.makedirs(folder, exist_ok=True)
            except OSError as error:
                raise UsageError(f"cannot make the folder {folder}: {error.strerror}") from error


def _check_assumed(expressions: Sequence[str], programs: Sequence[Program], place: str = "") -> None:
    """Each precondition is a condition over names that every program has. Raises UsageError."""
    for text in expressions:
        head = f"{place}: assume {text!r}" if place else f"--assume {text!r}"
        try:
            term = parse_term(text)
        except ValueError as error:
            raise UsageError(f"{head}: {error}") from error
        if term.sort is not Sort.BOOL:
            raise UsageError(f"{head}: not a condition")
        for program in programs:
            names = {s.name for s in program.symbols}
            unknown = sorted(str(v.data) for v in term.free if v.data not in names)
            if unknown or term.apps:
                shown = ", ".join(sorted(names)) or "none"
                what = f"`{unknown[0]}`" if unknown else "a function"
                raise UsageError(f"{head}: {what} is no name of `{program.call}`; there are {shown}")


def _options(args: argparse.Namespace) -> SessionOptions:
    cached = not args.no_cache and not args.dump_smt  # a case that comes from the cache makes no queries

    def captured(programs: Sequence[tuple[Program, ProveOptions]]) -> None:
        for program, chosen in programs:
            _check_assumed(chosen.assume, (program,))

    mine = ProveOptions(overflow=args.overflow or "warn", assume=tuple(args.assume), timeout_s=args.timeout or 60.0)
    return SessionOptions(mine, args.jobs, Cache(default_folder()) if cached else None, captured=captured)


def _write(report: Report, args: argparse.Namespace, stdout: TextIO) -> None:
    coloured = stdout.isatty() and not args.output and not os.environ.get("NO_COLOR")
    text = report.to_json() if args.format == "json" else render(report, Style(colour=coloured))
    if not args.output:
        stdout.write(text)
        return
    try:
        Path(args.output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {args.output}: {error.strerror}") from error


def _exit_code(report: Report, errors: Sequence[InputError]) -> int:
    """A refuted error outranks input that could not be looked at, and that outranks what is undecided."""
    if report.kernels and report.exit_code == 1:
        return 1
    if report.faults or any(e.internal for e in errors):
        return 4
    if errors:
        return 2
    return report.exit_code


@contextmanager
def _progress(stderr: TextIO) -> Iterator[Progress]:
    """Progress on a terminal, silence elsewhere."""
    if not stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Console(file=stderr), transient=True) as bar:
        task = bar.add_task("starting", total=None)

        def show(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total or None)

        yield show
