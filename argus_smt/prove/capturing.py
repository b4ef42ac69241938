"""Runs capture processes: one a file and signature, user code inside, a reply file out."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from argus_smt.ir.launch import Program
from argus_smt.ir.serialise import loads_program
from argus_smt.prove.processes import command, end, ending, last_line

LIMIT_S = 300.0
"""Wall-clock seconds after which the process of a file is ended."""
SIGNATURE_LIMIT_S = 60.0
COMMAND = tuple(command("argus_smt.capture"))


class InputError(Exception):
    """Input that nothing can be proved about; `message` is one line, `place` is `file:line:column` or empty.

    `internal` says that the fault lies with Argus.
    """

    def __init__(
        self, message: str, place: str = "", help: str = "", excerpt: str = "", code: str = "", internal: bool = False
    ) -> None:
        super().__init__(message)
        self.message, self.place, self.help, self.excerpt = " ".join(message.split()), place, help, excerpt
        self.code, self.internal = code, internal


@dataclass(frozen=True, slots=True)
class Job:
    """One file to capture, with a signature or with none."""

    file: str
    call: str = ""
    kernel: str = ""
    wide: bool = False
    """Whether integer arguments of 2**31 and more get cases of their own."""
    limit_s: float = SIGNATURE_LIMIT_S
    """Wall-clock seconds after which the capture of one signature leaves out what is not done."""


@dataclass(frozen=True, slots=True)
class Captured:
    """The programs that a job gave, or the reason why it gave none."""

    job: Job
    programs: tuple[Program, ...] = ()
    error: InputError | None = None
    seconds: tuple[tuple[str, float], ...] = ()


@dataclass(slots=True)
class _Running:
    """A capture process under way."""

    job: Job
    process: subprocess.Popen[bytes]
    reply: str
    errors: IO[bytes]
    deadline: float


@dataclass(slots=True)
class Captures:
    """Capture processes, at most `jobs` at a time; `close` ends those that run."""

    command: Sequence[str] = COMMAND
    jobs: int = 1
    limit_s: float = LIMIT_S
    _running: list[_Running] = field(default_factory=list)

    def run(self, jobs: Sequence[Job], told: Callable[[Captured], None] = lambda _: None) -> list[Captured]:
        """Capture all jobs; results in the order of the jobs. `told` hears of each as it ends."""
        done: dict[int, Captured] = {}
        waiting = list(enumerate(jobs))
        started: dict[int, _Running] = {}
        with tempfile.TemporaryDirectory(prefix="argus-") as folder:
            try:
                while len(done) < len(jobs):
                    while waiting and len(started) < self.jobs:
                        number, job = waiting.pop(0)
                        started[number] = self._start(job, os.path.join(folder, f"{number}.json"))
                    for number, running in list(started.items()):
                        if running.process.poll() is not None or time.monotonic() >= running.deadline:
                            del started[number]
                            done[number] = self._finish(running)
                            told(done[number])
                    if started:
                        time.sleep(0.01)
            finally:
                self.close()
        return [done[k] for k in range(len(jobs))]

    def close(self) -> None:
        """Kill what still runs."""
        for running in self._running:
            end(running.process)
            running.errors.close()
        self._running.clear()

    def _start(self, job: Job, reply: str) -> _Running:
        errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        process = subprocess.Popen(
            list(self.command),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
        running = _Running(job, process, reply, errors, time.monotonic() + self.limit_s)
        self._running.append(running)
        request = {"file": job.file, "call": job.call or None, "kernel": job.kernel or None, "wide": job.wide,
                   "limit_s": job.limit_s, "reply": reply}  # fmt: skip
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(request).encode())
            process.stdin.close()
        except BrokenPipeError:
            pass  # it died at once; its status tells why
        return running

    def _finish(self, running: _Running) -> Captured:
        status = running.process.poll()
        end(running.process)
        said = last_line(running.errors)
        running.errors.close()
        self._running.remove(running)
        job = running.job
        try:
            reply = json.loads(Path(running.reply).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return Captured(job, error=_no_reply(job, status, said, self.limit_s))
        return _read_reply(job, reply)


def _no_reply(job: Job, status: int | None, said: str, limit_s: float) -> InputError:
    if status is None:
        return InputError(f"loading and launching took longer than {limit_s:g} s and was ended", job.file, code="AR101")
    tail = f": {said}" if said else ""
    if status == 0 or status > 1 or not said:
        return InputError(f"the process that loads the file {ending(status)} without a reply{tail}", job.file)
    if status < 0:
        return InputError(f"the process that loads the file {ending(status)}{tail}", job.file, code="AR101")
    return InputError(f"the capture process failed{tail}", job.file, internal=True)


def _read_reply(job: Job, reply: dict[str, Any]) -> Captured:
    seconds = tuple((k.removesuffix("_s"), float(v)) for k, v in reply.items() if k.endswith("_s"))
    if not reply.get("ok"):
        return Captured(job, error=_refusal(job, reply.get("error") or {}), seconds=seconds)
    try:
        texts = [p if isinstance(p, str) else json.dumps(p) for p in reply["programs"]]
        programs = tuple(loads_program(text) for text in texts)
    except (KeyError, ValueError) as error:
        return Captured(job, error=InputError(f"the capture's reply does not read: {error}", job.file, internal=True))
    if not any(p.launches for p in programs):
        what = programs[0].launcher if programs else job.file
        none = InputError(f"`{what}` launches no kernel: there is nothing to check", job.file, code="AR102")
        return Captured(job, error=none, seconds=seconds)
    return Captured(job, programs, seconds=seconds)


def _refusal(job: Job, error: dict[str, Any]) -> InputError:
    file, line, column = error.get("file") or job.file, error.get("line") or 0, error.get("column") or 0
    place = file + (f":{line}" if line else "") + (f":{column}" if line and column else "")
    return InputError(
        str(error.get("message") or "the file was refused without a reason"),
        place,
        str(error.get("help") or ""),
        str(error.get("excerpt") or ""),
        str(error.get("code") or ""),
        bool(error.get("internal")),
    )
