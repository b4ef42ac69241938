"""Errors of the Triton front end, each with the place in the user's source that it is about."""

from __future__ import annotations

from argus_smt.source import NOWHERE, Span


class CompileRefused(Exception):
    """Triton does not compile the kernel; `message` is one line with Triton's own reason, `span` is None if unknown."""

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(f"{span}: {message}" if span else message)
        self.message = message
        self.span = span


class Unsupported(Exception):
    """The kernel's IR is outside what can be imported; `message` is one line."""

    def __init__(self, message: str, span: Span = NOWHERE) -> None:
        super().__init__(f"{span}: {message}" if span.line else message)
        self.message = message
        self.span = span
