"""One statement in the form that its lowering needs: operands as values, keywords, attributes and types."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from argus_smt.capture.ttir.placement import Place
from argus_smt.capture.ttir.text import cut_dictionaries, dictionary, unquote
from argus_smt.capture.ttir.type_text import parse_type, result_texts, type_list
from argus_smt.ir.ops import Block, Op, Value
from argus_smt.ir.types import Type
from argus_smt.source import Span

_TOKEN = re.compile(
    r"\s*(?:(?P<ssa>%[\w$.-]+(?:#\d+)?)|(?P<text>\"(?:[^\"\\]|\\.)*\")|(?P<word>[\w.+#$-]+(?:<[^<>]*>)?)|(?P<mark>[=:()\[\]])|,)"
)


@dataclass(frozen=True, slots=True)
class Parts:
    """A statement's text taken apart: SSA operands, other words joined by blanks, strings, attributes, types."""

    operands: tuple[str, ...]
    words: str
    strings: tuple[str, ...]
    attrs: dict[str, str] = field(hash=False)
    types: str


@lru_cache(maxsize=4096)
def take_apart(text: str) -> Parts | None:
    """The parts of `operands {attributes} : types`; None where something in it has another form."""
    rest, entries = cut_dictionaries(text)
    head, found, types = _cut_types(rest)
    operands, words, strings = [], [], []
    at, end = 0, len(head.rstrip())
    while at < end:
        token = _TOKEN.match(head, at)
        if token is None:
            return None
        at = token.end()
        match token.lastgroup:
            case "ssa":
                operands.append(token["ssa"])
            case "text":
                strings.append(unquote(token["text"]))
            case "word" | "mark":
                words.append(token[token.lastgroup])
    return Parts(tuple(operands), " ".join(words), tuple(strings), dictionary(entries), types if found else "")


def _cut_types(text: str) -> tuple[str, bool, str]:
    """Cut at the last ` : ` that is outside strings; an operation without operands may have but ` -> ` and a type."""
    at = text.rfind(" : ")
    if at < 0 and text.startswith(": "):
        return "", True, text[2:].strip()
    if at < 0 and " -> " in text and text.rindex(" -> ") > text.rfind('"'):
        head, _, types = text.rpartition(" -> ")
        return head, True, types.strip()
    if at < 0 or text.count('"', at) % 2:
        return text, False, ""
    return text[:at], True, text[at + 3 :].strip()


@dataclass(frozen=True, slots=True)
class Site:
    """What a lowering sees of a statement; `fresh` makes a value of a type and a name."""

    op: str
    parts: Parts
    operands: tuple[Value, ...]
    place: Place
    fresh: Callable[[Type, str], Value]
    regions: tuple[Block, ...] = ()

    @property
    def span(self) -> Span:
        return self.place.span

    @property
    def types(self) -> str:
        return self.parts.types

    @property
    def attrs(self) -> dict[str, str]:
        return self.parts.attrs

    def new(self, t: Type | str) -> Value:
        """The statement's result, under the user's name."""
        return self.fresh(parse_type(t) if isinstance(t, str) else t, self.place.name)

    def step(self, t: Type) -> Value:
        """An unnamed value on the way to the result."""
        return self.fresh(t, "")

    def result(self) -> Value:
        """The statement's only result, typed as the text says. Raises UnknownType."""
        return self.new(result_texts(self.types)[0])

    def results(self) -> tuple[Value, ...]:
        """All results, typed as the text says. Raises UnknownType."""
        return tuple(self.new(t) for t in result_texts(self.types))

    def type(self, i: int = 0) -> Type:
        """The i-th type of a plain list of types."""
        return parse_type(type_list(self.types)[i])


Lowered = tuple[Op, ...]
Lowering = Callable[[Site], Lowered | None]
"""From a site to operations, the last of which defines the statement's results; None where the form is not understood.

May raise UnknownType, LookupError or ValueError for the same reason.
"""
