"""Triton's compile errors as one line with the user's place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from argus_smt.capture.ttir.errors import CompileRefused
from argus_smt.capture.ttir.locations import Location
from argus_smt.source import Span


def refusal(error: BaseException) -> CompileRefused:
    """What Triton says, at the innermost line of the user's that it was working on."""
    if isinstance(error, CompileRefused):
        return error
    chain = list(_chain(error))
    spans = [s for e in chain for s in _spans(e)]
    return CompileRefused(_message(chain[-1]), spans[-1] if spans else None)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and its causes; a wrapper that only repeats its context in its message gives way to it."""
    found: BaseException | None = error
    while found is not None:
        yield found
        context = found.__context__
        repeated = context is not None and getattr(found, "error_message", None) == repr(context)
        found = found.__cause__ or (context if repeated else None)


def _message(root: BaseException) -> str:
    """The root cause in one line."""
    text = getattr(root, "error_message", None) or ("" if hasattr(root, "error_message") else str(root))
    line = " ".join(str(text).split())
    if line == "error encountered during parsing":
        return "Triton's verifier rejects the kernel"
    return line or f"{type(root).__name__} in Triton's front end"


def _spans(error: BaseException) -> Iterator[Span]:
    """Places in the user's files that the code generator was at, outermost first."""
    trace = error.__traceback__
    while trace is not None:
        local = trace.tb_frame.f_locals
        generator, node = local.get("self"), local.get("node")
        if trace.tb_frame.f_code.co_name == "visit" and hasattr(generator, "jit_fn") and hasattr(node, "lineno"):
            span = _span(generator, node)
            if not Location(span.file).in_library:
                yield span
        trace = trace.tb_next


def _span(generator: Any, node: Any) -> Span:
    """A node's place in its file: Triton parses the function's text alone, without its indentation."""
    first = generator.jit_fn.raw_src[0]
    indent = len(first) - len(first.lstrip())
    offset = generator.begin_line
    end = (offset + node.end_lineno, indent + node.end_col_offset + 1) if node.end_lineno else (0, 0)
    if isinstance(getattr(node, "body", None), list):
        end = (0, 0)
    return Span(generator.file_name, offset + node.lineno, indent + node.col_offset + 1, *end)
