"""A pool of prover processes that survives hung and dead workers: each case gets an answer, whatever happens to it."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import IO, Any

from argus_smt.prove.codec import dump_options, loads_result
from argus_smt.prove.finding import CaseResult, ProveOptions
from argus_smt.prove.processes import command, end, ending, environment, last_line

ENTRY = "argus_smt.prove.case:prove_case"
GRACE_S = 10.0
START_LIMIT_S = 120.0
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""A worker is one of many: the memory of idle threads would count against its limit."""


class PoolError(Exception):
    """Workers do not start: a fault of Argus or of its installation. The message is one line."""


@dataclass(frozen=True, slots=True)
class Task:
    """One case to decide: program key, launch index, case index."""

    program: int
    launch: int
    case: int


@dataclass(frozen=True, slots=True)
class Settings:
    """How the pool works. `hard_limit_s` is when a worker counts as hung; None: twice the case's budget and a grace."""

    options: ProveOptions = field(default_factory=ProveOptions)
    jobs: int = 1
    entry: str = ENTRY
    hard_limit_s: float | None = None
    memory_mb: int = 4096

    @property
    def limit_s(self) -> float:
        return self.options.timeout_s * 2 + GRACE_S if self.hard_limit_s is None else self.hard_limit_s


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a task. Without a result, `reason` says why; `fault` tells that Argus itself failed."""

    task: Task
    result: CaseResult | None
    reason: str = ""
    fault: bool = False


class _Worker:
    """One process with the task that it works on."""

    def __init__(self, settings: Settings) -> None:
        self.errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(
            command("argus_smt.prove.worker"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            start_new_session=True,
            env=environment(**dict.fromkeys(_THREADS, "1")),
        )
        self.ready = False
        self.task: Task | None = None
        self.program: int | None = None
        self.deadline = time.monotonic() + START_LIMIT_S
        self.buffer = b""
        self.send({"entry": settings.entry, "options": dump_options(settings.options), "memory_mb": settings.memory_mb})

    def send(self, data: Mapping[str, Any]) -> None:
        """Write one request; a worker that is already dead is found out by its closed pipe."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(data).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return

    @property
    def output(self) -> IO[bytes]:
        assert self.process.stdout is not None
        return self.process.stdout

    def lines(self) -> tuple[list[bytes], bool]:
        """(complete lines that have arrived, whether the pipe is closed)."""
        chunk = os.read(self.output.fileno(), 1 << 20)
        *lines, self.buffer = (self.buffer + chunk).split(b"\n")
        return lines, not chunk

    def end(self) -> None:
        end(self.process)
        self.errors.close()


class Pool:
    """Prover processes; a context manager. They start at once, so that their imports overlap with other work."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.peak_mb = 0.0
        self._selector = selectors.DefaultSelector()
        self._workers: list[_Worker] = []
        self._failed_starts = 0
        self.left = 0
        """Tasks without an answer."""
        self._programs: dict[int, str] = {}
        self._options: dict[int, ProveOptions] = {}
        self._waiting: deque[Task] = deque()
        try:
            for _ in range(settings.jobs):
                self._add()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: object, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Kill all workers."""
        while self._workers:
            self._remove(self._workers[-1])
        self._selector.close()

    def submit(self, program: int, text: str, tasks: Sequence[Task], options: ProveOptions | None = None) -> None:
        """Give tasks of a program; `options` are its own, None for those of the pool."""
        self._programs[program] = text
        if options is not None:
            self._options[program] = options
        self._waiting.extend(tasks)
        self.left += len(tasks)

    def poll(self, pause: float | None = None) -> Iterator[Answer]:
        """Answers that are there or come within `pause` seconds; None waits as long as it takes. Raises PoolError."""
        self._assign()
        for worker in self._wait(pause):
            for answer in self._read(worker):
                self.left -= 1
                yield answer
        for answer in self._hung():
            self.left -= 1
            yield answer
        while len(self._workers) < min(self.settings.jobs, self.left):
            self._add()
        self._assign()

    def run(self, programs: Mapping[int, str], tasks: Sequence[Task]) -> Iterator[Answer]:
        """Decide the tasks; yields one answer each, in the order in which they come. Raises PoolError."""
        for program, text in programs.items():
            self.submit(program, text, [t for t in tasks if t.program == program])
        while self.left:
            yield from self.poll()

    # ------------------------------------------------------------ inside

    def _add(self) -> None:
        worker = _Worker(self.settings)
        self._workers.append(worker)
        self._selector.register(worker.output, selectors.EVENT_READ, worker)

    def _remove(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        self._selector.unregister(worker.output)
        worker.end()

    def _assign(self) -> None:
        for worker in self._workers:
            if worker.ready and worker.task is None and self._waiting:
                task = self._waiting.popleft()
                if worker.program != task.program:
                    own = self._options.get(task.program, self.settings.options)
                    worker.send({"program": task.program, "text": self._programs[task.program], "options": dump_options(own)})
                    worker.program = task.program
                worker.task = task
                worker.deadline = time.monotonic() + self._limit_s(task)
                worker.send({"case": [task.program, task.launch, task.case]})

    def _limit_s(self, task: Task) -> float:
        own = self._options.get(task.program)
        return self.settings.limit_s if own is None else replace(self.settings, options=own).limit_s

    def _wait(self, most: float | None) -> list[_Worker]:
        busy = [w.deadline for w in self._workers if w.task is not None or not w.ready]
        pause = max(0.0, min(busy) - time.monotonic()) if busy else 1.0
        return [key.data for key, _ in self._selector.select(pause if most is None else min(pause, most))]

    def _read(self, worker: _Worker) -> Iterator[Answer]:
        lines, closed = worker.lines()
        for line in lines:
            yield from self._reply(worker, json.loads(line))
        if closed:
            yield from self._dead(worker)

    def _reply(self, worker: _Worker, data: dict[str, Any]) -> Iterator[Answer]:
        self.peak_mb = max(self.peak_mb, float(data.get("maxrss_mb", 0.0)))
        task, worker.task = worker.task, None
        if data.get("ready"):
            worker.ready, self._failed_starts = True, 0
        elif task is None:
            raise PoolError(str(data.get("fault", "a prover process answers out of turn")))
        elif "result" in data:
            yield Answer(task, loads_result(data["result"]))
        elif "memory" in data:
            yield Answer(task, None, f"the prover ran out of memory ({self.settings.memory_mb} MB)")
        else:
            yield Answer(task, None, str(data["fault"]), fault=True)

    def _dead(self, worker: _Worker) -> Iterator[Answer]:
        """The worker's pipe is closed: say what happened to its task."""
        status = worker.process.wait()
        said = last_line(worker.errors)
        task, started = worker.task, worker.ready
        self._remove(worker)
        if not started:
            self._start_failed(f"a prover process {ending(status)} while it started" + (f": {said}" if said else ""))
        elif task is not None:
            yield Answer(task, None, f"the prover process {ending(status)}" + (f": {said}" if said else ""))

    def _hung(self) -> Iterator[Answer]:
        now = time.monotonic()
        for worker in [w for w in self._workers if now >= w.deadline]:
            if worker.task is not None:
                task = worker.task
                self._remove(worker)
                yield Answer(task, None, f"the prover process hung and was ended after {self._limit_s(task):g} s")
            elif not worker.ready:
                self._remove(worker)
                self._start_failed(f"a prover process did not start within {START_LIMIT_S:g} s")

    def _start_failed(self, message: str) -> None:
        self._failed_starts += 1
        if self._failed_starts > 1:
            raise PoolError(message)
