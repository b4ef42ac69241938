"""Child processes of Argus: how they start, how they are ended, and their end in words."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

_ROOT = str(Path(__file__).resolve().parents[2])


def command(module: str) -> list[str]:
    """Command line that runs `module` of Argus.

    The working directory is not on the child's path: a user's `queue.py` must not replace the standard library's.
    """
    code = (
        "import sys; sys.path[:] = [p for p in sys.path if p]; "
        f"sys.path += [] if {_ROOT!r} in sys.path else [{_ROOT!r}]; "
        f"import runpy; runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
    )
    return [sys.executable, "-c", code]


def environment(**more: str) -> dict[str, str]:
    """What children are started with: sets of names are walked in one order in every run, so that verdicts do not vary."""
    return {**os.environ, "PYTHONHASHSEED": "0", **more}


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process with all that it started, and wait for it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()


def ending(status: int) -> str:
    """The exit status of a child in words."""
    if status >= 0:
        return f"ended with status {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    words = {"SIGSEGV": "crashed (segmentation fault)", "SIGABRT": "aborted", "SIGFPE": "crashed (arithmetic fault)"}
    if name == "SIGKILL":
        return "was killed (SIGKILL; out of memory?)"
    return words.get(name, f"was ended by {name}")


def last_line(stream: IO[bytes]) -> str:
    """Last non-empty line that a child wrote to the file `stream`, at most 300 characters; empty if there is none."""
    stream.seek(0, os.SEEK_END)
    stream.seek(max(0, stream.tell() - 4096))
    lines = [line.strip() for line in stream.read().decode("utf-8", "replace").splitlines()]
    return next((line[:300] for line in reversed(lines) if line), "")
