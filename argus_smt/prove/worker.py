"""A prover worker process: reads cases as JSON lines, answers each with its result; run by the pool as a module.

First line in: `{"entry": "module:function", "options": {…}}`. Then `{"program": key, "text": …, "options": {…}}` gives a
program, and `{"case": [key, launch, case]}` asks for a verdict. Lines out: `{"ready": true}` once, then per case
`{"result": text, "maxrss_mb": …}` or `{"fault": message, "maxrss_mb": …}`.
"""

from __future__ import annotations

import importlib
import json
import os
import queue
import resource
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from argus_smt.ir.launch import Program
from argus_smt.ir.serialise import loads_program
from argus_smt.prove.codec import dumps_result, load_options
from argus_smt.prove.finding import CaseResult, ProveOptions

Prove = Callable[[Program, int, int, ProveOptions], CaseResult]


def load_entry(entry: str) -> Prove:
    """The function that `module:function` names."""
    module, _, name = entry.partition(":")
    prove: Prove = getattr(importlib.import_module(module), name)
    return prove


def main() -> int:
    """Serve until the pipe closes."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints must not land among the replies
    lines = _requests()
    first = lines.get()
    if first is None:
        return 0
    head = json.loads(first)
    _limit_memory(int(head.get("memory_mb", 0)))
    try:
        prove = load_entry(head["entry"])
    except Exception as error:  # noqa: BLE001 - whatever it is, the pool must hear of it
        _send(replies, {"fault": f"the prover does not load: {_one_line(error)}"})
        return 1
    _send(replies, {"ready": True})
    _serve(lines, replies, prove, load_options(head["options"]))
    return 0


def _requests() -> queue.Queue[str | None]:
    """Lines of the standard input, read in the background: the process ends with its parent, busy or not."""
    lines: queue.Queue[str | None] = queue.Queue()

    def read() -> None:
        for line in sys.stdin:
            lines.put(line)
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    return lines


def _serve(lines: queue.Queue[str | None], replies: TextIO, prove: Prove, options: ProveOptions) -> None:
    programs: dict[int, Program] = {}
    while (line := lines.get()) is not None:
        request = json.loads(line)
        if "text" in request:
            programs = {request["program"]: loads_program(request["text"])}
            options = load_options(request["options"]) if "options" in request else options
            continue
        key, launch, case = request["case"]
        try:
            answer: dict[str, Any] = {"result": dumps_result(prove(programs[key], launch, case, options))}
        except MemoryError:
            answer = {"memory": True}
        except Exception as error:  # noqa: BLE001 - one case must not end the worker
            answer = {"fault": _one_line(error)}
        _send(replies, answer)


def _one_line(error: Exception) -> str:
    """The error and the innermost place in Argus, on one line."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "argus_smt" in f.filename]
    at = f" ({frames[-1].filename.rpartition('argus_smt')[2].lstrip(os.sep)}:{frames[-1].lineno})" if frames else ""
    message = str(error).splitlines()[0] if str(error) else ""
    return f"{type(error).__name__}: {message}{at}" if message else f"{type(error).__name__}{at}"


def peak_mb() -> float:
    """Most memory that this process has held, in MiB.

    The kernel's own figure of the process image is taken where there is one: `getrusage` counts from the fork on, and so
    starts with what the parent held.
    """
    try:
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    except (OSError, ValueError, IndexError):
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _send(replies: TextIO, data: dict[str, Any]) -> None:
    data["maxrss_mb"] = peak_mb()
    replies.write(json.dumps(data) + "\n")
    replies.flush()


def _limit_memory(megabytes: int) -> None:
    if megabytes:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


if __name__ == "__main__":
    sys.exit(main())
