"""Source lines with carets under a place, as compilers print them."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

ReadLines = Callable[[str], tuple[str, ...]]
"""Lines of a source file; () if it cannot be read."""


@lru_cache(maxsize=64)
def read_lines(file: str) -> tuple[str, ...]:
    """Lines of `file`, or () if it cannot be read."""
    try:
        return tuple(Path(file).read_text(encoding="utf-8", errors="replace").splitlines())
    except OSError:
        return ()


def shown_path(file: str, base: str = "") -> str:
    """`file` relative to `base` (the working directory) where it lies below it, else unchanged."""
    base = base or os.getcwd()
    absolute = os.path.abspath(file)
    return os.path.relpath(absolute, base) if absolute.startswith(base.rstrip(os.sep) + os.sep) else file


def excerpt(
    text: str, line: int, column: int = 0, end_line: int = 0, end_column: int = 0, label: str = ""
) -> tuple[str, str, str]:
    """(number, source, carets) of one line of source; columns count characters from 1.

    The carets go to the end of the line if the range ends on a later one; with no column they cover the statement.
    """
    expanded = text.expandtabs(4)
    indent = len(expanded) - len(expanded.lstrip())
    start = len(text[: column - 1].expandtabs(4)) if column else indent
    if column and end_line in (0, line) and end_column > column:
        stop = len(text[: end_column - 1].expandtabs(4))
    elif column and end_line <= line:
        stop = start + 1
    else:
        stop = len(_without_comment(expanded).rstrip())
    carets = " " * start + "^" * max(1, stop - start)
    return str(line), expanded.rstrip(), carets + (f" {label}" if label else "")


def _without_comment(line: str) -> str:
    """`line` up to a comment that holds no quote; a caret line need not be exact there."""
    head, mark, tail = line.rpartition("  #")
    return head if mark and head.strip() and not set(tail) & {"'", '"'} else line
