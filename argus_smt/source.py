"""Places in the user's source text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A range of source text; lines and columns are 1-based, `end_column` is exclusive.

    `end_line` and `end_column` are 0 where only the start is known.
    """

    file: str
    line: int
    column: int = 0
    end_line: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "")


NOWHERE = Span("", 0)
