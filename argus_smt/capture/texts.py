"""Where the user's code may turn a size into text: in messages, which decide nothing, and nowhere else."""

from __future__ import annotations

import ast
import os
from functools import lru_cache
from itertools import pairwise
from types import FrameType

from argus_smt.capture.frames import ENGINE, kind, of_user
from argus_smt.capture.oracle import frame_span
from argus_smt.source import Span

_SPEAKERS = frozenset((
    "print", "pprint", "debug", "info", "warning", "warn", "error", "critical", "exception", "log", "warning_once",
    "info_once", "warn_once", "_check", "record_function", "range_push", "annotate",
))  # fmt: skip
"""Functions whose text arguments are for people."""
_MODULES = ("logging", "warnings.py", "traceback.py", "pprint.py", "reprlib.py")


def harmless(frame: FrameType | None) -> bool:
    """Whether a text that `frame` (outside torch) makes of a size can only be read by people."""
    if frame is None:
        return True
    inner: FrameType | None = frame
    user = of_user(frame)
    while inner is not None and inner is not user:
        name = inner.f_code.co_filename
        if kind(name) != ENGINE and (os.path.basename(name) in _MODULES or os.path.basename(os.path.dirname(name)) in _MODULES):
            return True
        inner = inner.f_back
    if user is None:
        return True
    return _in_message(frame_span(user))


def reads_attribute(frame: FrameType | None, name: str) -> bool:
    """Whether the file of a frame reads an attribute of that name anywhere."""
    tree = None if frame is None else _tree(frame.f_code.co_filename)
    return tree is not None and any(isinstance(n, ast.Attribute) and n.attr == name for n in ast.walk(tree))


def expressions_at(span: Span) -> list[ast.expr]:
    """The expressions that take up exactly this place."""
    tree = _tree(span.file)
    place = (span.line, span.column - 1, span.end_line or span.line, span.end_column - 1)
    return [
        node
        for node in (ast.walk(tree) if tree is not None and span.column else ())
        if isinstance(node, ast.expr) and (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset) == place
    ]


def guarded_import(span: Span) -> bool:
    """Whether the place lies in a `try` that handles failing imports."""
    tree = _tree(span.file)
    chain = [] if tree is None else _enclosing(tree, span)
    return any(
        isinstance(node, ast.Try) and inside in node.body and any(_catches_imports(h.type) for h in node.handlers)
        for node, inside in pairwise(chain)
    )


def _catches_imports(caught: ast.expr | None) -> bool:
    if caught is None:
        return True
    names = {n.id for n in ast.walk(caught) if isinstance(n, ast.Name)}
    return bool(names & {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


def _in_message(span: Span) -> bool:
    tree = _tree(span.file)
    if tree is None:
        return False
    chain = _enclosing(tree, span)
    for node, inside in zip(chain, [*chain[1:], None], strict=True):
        match node:
            case ast.Raise():
                return True
            case ast.Assert():
                return inside is not None and inside is node.msg
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _SPEAKERS:
                return inside is not node.func
            case ast.Assign() | ast.AugAssign() if _before_raise(tree, node):
                return True
    return False


def _before_raise(tree: ast.AST, statement: ast.stmt) -> bool:
    """Whether the next statement raises: `msg = f"…"; raise ValueError(msg)`."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list) and statement in body[:-1]:
                return isinstance(body[body.index(statement) + 1], ast.Raise)
    return False


def _enclosing(tree: ast.AST, span: Span) -> list[ast.AST]:
    """Nodes that hold the place, outermost first."""
    out: list[ast.AST] = []
    node: ast.AST | None = tree
    while node is not None:
        out.append(node)
        node = next((c for c in ast.iter_child_nodes(node) if _holds(c, span)), None)
    return out[1:]


def _holds(node: ast.AST, span: Span) -> bool:
    start = getattr(node, "lineno", None)
    if start is None:
        return any(_holds(c, span) for c in ast.iter_child_nodes(node))
    end = getattr(node, "end_lineno", None) or start
    if not span.column:
        return bool(start <= span.line <= end)
    first, last = (start, getattr(node, "col_offset", 0)), (end, getattr(node, "end_col_offset", None) or 0)
    return first <= (span.line, span.column - 1) and (span.end_line or span.line, span.end_column - 1) <= last


@lru_cache(maxsize=16)
def _tree(file: str) -> ast.Module | None:
    try:
        with open(file, encoding="utf-8-sig") as stream:
            return ast.parse(stream.read())
    except (OSError, SyntaxError, ValueError):
        return None
