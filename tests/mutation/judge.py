"""What becomes of a mutated example: refuted, unknown, or proved; and what small runs say of one that is not refuted.

A run plays whole calls in the concrete interpreter, of the mutant and of the example it came from, on the same contents. It
tells apart mutants that compute the same from those that only compute other values, and both from a wrong proof.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np

from argus_smt.absint.engine import analyze
from argus_smt.capture.failure import CaptureError
from argus_smt.ir.launch import Program
from argus_smt.prove.case import prove_case
from argus_smt.prove.context import Context
from argus_smt.prove.discharge import Prover
from argus_smt.prove.domain import domain
from argus_smt.prove.elements import Asking, Elements
from argus_smt.prove.finding import CHECKS, Finding, ProveOptions, Severity, Verdict
from argus_smt.prove.play import Play, Player
from argus_smt.prove.seen import faults_of
from argus_smt.prove.sizes import small_launches
from argus_smt.smt.solver import Solver
from tests.integration.pipeline import program_of

LOUD = frozenset(
    ("AR301", "AR302", "AR304", "AR305", "AR306", "AR401", "AR402", "AR403", "AR404", "AR406", "AR411", "AR412", "AR601")
)
"""Errors that a run may show."""
PLAYS = 30
"""Calls that are compared, for each case."""
CASES = 6
"""Cases of a launch that are played."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """`verdict`: refuted | proved | unknown | invalid (it does not compile, or cannot be launched) | late |
    broken (Argus itself).

    `codes` that refute it, or that are unknown. `runs` of one that is not refuted: same | differ | fault | none.
    """

    verdict: str
    codes: tuple[str, ...] = ()
    runs: str = ""
    reason: str = ""
    seconds: float = 0.0


def judge(source: str, original: Path, call: str = "") -> Judgement:
    """The verdict on a mutated text, and what runs say where it is not refuted."""
    started = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / original.name
        path.write_text(source, encoding="utf-8")
        try:
            program = program_of(path, call)
        except CaptureError as error:
            return Judgement("invalid", reason=" ".join(str(error).split())[:120])
        if not any(launch.cases for launch in program.launches):
            return Judgement("invalid", reason="nothing of it compiles")
        found: list[Finding] = []
        for index, launch in enumerate(program.launches):
            for case in range(len(launch.cases)):
                found += prove_case(program, index, case, ProveOptions(checks=CHECKS, timeout_s=40)).findings
                codes = _codes(found, Verdict.REFUTED)
                if codes:
                    return Judgement("refuted", codes, seconds=time.process_time() - started)
        open_codes = _codes(found, Verdict.UNKNOWN)
        runs = compare(program, program_of(original, call))
        reason = next((f"{f.code} line {f.span.line}: {f.reason}" for f in found if f.verdict is Verdict.UNKNOWN), "")
        return Judgement("unknown" if open_codes else "proved", open_codes, runs, reason, time.process_time() - started)


def _codes(found: list[Finding], verdict: Verdict) -> tuple[str, ...]:
    """Codes of errors with a verdict; warnings count where they are refuted: a wrap, or an element written twice."""
    errors = {f.code for f in found if f.verdict is verdict and f.severity is Severity.ERROR}
    if verdict is Verdict.REFUTED:
        errors |= {f.code for f in found if f.verdict is verdict and f.code == "AR412"}
    return tuple(sorted(errors))


def compare(mutant: Program, original: Program) -> str:
    """What plays of small calls show: a fault of the mutant, other values than those of the original, or neither."""
    seen = "none"
    for index, launch in enumerate(mutant.launches):
        for case in range(len(launch.cases))[:CASES]:
            for play, twin in _pairs(mutant, original, index, case):
                if play.scene.whole and any(f.code in LOUD for f in faults_of(_context(mutant, index, case), play)):
                    return "fault"
                if twin is not None:
                    seen = "differ" if seen == "differ" or not _same(play, twin) else "same"
    return seen


def _pairs(mutant: Program, original: Program, index: int, case: int) -> Iterator[tuple[Play, Play | None]]:
    """The mutant's calls and, where the original has the same case, its calls on the same sizes and contents."""
    context = _context(mutant, index, case)
    label = mutant.launches[index].cases[case].label
    others = original.launches[index].cases if index < len(original.launches) else ()
    twin = next((i for i, c in enumerate(others) if c.label == label), None)
    player = Player(context, time.process_time() + 20)
    second = Player(_context(original, index, twin), time.process_time() + 40) if twin is not None else None
    for seed, sizes in enumerate(small_launches(context, Random(1))[:PLAYS]):
        play = player.play(sizes, "forward", seed)
        if play is not None:
            yield play, None if second is None else second.play(sizes, "forward", seed)


def _context(program: Program, index: int, case: int) -> Context:
    launch = program.launches[index]
    dom = domain(program, launch, launch.cases[case], ())
    solver = Solver(deadline=time.monotonic() + 40)
    elements = Elements({s.ident: s for s in dom.launch.storages}, dom.bounds.copy())
    facts = analyze(dom.launch, dom.case, dom.bounds, dom.facts, Asking(solver, elements), elements.about)
    return Context(program, dom, facts, Prover(facts, solver, elements, dom.display), index)


def _same(a: Play, b: Play) -> bool:
    """Whether two calls leave the same in memory."""
    sizes = {r.storage: r.nbytes for r in b.stage.memory.regions}
    return all(
        sizes.get(r.storage) == r.nbytes
        and np.array_equal(a.stage.memory.read_bytes(r.storage, 0, r.nbytes), b.stage.memory.read_bytes(r.storage, 0, r.nbytes))
        for r in a.stage.memory.regions
    )


@dataclass(slots=True)
class Running:
    """A judgement that is being made in a fork of this process."""

    number: int
    child: int
    pipe: int
    until: float

    @staticmethod
    def start(number: int, work: Callable[[], Judgement], seconds: float) -> Running:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            try:
                made = work()
            except BaseException as error:  # noqa: BLE001 - whatever it is belongs into the table
                made = Judgement("broken", reason=f"{type(error).__name__}: {error}"[:120])
            os.write(write, pickle.dumps(made))
            os._exit(0)
        os.close(write)
        return Running(number, child, read, time.monotonic() + seconds)

    def end(self, ready: bool) -> Judgement:
        """What it says, or that it is late."""
        data = os.read(self.pipe, 1 << 16) if ready else b""
        os.close(self.pipe)
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        made = pickle.loads(data) if data else Judgement("late", reason="not decided in time")
        assert isinstance(made, Judgement)
        return made


def judged(works: Sequence[Callable[[], Judgement]], jobs: int, seconds: float) -> Iterator[tuple[int, Judgement]]:
    """Judgements with the numbers of what they are about, as they are made, `jobs` at a time; each gets `seconds`."""
    waiting = list(enumerate(works))[::-1]
    running: dict[int, Running] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            number, work = waiting.pop()
            one = Running.start(number, work, seconds)
            running[one.pipe] = one
        ready, _, _ = select.select(list(running), [], [], 1.0)
        late = [r.pipe for r in running.values() if time.monotonic() > r.until and r.pipe not in ready]
        for pipe in (*ready, *late):
            one = running.pop(pipe)
            yield one.number, one.end(pipe in ready)
