"""Concrete launches for the oracle, as plain data, and the call that runs a list of them in one child process."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class TensorArg:
    """A tensor argument. `strides` are in elements (contiguous if None); the storage holds the span and no more.

    Contents: `values` in row-major order of the indices if given, else pseudo-random integers in `low` … `high`
    (inclusive) or, for float types, numbers of about one.
    """

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None = None
    values: tuple[int, ...] | None = None
    low: int = 0
    high: int = 1
    seed: int = 0


@dataclass(frozen=True, slots=True)
class TableArg:
    """A one-dimensional tensor of 64-bit addresses: entry g is where tensor number g, of its own, begins."""

    members: tuple[TensorArg, ...]


Argument = TensorArg | TableArg | int | float | bool


@dataclass(frozen=True, slots=True)
class Job:
    """One call `launcher(*args)` of a file. `first_lane_only` keeps one event a kind, line and program."""

    file: str
    launcher: str
    args: tuple[Argument, ...]
    first_lane_only: bool = True


@dataclass(frozen=True, slots=True)
class Event:
    """Something that a launch must not do.

    `kind`: oob_read | oob_write | oob_atomic | div_by_zero | bad_shift | false_assumption, and, for information only,
    `wrap` (a 32-bit add, subtract or multiply that wrapped). `lane` is the flat index in the tile; `offset` is in bytes
    from the first byte of the tensor's storage, None where the address belongs to no tensor or the event has none.
    """

    kind: str
    line: int
    program: tuple[int, int, int]
    lane: int
    tensor: str = ""
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one job did. `error` is set if the launcher or the interpreter raised; events before that are kept."""

    events: tuple[Event, ...]
    error: str = ""

    @property
    def faults(self) -> tuple[Event, ...]:
        """Events other than those for information."""
        return tuple(e for e in self.events if e.kind != "wrap")

    def lines(self, kind: str) -> set[int]:
        """Lines at which events of `kind` happened."""
        return {e.line for e in self.events if e.kind == kind}


def run_jobs(jobs: Sequence[Job], timeout: float = 600.0) -> tuple[Outcome, ...]:
    """Run the jobs, in order, in one child process under Triton's interpreter.

    Raises RuntimeError if the child dies or does not answer within `timeout` seconds.
    """
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    env = {**os.environ, "TRITON_INTERPRET": "1", "TRITON_DEFAULT_FP_FUSION": "1", "PYTHONPATH": path}
    try:
        child = subprocess.run(
            [sys.executable, str(Path(__file__).with_name("triton_oracle.py"))],
            input=pickle.dumps(tuple(jobs)), capture_output=True, env=env, timeout=timeout, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as expired:
        raise RuntimeError(f"the oracle did not answer within {timeout} s") from expired
    if child.returncode:
        raise RuntimeError(f"the oracle died with {child.returncode}: {child.stderr.decode(errors='replace')[-2000:]}")
    outcomes = pickle.loads(child.stdout)
    assert isinstance(outcomes, tuple)
    assert len(outcomes) == len(jobs)
    return outcomes
