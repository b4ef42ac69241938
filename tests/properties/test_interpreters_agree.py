"""The Tile IR interpreter and Triton's interpreter see the same faults in the same places."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cases.triton.mutants import Mutant, apply
from tests.cases.triton.registry import LAUNCHERS, MUTANTS, SMALL
from tests.oracle.jobs import Job, Outcome, run_jobs
from tests.properties.brute_force import BruteForce, Fault
from tests.properties.generate import generate
from tests.properties.launches import Call, calls

Place = tuple[str, int, tuple[int, int, int]]
NAMES = {"div_by_zero": "div_zero", "bad_shift": "shift_width", "false_assumption": "assume_false"}


def assert_same(faults: Sequence[Fault], outcome: Outcome, what: object) -> None:
    """Kind, line and program of all faults are the same.

    Where an address depends on a value that was never rightly read, one interpreter follows a poison pattern and the
    other says so: such operations are compared by place only.
    """
    assert outcome.error == "", what
    poisoned = {(f.line, f.program) for f in faults if f.kind == "undef_used"}
    mine: set[Place] = {(f.kind, f.line, f.program) for f in faults if (f.line, f.program) not in poisoned}
    theirs = {(NAMES.get(e.kind, e.kind), e.line, e.program) for e in outcome.faults}
    assert mine == {p for p in theirs if (p[1], p[2]) not in poisoned}, what
    if poisoned:
        assert outcome.faults, what


def compare(work: Sequence[tuple[Path, str, Sequence[Call]]]) -> None:
    """Run calls of launchers both ways."""
    places = [(path, launcher, call) for path, launcher, some in work for call in some]
    runners = {path: BruteForce(path, launcher) for path, launcher, _ in work}
    mine = [runners[path].run(call) for path, _, call in places]
    theirs = run_jobs([Job(str(path), launcher, call) for path, launcher, call in places], timeout=3000)
    for place, faults, outcome in zip(places, mine, theirs, strict=True):
        assert_same(faults, outcome, place)


def generated(folder: Path, seeds: range, limit: int) -> list[tuple[Path, str, list[Call]]]:
    """Files of generated kernels with some of their calls."""
    work = []
    for seed in seeds:
        kernel = generate(seed)
        path = folder / f"generated_{seed}.py"
        path.write_text(kernel.source)
        work.append((path, "launch", calls(kernel, limit)))
    return work


def test_they_agree_on_generated_kernels(tmp_path: Path) -> None:
    compare(generated(tmp_path, range(100), 4))


@pytest.mark.slow
def test_they_agree_on_many_generated_kernels(tmp_path: Path) -> None:
    compare(generated(tmp_path, range(100, 700), 10))


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_they_agree_on_mutants(mutant: Mutant, tmp_path: Path) -> None:
    compare([(apply(mutant, tmp_path), LAUNCHERS[mutant.example], SMALL[mutant.example][::2])])
