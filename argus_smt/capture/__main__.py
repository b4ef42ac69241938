"""`python -m argus_smt.capture`: answers capture requests, one JSON line each, in forks of one process (`zygote.py`).

Request: `{"id": number, "file": …, "call": text or null, "kernel": text or null, "launcher": name or null, "but": [names],
"reply": path, "errors": path, "wide": bool, "limit_s": seconds}`; `limit_s` bounds the capture of one signature, what is left
then is said to be left. `but` are launchers whose own signatures do not count. With `"propose": true`, proposals of
signatures are wanted instead.
Reply, a file: `{"ok": true, "programs": [Program…], "errors": [error…], "capture_s": …}` or `{"ok": false, "error": {…}}`.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from argus_smt.capture.failure import CaptureError, SignatureError
from argus_smt.capture.zygote import serve

RECORDING_BYTES = 4 << 30
"""Memory for the tests and benchmarks of a file whose calls are recorded."""


def warm() -> None:
    """The slow imports, and a first use of what torch and Triton load lazily."""
    from argus_smt.capture.service import warm_up

    warm_up()


def handle(request: dict[str, Any]) -> None:
    """Write the reply to a request. What user code prints goes to the file of errors."""
    reply = answer(request)
    partial = f"{request['reply']}.part"
    with open(partial, "w", encoding="utf-8") as stream:
        json.dump(reply, stream)
    os.replace(partial, request["reply"])


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The reply to a request."""
    from argus_smt.capture.service import programs_of, proposals_of

    start = time.perf_counter()
    try:
        if request.get("propose"):
            _limit_memory()
            return {"ok": True, "programs": [], "proposals": proposals_of(request)}
        programs, errors = programs_of(request)
    except (SignatureError, CaptureError) as error:
        return {"ok": False, "error": refusal(request, error)}
    except Exception as error:  # noqa: BLE001 - the reply is the only way to tell of it
        traceback.print_exc()
        return {"ok": False, "error": refusal(request, error)}
    told = [refusal(request, error) for error in errors]
    return {"ok": True, "programs": programs, "errors": told, "capture_s": time.perf_counter() - start}


def _limit_memory() -> None:
    """Benchmarks of a file that ask for more than there is must fail, and not end the process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) if os.path.exists("/proc/self/statm") else 0
    limit = pages * resource.getpagesize() + RECORDING_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def refusal(request: dict[str, Any], error: Exception) -> dict[str, Any]:
    """An error as the reply tells it."""
    out = {"message": "", "file": request.get("file"), "line": 0, "column": 0, "help": "", "excerpt": ""}
    match error:
        case SignatureError():
            out |= {"message": error.message, "excerpt": error.excerpt, "code": "AR104"}
        case CaptureError():
            s = error.span
            out |= {"message": error.message, "help": error.help, "excerpt": error.excerpt, "code": error.code}
            out |= {"file": s.file or request.get("file"), "line": s.line, "column": s.column}
        case _:
            out |= {"message": f"internal error: {type(error).__name__}: {error}", "internal": True}
    out["message"] = " ".join(str(out["message"]).split())
    return out


if __name__ == "__main__":
    sys.exit(serve(warm, handle))
