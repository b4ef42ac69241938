"""The command `argus`: `main(argv, stdout, stderr)` runs one command and gives its exit code."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from typing import TextIO

from argus_smt.cli.arguments import Exit, UsageError, parse

INTERNAL = 4


def main(argv: Sequence[str] | None = None, stdout: TextIO | None = None, stderr: TextIO | None = None) -> int:
    """Run one command. Findings go to `stdout`, breakage to `stderr`; nothing is raised.

    0 everything proved, 1 an error refuted, 2 bad usage or input, 3 undecided, 4 a fault of Argus itself.
    """
    out, err = stdout or sys.stdout, stderr or sys.stderr
    try:
        args = parse(sys.argv[1:] if argv is None else list(argv), out)
        code = args.run(args, out, err)
        out.flush()
        return int(code)
    except Exit as done:
        return done.code
    except UsageError as error:
        err.write(f"argus: {error}\n")
        return 2
    except KeyboardInterrupt:
        err.write("argus: interrupted\n")
        return 3
    except BrokenPipeError:
        # the reader has gone; the interpreter must not complain again while it flushes at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except Exception as error:  # noqa: BLE001 - the last resort: a fault is one line and code 4
        err.write(f"argus: fault of Argus itself: {_one_line(error)}\n")
        return INTERNAL


def entry() -> None:
    """The console script; a request to terminate ends the run as Ctrl-C does, with its processes."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main())


def _one_line(error: Exception) -> str:
    """The error with the innermost place in Argus; the whole trace if ARGUS_TRACE is set."""
    import traceback

    if os.environ.get("ARGUS_TRACE"):
        return "".join(traceback.format_exception(error)).rstrip()
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "argus_smt" in f.filename]
    at = f" at {frames[-1].filename.rpartition('argus_smt')[2].lstrip(os.sep)}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())}{at} (ARGUS_TRACE=1 shows the trace)"
