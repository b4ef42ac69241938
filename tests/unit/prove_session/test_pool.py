"""Workers that hang, die, run out of memory or raise give an answer each, and the others go on."""

from __future__ import annotations

import os
import time

import pytest

from argus_smt.ir.serialise import dumps_program
from argus_smt.prove.finding import Verdict
from argus_smt.prove.pool import Answer, Pool, PoolError, Settings, Task
from tests.unit.prove_session.fakes import ENTRY
from tests.unit.prove_session.programs import launch, program


def answers(*labels: str, jobs: int = 2, hard_limit_s: float = 20.0, memory_mb: int = 0) -> dict[str, Answer]:
    """What becomes of cases with these labels."""
    texts = {0: dumps_program(program(launch(*labels)))}
    tasks = [Task(0, 0, k) for k in range(len(labels))]
    settings = Settings(jobs=jobs, entry=ENTRY, hard_limit_s=hard_limit_s, memory_mb=memory_mb)
    with Pool(settings) as pool:
        found = list(pool.run(texts, tasks))
    assert sorted(a.task.case for a in found) == list(range(len(labels)))
    return {labels[a.task.case]: a for a in found}


def test_results_come_back_whole() -> None:
    found = answers("fine 1", "fine 2", "refute", "print")
    assert all(a.result is not None and not a.fault for a in found.values())
    refuted = found["refute"].result
    assert refuted is not None
    assert refuted.findings[0].verdict is Verdict.REFUTED
    assert refuted.findings[0].counterexample is not None
    assert refuted.findings[0].counterexample.element == (1,)


def test_dead_workers_are_replaced() -> None:
    found = answers("segfault", "killed", "abort", "fine")
    assert "segmentation fault" in found["segfault"].reason
    assert "SIGKILL" in found["killed"].reason
    assert found["abort"].reason.endswith("status 3: solver: assertion violation")
    assert found["fine"].result is not None
    assert not any(a.fault for a in found.values())


def test_a_hung_worker_is_ended() -> None:
    start = time.monotonic()
    found = answers("hang", "fine", "fine too", hard_limit_s=2.0)
    assert "hung" in found["hang"].reason
    assert found["fine"].result is not None
    assert found["fine too"].result is not None
    assert time.monotonic() - start < 30


def test_an_exception_is_a_fault_of_argus() -> None:
    found = answers("raise", "memory", "fine", jobs=1)
    assert found["raise"].fault
    assert found["raise"].reason.startswith("KeyError: 'no such operation'")
    assert "memory" in found["memory"].reason
    assert not found["memory"].fault
    assert found["fine"].result is not None


def test_memory_is_reported() -> None:
    texts = {0: dumps_program(program(launch("fine")))}
    with Pool(Settings(entry=ENTRY)) as pool:
        list(pool.run(texts, [Task(0, 0, 0)]))
        assert 5 < pool.peak_mb < 300


def test_a_prover_that_does_not_load() -> None:
    with Pool(Settings(entry="tests.unit.prove_session.absent:prove_case")) as pool, pytest.raises(PoolError) as caught:
        list(pool.run({0: dumps_program(program(launch("fine")))}, [Task(0, 0, 0)]))
    assert "does not load: ModuleNotFoundError" in str(caught.value)


def test_no_process_is_left() -> None:
    pool = Pool(Settings(jobs=2, entry=ENTRY))
    numbers = [w.process.pid for w in pool._workers]
    pool.close()
    for number in numbers:
        with pytest.raises(ProcessLookupError):
            os.kill(number, 0)
