"""Long lists of a report laid out for people: wrapped to the width of a terminal, one thought a bullet."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

WIDTH = 118
"""Columns of a wrapped line."""


def listed(head: str, items: Sequence[str], indent: str = "  ", tail: str = "", separator: str = ", ") -> list[str]:
    """`head item, item, … tail`: on one line if it fits, else wrapped between items (and inside of long ones)."""
    whole = [*(f"{item}{separator.rstrip()}" for item in items[:-1]), *items[-1:]]
    words = [word for item in whole for word in (item.split(" ") if len(item) > WIDTH - 8 else [item])]
    lines = [indent + head]
    for i, word in enumerate(words + ([tail] if tail else [])):
        if i and len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append(indent + "    " + word)
        else:
            lines[-1] += " " + word
    return lines


def bullets(head: str, items: Iterable[str]) -> list[str]:
    """A heading with one bullet an item, each wrapped; nothing without items."""
    out = [head]
    for item in items:
        out += textwrap.wrap(
            item, WIDTH, initial_indent="  - ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
        ) or ["  -"]
    return out if len(out) > 1 else []
