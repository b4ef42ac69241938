"""Distributed layouts as text: `Mfma(16, True, (2, 2)) @ 64x64` is a layout and the shape of the tile that it holds."""

from __future__ import annotations

import ast
from typing import Any

from argus_smt.layout.distributed import Blocked, Distributed, DotOperand, Linear, Mfma, Slice
from argus_smt.layout.error import LayoutError, bits_of

KINDS: dict[str, Any] = {kind.__name__: kind for kind in (Blocked, Mfma, DotOperand, Slice, Linear)}


def parse_distributed(text: str) -> tuple[Distributed, tuple[int, ...]]:
    """A layout and its shape; raises `LayoutError` with what is wrong."""
    layout, at, shape = text.rpartition("@")
    sizes = [part.strip() for part in shape.split("x")]
    if not at or not all(part.isdecimal() for part in sizes):
        raise LayoutError(f"expected `LAYOUT @ 64x64`, not `{text}`")
    for size in sizes:
        bits_of(int(size), "a size of the tile")
    try:
        found = _value(ast.parse(layout.strip(), mode="eval").body)
    except (SyntaxError, ValueError, TypeError) as error:
        raise LayoutError(f"`{layout.strip()}` is no layout: {error}") from error
    if not isinstance(found, Blocked | Mfma | DotOperand | Slice | Linear):
        raise LayoutError(f"`{layout.strip()}` is no layout; write one of {', '.join(KINDS)} with its arguments")
    return found, tuple(map(int, sizes))


def _value(node: ast.expr) -> Any:
    if not isinstance(node, ast.Call):
        return ast.literal_eval(node)
    if not isinstance(node.func, ast.Name) or node.func.id not in KINDS:
        raise ValueError(f"write one of {', '.join(KINDS)}")
    keywords = {k.arg: _value(k.value) for k in node.keywords if k.arg}
    return KINDS[node.func.id](*map(_value, node.args), **keywords)
