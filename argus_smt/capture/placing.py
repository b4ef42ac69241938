"""Where in the user's file each argument of a launch is written."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache

from argus_smt.source import Span


@lru_cache(maxsize=8)
def _calls(file: str) -> tuple[ast.Call, ...]:
    with open(file, encoding="utf-8") as stream:
        tree = ast.parse(stream.read())
    return tuple(n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Subscript))


def argument_spans(file: str, span: Span, params: list[str], items: Sequence[str] = ()) -> tuple[tuple[str, Span], ...]:
    """Spans of the arguments of the launch `kernel[grid](…)` at `span`, by parameter name.

    `items` names parameters and items of tuples, as `t.0`; an item that is not written there is where its tuple is.
    """
    inside = [c for c in _calls(file) if c.lineno <= span.line <= (c.end_lineno or c.lineno)]
    if not inside:
        return ()
    call = min(inside, key=lambda c: ((c.end_lineno or c.lineno) - c.lineno, abs(c.lineno - span.line)))
    written: dict[str, ast.expr] = {}
    for name, arg in zip(params, call.args, strict=False):
        if isinstance(arg, ast.Starred):
            break
        written[name] = arg
    written |= {k.arg: k.value for k in call.keywords if k.arg in params and k.arg is not None}
    out = [(name, _span(file, node)) for name, node in written.items()]
    nested = (item for item in items if "." in item and item.partition(".")[0] in written)
    return (*out, *((item, _span(file, _item(written[item.partition(".")[0]], item.split(".")[1:]))) for item in nested))


def _item(node: ast.expr, path: list[str]) -> ast.expr:
    """The item of a tuple that is written out, else what stands for it."""
    for i in map(int, path):
        if not isinstance(node, ast.Tuple) or any(isinstance(e, ast.Starred) for e in node.elts[: i + 1]):
            break
        node = node.elts[i]
    return node


def _span(file: str, node: ast.expr) -> Span:
    """A node's place; the syntax tree counts columns in bytes from 0."""
    return Span(file, node.lineno, node.col_offset + 1, node.end_lineno or 0, (node.end_col_offset or -1) + 1)
