"""How capture says no: errors of the user's input, and the end of one path that nothing can be said about."""

from __future__ import annotations

from argus_smt.source import NOWHERE, Span


class CaptureError(Exception):
    """Input that Argus cannot work on.

    `message` is one line; `help` says what to do; `excerpt` shows the place; `code` is the front-end code it belongs to.
    """

    def __init__(self, message: str, span: Span = NOWHERE, help: str = "", excerpt: str = "", code: str = "AR104") -> None:
        super().__init__(message)
        self.message, self.span, self.help, self.excerpt = " ".join(message.split()), span, help, excerpt
        self.code = code


class SignatureError(Exception):
    """A signature that does not parse or does not hold together; `position` is an offset into `text`."""

    def __init__(self, message: str, text: str, position: int) -> None:
        super().__init__(message)
        self.message, self.text, self.position = message, text, max(0, min(position, len(text)))

    @property
    def excerpt(self) -> str:
        """The line of the place, and a caret under it."""
        start = self.text.rfind("\n", 0, self.position) + 1
        end = self.text.find("\n", self.position)
        line = self.text[start : len(self.text) if end < 0 else end]
        return f"{line}\n{' ' * (self.position - start)}^"

    def __str__(self) -> str:
        return f"{self.message}\n{self.excerpt}"


class PathEnd(BaseException):
    """Leaves a run of the launcher. Not an Exception: `except Exception` in user code must not swallow it."""

    def __init__(self, reason: str, span: Span = NOWHERE, kind: str = "unknown") -> None:
        super().__init__(reason)
        self.reason, self.span, self.kind = reason, span, kind
