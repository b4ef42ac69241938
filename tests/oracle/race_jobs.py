"""Launches to be searched for conflicts, as plain data, and the call that runs a list of them in one child process."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.oracle.happens_before import Conflict
from tests.oracle.jobs import ROOT, Argument


@dataclass(frozen=True, slots=True)
class RaceJob:
    """One call `launcher(*args)`; `outs` are the positions of arguments that must be written in full.

    Tensors that come from `torch.empty` and are returned must be written in full as well.
    """

    file: str
    launcher: str
    args: tuple[Argument, ...]
    outs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RaceOutcome:
    """What was seen in any of the schedules that were tried.

    `uninit`: lines that read what nobody wrote. `unwritten`: some element of an output was not written in some schedule.
    `stuck`: some schedule did not end.
    """

    conflicts: frozenset[Conflict]
    uninit: frozenset[int]
    unwritten: bool
    stuck: bool
    accesses: int
    faults: tuple[str, ...]
    """Accesses outside of tensors and other faults that have nothing to do with order."""
    error: str = ""

    @property
    def kinds(self) -> set[str]:
        """All that is wrong, in the words of `Conflict.kind` with uninit, unwritten and stuck."""
        flags = {"uninit": bool(self.uninit), "unwritten": self.unwritten, "stuck": self.stuck}
        return {c.kind for c in self.conflicts} | {name for name, is_so in flags.items() if is_so}


def run_race_jobs(jobs: Sequence[RaceJob], timeout: float = 300.0) -> tuple[RaceOutcome, ...]:
    """Run the jobs, in order, in one child process under Triton's interpreter.

    Raises RuntimeError if the child dies or does not answer within `timeout` seconds.
    """
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    env = {**os.environ, "TRITON_INTERPRET": "1", "TRITON_DEFAULT_FP_FUSION": "1", "PYTHONPATH": path}
    try:
        child = subprocess.run(
            [sys.executable, str(Path(__file__).with_name("race_oracle.py"))],
            input=pickle.dumps(tuple(jobs)), capture_output=True, env=env, timeout=timeout, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as expired:
        raise RuntimeError(f"the oracle did not answer within {timeout} s") from expired
    if child.returncode:
        raise RuntimeError(f"the oracle died with {child.returncode}: {child.stderr.decode(errors='replace')[-2000:]}")
    outcomes = pickle.loads(child.stdout)
    assert isinstance(outcomes, tuple)
    return outcomes
