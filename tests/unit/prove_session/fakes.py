"""A prover and a capture process that do what the test tells them to: the case's label, the call, says what."""

from __future__ import annotations

import json
import os
import signal
import sys
import time

from argus_smt.capture.zygote import serve
from argus_smt.ir.launch import Program
from argus_smt.ir.serialise import dumps_program
from argus_smt.prove.finding import CaseResult, ProveOptions, Verdict
from tests.unit.prove_session.programs import finding, launch, program, refuted, result

ENTRY = "tests.unit.prove_session.fakes:prove_case"


def prove_case(program: Program, launch: int, case: int, options: ProveOptions) -> CaseResult:
    """What a prover would say, or how it would break."""
    label = program.launches[launch].cases[case].label
    match label.split()[0]:
        case "hang":
            time.sleep(600)
        case "segfault":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "abort":
            sys.stderr.write("solver: assertion violation\n")
            sys.stderr.flush()
            os._exit(3)
        case "raise":
            raise KeyError("no such operation")
        case "memory":
            raise MemoryError
        case "print":
            print("this must not reach the pipe")
        case "interrupt":
            time.sleep(1.0)  # the other cases are decided by then
            os.kill(os.getppid(), signal.SIGINT)
            time.sleep(600)
        case "refute":
            return result(refuted(), launch=launch, case=case, label=label)
        case "unknown":
            unknown = finding(verdict=Verdict.UNKNOWN, reason="time-out", reason_code="AR902")
            return result(unknown, launch=launch, case=case, label=label)
    return result(finding(), launch=launch, case=case, label=label)


def capture(request: dict[str, str]) -> None:
    """What a capture process would reply; the call holds the labels of the cases, or how it breaks."""
    call = request["call"] or ""
    match call.split()[0]:
        case "segfault":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "exit":
            os._exit(7)
        case "quit":
            os._exit(0)
        case "murder":
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(600)
        case "hang":
            time.sleep(600)
        case "broken":
            raise RuntimeError("capture is broken")
        case "garbage":
            reply(request, "{")
        case "nothing":
            reply(request, json.dumps({"ok": True, "programs": [dumps_program(program())]}))
        case "refuse":
            error = {
                "message": "the launcher\nraises ValueError",
                "file": request["file"],
                "line": 3,
                "column": 5,
                "help": "give other sizes",
                "excerpt": "f(x)\n  ^",
                "code": "AR105",
            }
            reply(request, json.dumps({"ok": False, "error": error}))
        case _:
            print("user code prints")
            text = dumps_program(program(launch(*call.split(";"))))
            answer = {"ok": True, "programs": [json.loads(text)], "capture_s": 0.25}
            reply(request, json.dumps(answer))


def reply(request: dict[str, str], text: str) -> None:
    with open(request["reply"], "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    sys.exit(serve(lambda: time.sleep(0.01), capture))
