"""The location table of a module: where each operation comes from, and what the user called its value."""

from __future__ import annotations

import re
from dataclasses import dataclass

from argus_smt.capture.ttir.text import close_of, end_of_string, split_list, unquote

_FILE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)(?: to .*)?$')
_LIBRARY = re.compile(r"[/\\]triton[/\\](?:language|experimental|runtime|tools)[/\\]")


@dataclass(frozen=True, slots=True)
class Location:
    """A place as Triton gives it (column base depends on its version), with the value's name; `line` 0 is unknown."""

    file: str = ""
    line: int = 0
    column: int = 0
    name: str = ""

    @property
    def in_library(self) -> bool:
        """Whether the place is inside Triton's own Python files."""
        return bool(_LIBRARY.search(self.file))


UNKNOWN = Location()


class LocationTable:
    """Resolves the text inside `loc(…)`; aliases are followed, results are kept."""

    def __init__(self, aliases: dict[str, str]) -> None:
        self._aliases = aliases
        self._known: dict[str, Location] = {}

    def resolve(self, text: str) -> Location:
        """Location of a text: alias, `"file":line:column`, name, call site (the callee), fusion (its first place)."""
        found = self._known.get(text)
        if found is None:
            self._known[text] = UNKNOWN  # a table that refers to itself ends here
            found = self._known[text] = self._resolve(text.strip())
        return found

    def _resolve(self, text: str) -> Location:
        if text.startswith("#"):
            return self.resolve(self._aliases.get(text[1:], "unknown"))
        place = _FILE.match(text)
        if place:
            return Location(unquote(place.group(1)), int(place.group(2)), int(place.group(3)))
        if text.startswith('"'):
            end = end_of_string(text, 0)
            inner = self.resolve(text[end + 2 : -1]) if text[end + 1 :].startswith("(") else UNKNOWN
            return Location(inner.file, inner.line, inner.column, unquote(text[: end + 1]))
        if text.startswith("callsite("):
            return self.resolve(text[len("callsite(") : -1].partition(" at ")[0])
        if text.startswith("fused"):
            start = text.index("[")
            places = [self.resolve(p) for p in split_list(text[start + 1 : close_of(text, start)])]
            return next((p for p in places if p.line), UNKNOWN)
        return UNKNOWN
