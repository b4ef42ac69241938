"""Whether what the runs of a launcher came to is worth proving; else the one line that says why not."""

from __future__ import annotations

from argus_smt.capture.explore import Exploration
from argus_smt.capture.failure import CaptureError
from argus_smt.capture.module import Loader
from argus_smt.capture.signature import Signature

_PIN_HELP = "state a value for it in the signature, or give the host function that needs it a `helper` contract"


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
        raise CaptureError(f"{first.reason}{every}", first.span, excerpt=_line(loader, first.span.line), code="AR105")
    raise CaptureError(f"`{signature.name}` never launches a kernel", code="AR102")


def _line(loader: Loader, number: int) -> str:
    lines = loader.text.splitlines()
    return lines[number - 1] if 0 < number <= len(lines) else ""
