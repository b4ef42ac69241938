"""`python -m argus_smt.capture`: one JSON request on standard input, one JSON reply to a file or standard output.

Request: `{"file": …, "call": text or null, "kernel": text or null, "launcher": name or null, "reply": path or null,
"wide": bool, "limit_s": seconds}`; `limit_s` bounds the capture of one signature, what is left then is said to be left.
Reply: `{"ok": true, "programs": [Program…], "imports_s": …, "capture_s": …}` or `{"ok": false, "error": {…}}`.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
import traceback
from typing import Any


def main() -> int:
    """Serve one request. What user code prints goes to standard error."""
    start = time.perf_counter()
    request = json.load(sys.stdin)
    real = os.dup(1)
    os.dup2(2, 1)
    reply = serve(request, start)
    if request.get("reply"):
        partial = f"{request['reply']}.part"
        with open(partial, "w", encoding="utf-8") as stream:
            json.dump(reply, stream)
        os.replace(partial, request["reply"])
    else:
        with os.fdopen(real, "w", encoding="utf-8") as stream:
            json.dump(reply, stream)
    with contextlib.suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(0)  # threads that the user's module started must not keep the process alive


def serve(request: dict[str, Any], start: float) -> dict[str, Any]:
    """The reply to a request; `start` is when the process began to work on it."""
    from argus_smt.capture.failure import CaptureError, SignatureError

    try:
        from argus_smt.capture.module import read_source

        read_source(request["file"])  # before the slow imports
        from argus_smt.capture.service import answer, warm_up

        warm_up()
        imported = time.perf_counter()
        programs = answer(request)
        done = time.perf_counter()
        return {"ok": True, "programs": programs, "imports_s": imported - start, "capture_s": done - imported}
    except SignatureError as error:
        return _refused(request, message=error.message, excerpt=error.excerpt, code="AR104")
    except CaptureError as error:
        s = error.span
        return _refused(
            request, message=error.message, file=s.file or request.get("file"), line=s.line, column=s.column,
            help=error.help, excerpt=error.excerpt, code=error.code,
        )  # fmt: skip
    except Exception as error:  # noqa: BLE001 - the reply is the only way to tell of it
        traceback.print_exc()
        return _refused(request, message=f"internal error: {type(error).__name__}: {error}", internal=True)


def _refused(request: dict[str, Any], **error: Any) -> dict[str, Any]:
    full = {"message": "", "file": request.get("file"), "line": 0, "column": 0, "help": "", "excerpt": ""} | error
    full["message"] = " ".join(str(full["message"]).split())
    return {"ok": False, "error": full}


if __name__ == "__main__":
    sys.exit(main())
