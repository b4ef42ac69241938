"""Whether what the runs of a launcher came to is worth proving; else the one line that says why not."""

from __future__ import annotations

import ast

from argus_smt.capture.domain import Domain
from argus_smt.capture.explore import Exploration
from argus_smt.capture.failure import CaptureError, SignatureError
from argus_smt.capture.module import Loader
from argus_smt.capture.run import Outcome
from argus_smt.capture.signature import Signature
from argus_smt.ir.launch import Program
from argus_smt.smt.ask import Session
from argus_smt.source import Span

_PIN_HELP = "state a value for it in the signature, or give the host function that needs it a `helper` contract"


def check_domain(domain: Domain, session: Session) -> None:
    """Raise SignatureError where no sizes meet the preconditions."""
    signature = domain.signature
    for s in domain.symbols:
        if s.lower is not None and s.upper is not None and s.lower > s.upper:
            raise SignatureError(f"no value of `{s.name}` is allowed", signature.text, _position(signature, s.name))
    if session.possible(domain.hypotheses) is False:
        position = signature.where[-1].position if signature.where else len(signature.text)
        raise SignatureError("the preconditions contradict each other: no sizes meet them", signature.text, position)


def _position(signature: Signature, name: str) -> int:
    found = signature.argument(name)
    return found.position if found is not None else signature.where[-1].position if signature.where else 0


def check_compiled(program: Program) -> None:
    """Raise CaptureError where Triton refuses every kernel of every launch, and nothing else is left out."""
    refusals = [(launch, r) for launch in program.launches for r in launch.refusals]
    others = any(launch.cases for launch in program.launches) or any(not n.rejected for n in program.not_covered)
    if refusals and not others:
        launch, r = refusals[0]
        what = f" with {r.label}" if r.label else ""
        raise CaptureError(f"Triton refuses `{launch.kernel}`{what}: {r.message}", launch.span, code="AR107")


def check_outcomes(found: Exploration, signature: Signature, loader: Loader) -> None:
    """Raise CaptureError unless some path launches without a size having been turned into a number."""
    outcomes = found.outcomes
    launching = [o for o in outcomes if o.kind == "launches"]
    pins = [o for o in outcomes if o.kind == "pin"]
    free = [o for o in launching if all(d.kind != "pin" for d in o.decisions)]
    if pins and not free:
        raise CaptureError(pins[0].reason, pins[0].span, _PIN_HELP, _line(loader, pins[0].span.line), "AR106")
    if launching:
        return
    failing = [o for o in outcomes if o.kind in ("rejects", "unknown")]
    if failing:
        first = failing[0]
        every = "" if len(failing) == 1 else " on every path"
        excerpt = _line(loader, first.span.line)
        raise CaptureError(f"{first.reason}{every}", first.span, _advice(first, loader, signature), excerpt, "AR105")
    line = next((n.lineno for n in _functions(loader) if n.name == signature.name), 1)
    help_ = "it returns before any launch: state values of the arguments that it decides by, as in `flag: bool = True`"
    raise CaptureError(f"`{signature.name}` never launches a kernel", Span(loader.path, line), help_, code="AR102")


def _advice(failing: Outcome, loader: Loader, signature: Signature) -> str:
    """What to write next where no path of the launcher gets to a launch."""
    if failing.kind == "rejects":
        return (
            "the launcher refuses every call that the signature allows: state types, sizes or conditions that it takes, "
            "as in `where K % 16 == 0`"
        )
    if "did not end within" in failing.reason:
        return "give sizes numbers, as in `x: f16[M, 128]`, or give the slow host function a `helper` contract"
    inside = [n for n in _functions(loader) if n.lineno <= failing.span.line <= (n.end_lineno or n.lineno)]
    name = inside[-1].name if inside and inside[-1].name != signature.name else ""
    what = f"`helper {name}(…) -> int in [1, 8]`" if name else "`helper NAME(…) -> int in [1, 8]`"
    return (
        f"if this is host code that reads data or asks the machine, state what it returns: {what}; "
        "else state the value that it needs, as in `n: int = 4`"
    )


def _functions(loader: Loader) -> list[ast.FunctionDef]:
    return [n for n in ast.walk(ast.parse(loader.text)) if isinstance(n, ast.FunctionDef)]


def _line(loader: Loader, number: int) -> str:
    lines = loader.text.splitlines()
    return lines[number - 1] if 0 < number <= len(lines) else ""
