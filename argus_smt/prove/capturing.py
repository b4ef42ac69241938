"""Captures files: one process imports torch and Triton, and forks for each file and signature; user code ends with its fork."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from argus_smt.ir.launch import Program
from argus_smt.ir.serialise import loads_program
from argus_smt.prove.finding import ProveOptions
from argus_smt.prove.processes import command, end, ending, last_line

LIMIT_S = 300.0
"""Wall-clock seconds after which the process of a file is ended."""
SIGNATURE_LIMIT_S = 60.0
START_LIMIT_S = 180.0
IDLE_S = 0.02
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
    but: tuple[str, ...] = ()
    """Launchers whose own signatures in the file do not count."""
    place: str = ""
    """Where the signature is written, if that is a file: `argus.toml:7`."""
    prove: ProveOptions | None = None
    """How its programs are proved; None for as the session says."""
    assume: tuple[str, ...] = ()
    """Preconditions for the programs that have all of their names."""
    propose: bool = False
    """Whether signatures are to be proposed, and nothing captured."""
    launcher: str = ""
    """The only launcher that counts, if any is named."""


@dataclass(frozen=True, slots=True)
class Captured:
    """The programs that a job gave, and the reasons for what it did not give."""

    job: Job
    programs: tuple[Program, ...] = ()
    errors: tuple[InputError, ...] = ()
    seconds: tuple[tuple[str, float], ...] = ()
    proposals: tuple[dict[str, Any], ...] = ()

    @property
    def error(self) -> InputError | None:
        """The first reason."""
        return self.errors[0] if self.errors else None


@dataclass(slots=True)
class _Running:
    """A job in its fork; `pid` is known once the fork has started."""

    number: int
    job: Job
    reply: str
    errors: str
    deadline: float
    pid: int = 0


@dataclass(slots=True)
class Captures:
    """Captures, at most `jobs` at a time."""

    command: Sequence[str] = COMMAND
    jobs: int = 1
    limit_s: float = LIMIT_S
    start_limit_s: float = START_LIMIT_S
    room: Callable[[int], bool] = lambda running: True
    """Whether another capture may start beside those that run."""
    imports_s: float = 0.0
    """Seconds that the last process needed for its imports."""

    def run(
        self, jobs: Sequence[Job], told: Callable[[Captured], None] = lambda _: None, idle: Callable[[], None] | None = None
    ) -> list[Captured]:
        """Capture all jobs; results in the order of the jobs. `told` hears of each as it ends.

        `idle`, if given, is called again and again while nothing happens.
        """
        done: dict[int, Captured] = {}
        waiting = deque(enumerate(jobs))
        suspects: deque[tuple[int, Job]] = deque()
        with tempfile.TemporaryDirectory(prefix="argus-") as folder:
            while waiting or suspects:
                alone = not waiting
                batch = deque([suspects.popleft()]) if alone else waiting
                with _Server(self, folder) as server:
                    for number, captured in server.serve(batch, idle):
                        done[number] = captured
                        told(captured)
                # the process that forks may be gone: what it lost is tried once more, each in a process of its own
                lost = [(r.number, r.job) for r in server.running.values()] + (list(batch) if server.fault else [])
                if not (alone or server.fault):
                    suspects.extend(lost)
                    continue
                batch.clear()
                for number, job in lost:
                    done[number] = Captured(job, errors=(server.died(job),))
                    told(done[number])
        return [done[k] for k in range(len(jobs))]


class _Server:
    """The process that forks, with what runs in it; a context manager that ends both."""

    def __init__(self, captures: Captures, folder: str) -> None:
        self.captures, self.folder = captures, folder
        self.running: dict[int, _Running] = {}
        self.fault = ""
        self.ready = False
        self.buffer = b""
        self.imports_s = 0.0
        self.errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(
            list(captures.command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            start_new_session=True,
        )
        self.start = time.monotonic()

    def __enter__(self) -> _Server:
        return self

    def __exit__(self, *_: object) -> None:
        for running in self.running.values():
            _kill(running.pid)
        end(self.process)
        self.errors.close()

    @property
    def output(self) -> IO[bytes]:
        assert self.process.stdout is not None
        return self.process.stdout

    def serve(self, waiting: deque[tuple[int, Job]], idle: Callable[[], None] | None) -> Iterator[tuple[int, Captured]]:
        """Results as they come, until nothing waits or runs, or the process is gone (then `fault` may say why)."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.output, selectors.EVENT_READ)
            while waiting or self.running:
                while self.ready and waiting and self._room():
                    self._send(*waiting.popleft())
                limits = [r.deadline for r in self.running.values()]
                limits += [] if self.ready else [self.start + self.captures.start_limit_s]
                pause = max(0.0, min(limits) - time.monotonic())
                if idle is not None:
                    idle()
                    pause = min(pause, IDLE_S)
                if selector.select(pause):
                    lines, closed = self._lines()
                    for line in lines:
                        yield from self._hear(json.loads(line))
                    if closed:
                        self._gone()
                        return
                yield from self._hung()
                if not self.ready and time.monotonic() >= self.start + self.captures.start_limit_s:
                    self.fault = f"torch and Triton were not imported within {self.captures.start_limit_s:g} s"
                    return

    def _room(self) -> bool:
        running = len(self.running)
        return running < self.captures.jobs and (not running or self.captures.room(running))

    def _send(self, number: int, job: Job) -> None:
        base = os.path.join(self.folder, str(number))
        running = _Running(number, job, f"{base}.json", f"{base}.err", time.monotonic() + self.captures.limit_s)
        self.running[number] = running
        request = {"id": number, "file": job.file, "call": job.call or None, "kernel": job.kernel or None, "wide": job.wide,
                   "limit_s": job.limit_s, "but": job.but, "propose": job.propose,
                   "launcher": job.launcher or None, "reply": running.reply, "errors": running.errors}  # fmt: skip
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):  # its end is seen in its output
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()

    def _lines(self) -> tuple[list[bytes], bool]:
        chunk = os.read(self.output.fileno(), 1 << 16)
        *lines, self.buffer = (self.buffer + chunk).split(b"\n")
        return lines, not chunk

    def _hear(self, data: dict[str, Any]) -> Iterator[tuple[int, Captured]]:
        if "ready" in data:
            self.ready = True
            self.imports_s = self.captures.imports_s = float(data["ready"])
        elif "fault" in data:
            self.fault = str(data["fault"])
        elif "started" in data and data["started"] in self.running:
            self.running[data["started"]].pid = int(data["pid"])
        elif "ended" in data and data["ended"] in self.running:
            yield self._finish(self.running.pop(data["ended"]), int(data["status"]))

    def _hung(self) -> Iterator[tuple[int, Captured]]:
        now = time.monotonic()
        for running in [r for r in self.running.values() if now >= r.deadline and r.pid]:
            _kill(running.pid)
            yield self._finish(self.running.pop(running.number), None)

    def _finish(self, running: _Running, status: int | None) -> tuple[int, Captured]:
        _kill(running.pid)  # what user code has started
        with suppress(OSError), open(running.errors, "rb") as stream:
            said = last_line(stream)
        job, seconds = running.job, (("imports", self.imports_s),) if self.imports_s else ()
        self.imports_s = 0.0
        try:
            reply = json.loads(Path(running.reply).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return running.number, Captured(job, errors=(_no_reply(job, status, said, self.captures.limit_s),), seconds=seconds)
        captured = _read_reply(job, reply)
        return running.number, replace(captured, seconds=(*seconds, *captured.seconds))

    def _gone(self) -> None:
        status = self.process.wait()
        said = last_line(self.errors)
        if not self.ready:
            self.fault = self.fault or f"it {ending(status)} while it started" + (f": {said}" if said else "")

    def died(self, job: Job) -> InputError:
        """What is said of a job that the process was lost with."""
        if self.fault:
            return InputError(f"the capture process failed: {self.fault}", job.file, internal=True)
        return InputError("the process that loads the files was ended twice", job.file, code="AR101")


def _kill(pid: int) -> None:
    """End a fork with all that it started; it leads a session of its own."""
    if pid:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)


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
        return Captured(job, errors=(_refusal(job, reply.get("error") or {}),), seconds=seconds)
    if job.propose:
        return Captured(job, proposals=tuple(reply.get("proposals") or ()), seconds=seconds)
    errors = [_refusal(job, e) for e in reply.get("errors") or ()]
    try:
        texts = [p if isinstance(p, str) else json.dumps(p) for p in reply["programs"]]
        programs = tuple(loads_program(text) for text in texts)
    except (KeyError, ValueError) as error:
        unread = InputError(f"the capture's reply does not read: {error}", job.file, internal=True)
        return Captured(job, errors=(unread,))
    for p in programs:
        if not p.launches:
            errors.append(InputError(f"`{p.launcher}` launches no kernel: there is nothing to check", job.file, code="AR102"))
    if not programs and not errors:
        errors.append(InputError("the file launches no kernel: there is nothing to check", job.file, code="AR102"))
    return Captured(job, tuple(p for p in programs if p.launches), tuple(errors), seconds)


def _refusal(job: Job, error: dict[str, Any]) -> InputError:
    file, line, column = error.get("file") or job.file, error.get("line") or 0, error.get("column") or 0
    place = file + (f":{line}" if line else "") + (f":{column}" if line and column else "")
    return InputError(
        str(error.get("message") or "the file was refused without a reason"),
        job.place if job.place and not line else place,
        str(error.get("help") or ""),
        str(error.get("excerpt") or ""),
        str(error.get("code") or ""),
        bool(error.get("internal")),
    )
