"""Scanning of MLIR's textual form: top-level splitting, strings, attribute dictionaries."""

from __future__ import annotations

import re
from functools import lru_cache

_OPEN, _CLOSE = "([{<", ")]}>"
_ESCAPE = re.compile(rb"\\([0-9A-Fa-f]{2}|[\\\"nt])")
_NAMED_ESCAPES = {b"n": b"\n", b"t": b"\t", b"\\": b"\\", b'"': b'"'}


def unquote(text: str) -> str:
    """Contents of a printed MLIR string, quotes included or not; `\\XX` are bytes in hexadecimal."""
    body = text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text
    if "\\" not in body:
        return body

    def replace(m: re.Match[bytes]) -> bytes:
        key = m.group(1)
        return _NAMED_ESCAPES[key] if key in _NAMED_ESCAPES else bytes([int(key, 16)])

    return _ESCAPE.sub(replace, body.encode()).decode("utf-8", errors="replace")


def close_of(text: str, start: int) -> int:
    """Index of the bracket that closes the one at `start`; -1 if there is none. Strings and `->` are stepped over."""
    depth, i = 0, start
    while i < len(text):
        c = text[i]
        if c == '"':
            i = end_of_string(text, i)
        elif c in _OPEN:
            depth += 1
        elif c in _CLOSE and not (c == ">" and text[i - 1] == "-"):
            depth -= 1
            if depth == 0:
                return i
        i += 1
    return -1


def end_of_string(text: str, start: int) -> int:
    """Index of the quote that ends the string whose opening quote is at `start`; the length of `text` if none does."""
    i = start + 1
    while i < len(text) and text[i] != '"':
        i += 2 if text[i] == "\\" else 1
    return i


@lru_cache(maxsize=4096)
def split_list(text: str) -> tuple[str, ...]:
    """Comma-separated parts outside all brackets and strings, stripped; () for blank text."""
    if not text.strip():
        return ()
    parts, last, i = [], 0, 0
    while i < len(text):
        c = text[i]
        if c == '"':
            i = end_of_string(text, i)
        elif c in _OPEN:
            end = close_of(text, i)
            i = len(text) if end < 0 else end
        elif c == ",":
            parts.append(text[last:i].strip())
            last = i + 1
        i += 1
    return (*parts, text[last:].strip())


def cut_dictionaries(text: str) -> tuple[str, str]:
    """`(rest, entries)`: the text without its top-level `{…}` and `<{…}>` groups, and their contents in one list."""
    if "{" not in text:
        return text, ""
    kept, entries, last, i = [], [], 0, 0
    while i < len(text):
        if text[i] == '"':
            i = end_of_string(text, i)
        elif text[i] == "{":
            end = close_of(text, i)
            if end < 0:
                break
            angled = text[i - 1 : i] == "<" and text[end + 1 : end + 2] == ">"
            kept.append(text[last : i - angled].rstrip())
            entries.append(text[i + 1 : end])
            last = end + 1 + angled
            i = last - 1
        i += 1
    kept.append(text[last:])
    return "".join(kept), ", ".join(e for e in entries if e.strip())


@lru_cache(maxsize=4096)
def dictionary(entries: str) -> dict[str, str]:
    """Attribute name → text of its value; a unit attribute maps to the empty string."""
    out = {}
    for part in split_list(entries):
        key, _, value = part.partition(" = ")
        out[key.strip()] = value.strip()
    return out


def integers(text: str) -> tuple[int, ...]:
    """Integers of `3 : i32`, `array<i32: 1, 0>`, `dense<8> : tensor<1xi32>`, `dense<[8, 16]>`. Raises ValueError."""
    body = text.strip()
    if body.startswith("array<"):
        body = body[body.index(":") + 1 : body.rindex(">")] if ":" in body else ""
        return tuple(int(p) for p in split_list(body))
    value, _, kind = body.partition(" : ")
    if value.startswith("dense<"):
        inner = value[len("dense<") : value.rindex(">")]
        if inner.startswith("["):
            return tuple(int(p) for p in split_list(inner[1:-1]))
        count = re.match(r"tensor<(\d+)x", kind)
        return (int(inner),) * (int(count.group(1)) if count else 1)
    return (int(value),)
