"""A whole run: capture the files, prove every case in worker processes, collect what became of each."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from argus_smt.diag.report import Resources
from argus_smt.ir.launch import Program
from argus_smt.ir.serialise import dumps_program
from argus_smt.prove.cache import Cache
from argus_smt.prove.capturing import COMMAND, LIMIT_S, Captured, Captures, InputError, Job
from argus_smt.prove.finding import CaseResult, Finding, ProveOptions, Severity, Verdict
from argus_smt.prove.pool import ENTRY, Answer, Pool, PoolError, Settings, Task
from argus_smt.prove.report import Outcome, ProgramRun
from argus_smt.smt.show import parse_term

Progress = Callable[[str, int, int], None]
"""Called with what happens now, how many cases are done, how many there are."""


def silent(what: str, done: int, total: int) -> None:
    """The progress that nobody watches."""


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """How a run works. `cache` is None where nothing is to be kept or found again."""

    prove: ProveOptions = field(default_factory=ProveOptions)
    jobs: int = 0
    cache: Cache | None = None
    entry: str = ENTRY
    capture: Sequence[str] = COMMAND
    capture_limit_s: float = LIMIT_S
    hard_limit_s: float | None = None
    captured: Callable[[Sequence[tuple[Program, ProveOptions]]], None] = lambda _: None
    """Hears of the programs of each file, and how each is proved, before that begins."""

    @property
    def workers(self) -> int:
        return self.jobs or len(os.sched_getaffinity(0))


@dataclass(slots=True)
class _State:
    """What is known so far."""

    captured: list[Captured] = field(default_factory=list)
    programs: list[Program] = field(default_factory=list)
    chosen: list[ProveOptions] = field(default_factory=list)
    """How each program is proved."""
    results: dict[Task, CaseResult] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    cached: int = 0
    total: int = 0
    interrupted: str = ""
    capturing: bool = True
    peak_mb: float = 0.0


def run_session(
    jobs: Sequence[Job], options: SessionOptions, progress: Progress = silent
) -> tuple[Outcome, tuple[InputError, ...]]:
    """Capture and prove; gives what was found out and the files that could not be looked at.

    An interrupt (Ctrl-C) ends all processes and gives what is decided by then.
    """
    start = time.monotonic()
    state = _State()
    settings = Settings(_for_workers(options.prove), options.workers, options.entry, options.hard_limit_s)
    try:
        with Pool(settings) as pool:
            try:
                _Run(pool, options, state, progress).all(jobs)
            finally:
                state.peak_mb = pool.peak_mb
    except KeyboardInterrupt:
        state.interrupted = _interrupted(state)
    except PoolError as error:  # not even one process starts
        state.faults.append(str(error))
    errors = tuple(e for c in state.captured for e in c.errors)
    return _outcome(state, options, time.monotonic() - start), errors


def _interrupted(state: _State) -> str:
    if not state.total:
        return "interrupted while files were loaded and launchers run: nothing is decided"
    rest = ", and files were left to load" if state.capturing else ""
    if not state.results:
        return f"interrupted before any of {state.total} cases was decided{rest}"
    return f"interrupted: {len(state.results)} of {state.total} cases decided{rest}"


def _for_workers(options: ProveOptions) -> ProveOptions:
    """The report filters by code; a worker proves everything, so that the limits are complete."""
    return replace(options, select=(), ignore=())


class _Run:
    """Captures and proofs side by side: cases are handed to the provers as soon as their file is captured."""

    def __init__(self, pool: Pool, options: SessionOptions, state: _State, progress: Progress) -> None:
        self.pool, self.options, self.state, self.progress = pool, options, state, progress
        self.keys: dict[Task, str] = {}
        self.failed = False

    def all(self, jobs: Sequence[Job]) -> None:
        """Capture all jobs and decide all of their cases."""
        state = self.state
        self.progress("loading and launching", 0, 0)
        workers = self.options.workers
        captures = Captures(
            self.options.capture, workers, self.options.capture_limit_s,
            room=lambda running: running < max(1, workers - self.pool.left),  # cores that no prover needs
        )  # fmt: skip
        state.captured = captures.run(jobs, self.captured, self.pump)
        state.capturing = False
        while self.pool.left and not self.failed:
            self.pump(None)

    def captured(self, captured: Captured) -> None:
        """Hand the cases of a captured file to the provers; those that the cache knows are decided at once."""
        state = self.state
        chosen = [_chosen(captured.job, p, self.options.prove) for p in captured.programs]
        self.options.captured(list(zip(captured.programs, chosen, strict=True)))
        first = len(state.programs)
        state.programs += captured.programs
        state.chosen += chosen
        state.total += sum(len(launch.cases) for p in captured.programs for launch in p.launches)
        for k in range(first, len(state.programs)):
            text = dumps_program(replace(state.programs[k], seconds=()))
            keys = _look_up(k, text, self.options, state)
            self.keys |= keys
            tasks = [t for t in keys if t not in state.results]
            self.pool.submit(k, text, tasks, _for_workers(state.chosen[k]))
        self.pump()

    def pump(self, pause: float | None = 0.0) -> None:
        """Take the answers that are there, waiting for `pause` seconds at most; None waits for the next."""
        state = self.state
        if self.failed:
            return
        try:
            for answer in self.pool.poll(pause):
                state.results[answer.task] = _settled(answer, state)
                if self.options.cache is not None and answer.result is not None:
                    self.options.cache.put(self.keys[answer.task], answer.result)
        except PoolError as error:
            state.faults.append(str(error))
            self.failed = True  # the files are still captured, and what is undecided is reported as such
        self.progress("capturing and proving" if state.capturing else "proving", len(state.results), state.total)


def _chosen(job: Job, program: Program, default: ProveOptions) -> ProveOptions:
    """How a program of a job is proved: what is assumed of a whole file, where the program has all the names."""
    options = job.prove or default
    names = {s.name for s in program.symbols}
    fitting = [text for text in job.assume if all(v.data in names for v in parse_term(text).free)]
    return replace(options, assume=(*options.assume, *fitting))


def _look_up(k: int, text: str, options: SessionOptions, state: _State) -> dict[Task, str]:
    """Every case of program `k` with its key in the cache; results that are there already go into the state."""
    keys: dict[Task, str] = {}
    chosen = _for_workers(state.chosen[k])
    for i, launch in enumerate(state.programs[k].launches):
        for j in range(len(launch.cases)):
            task = Task(k, i, j)
            keys[task] = options.cache.key(text, i, j, chosen, options.entry) if options.cache else ""
            found = options.cache.get(keys[task]) if options.cache else None
            if found is not None:
                state.results[task] = found
                state.cached += 1
    return keys


def _settled(answer: Answer, state: _State) -> CaseResult:
    """The result of a case; one without findings of its own is unknown for the reason given."""
    if answer.result is not None:
        return answer.result
    task = answer.task
    launch = state.programs[task.program].launches[task.launch]
    label = launch.cases[task.case].label
    if answer.fault:
        state.faults.append(f"{launch.kernel}, case {label}: {answer.reason}" if label else answer.reason)
    code = "AR901" if answer.fault else "AR902"
    finding = Finding(
        code, Verdict.UNKNOWN, Severity.ERROR, launch.span, f"`{launch.kernel}` is undecided in a case",
        site=f"undecided {launch.span}", label=label, reason=answer.reason, reason_code=code,
    )  # fmt: skip
    return CaseResult(task.launch, task.case, label, (finding,))


def _outcome(state: _State, options: SessionOptions, wall_s: float) -> Outcome:
    order = {id(p): n for n, p in enumerate(p for c in state.captured for p in c.programs)}
    known = sorted(enumerate(state.programs), key=lambda entry: order.get(id(entry[1]), len(order)))
    runs = tuple(
        ProgramRun(p, {(t.launch, t.case): r for t, r in state.results.items() if t.program == k}, state.chosen[k])
        for k, p in known
    )
    spent: dict[str, float] = {}
    for name, seconds in (pair for c in state.captured for pair in c.seconds):
        spent[name] = round(spent.get(name, 0.0) + seconds, 3)
    resources = Resources(
        wall_s=round(wall_s, 3),
        capture_s=spent,
        workers=options.workers,
        peak_worker_mb=round(state.peak_mb, 1),
        cached_cases=state.cached,
    )
    return Outcome(runs, state.interrupted, tuple(state.faults), resources)
