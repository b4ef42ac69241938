"""The decorator `@argus.launch("x: f32[M, K]")` that states a launcher's signature beside it; it changes nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

ATTRIBUTE = "__argus_launch__"
declared: list[tuple[Callable[..., Any], str]] = []
"""Functions decorated so far with their signatures, in order."""

_CLAUSE = re.compile(r"\s(?:(?:where|helper|defined)\s|grid\s*\()")


def launch(text: str) -> Callable[[Function], Function]:
    """State the signature of a launcher.

    `text` is the argument list with any clauses after it, `"x: f32[M, K], y: f32[M] where M % 4 == 0"`, or the whole
    signature with the function's name. The function comes back unchanged.
    """

    def mark(function: Function) -> Function:
        signature = full_signature(text, getattr(function, "__name__", ""))
        setattr(function, ATTRIBUTE, signature)
        declared.append((function, signature))
        return function

    return mark


def full_signature(text: str, name: str) -> str:
    """`name(arguments) clauses` from the arguments with their clauses, or from the whole signature."""
    text = " ".join(text.split())
    if re.match(rf"{re.escape(name)}\s*\(", text):
        return text
    clause = _CLAUSE.search(text)
    if clause is None:
        return f"{name}({text})"
    return f"{name}({text[: clause.start()]}){text[clause.start() :]}"
