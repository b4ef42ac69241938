"""One process that imports what is slow once, and a fork of it for every request: whatever user code does ends with its fork.

Lines in: requests, `{"id": number, "errors": path, …}`. Lines out: `{"ready": seconds}` once the imports are done,
`{"started": number, "pid": …}` and `{"ended": number, "status": …}` of each request, or `{"fault": message}` where the
imports fail. Forks are leaders of their own session, so that they can be ended with all that they start.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any, TextIO

PAUSE_S = 0.01


def serve(warm: Callable[[], None], handle: Callable[[dict[str, Any]], None]) -> int:
    """Answer requests until the input closes; then the forks that still run are ended.

    `warm` does the imports and must start no thread: threads do not live on in a fork. `handle` is called in the fork.
    """
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints must not land among the replies
    start = time.perf_counter()
    try:
        warm()
    except Exception as error:  # noqa: BLE001 - the reply is the only way to tell of it
        traceback.print_exc()
        _say(replies, {"fault": f"{type(error).__name__}: {' '.join(str(error).split())}"})
        return 1
    gc.collect()
    gc.freeze()  # a collection in a fork would touch, and so copy, every page
    _say(replies, {"ready": time.perf_counter() - start})
    running: dict[int, int] = {}
    buffer, closed = b"", False
    while not closed:
        if select.select([0], [], [], PAUSE_S if running else None)[0]:
            chunk = os.read(0, 1 << 16)
            closed = not chunk
            *lines, buffer = (buffer + chunk).split(b"\n")
            for line in lines:
                request = json.loads(line)
                pid = _fork(request, handle, replies)
                running[pid] = request["id"]
                _say(replies, {"started": request["id"], "pid": pid})
        _reap(running, replies)
    for pid in running:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
    return 0


def _reap(running: dict[int, int], replies: TextIO) -> None:
    for pid in list(running):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            _say(replies, {"ended": running.pop(pid), "status": os.waitstatus_to_exitcode(status)})


def _fork(request: dict[str, Any], handle: Callable[[dict[str, Any]], None], replies: TextIO) -> int:
    """Start the fork of a request; gives its process id."""
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        os.setsid()
        os.close(replies.fileno())
        nothing = os.open(os.devnull, os.O_RDONLY)
        said = os.open(request["errors"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        for source, target in ((nothing, 0), (said, 1), (said, 2)):
            os.dup2(source, target)
        handle(request)
        status = 0
    except BaseException:  # noqa: BLE001 - a fork never returns to the loop of its parent
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)  # threads that the user's module started must not keep the process alive


def _say(replies: TextIO, data: dict[str, Any]) -> None:
    replies.write(json.dumps(data) + "\n")
    replies.flush()
