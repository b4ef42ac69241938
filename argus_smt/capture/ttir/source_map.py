"""The user's source files as syntax trees: which expression starts at a place, where it ends, and in which function."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from argus_smt.source import Span

Node = ast.expr | ast.stmt


@dataclass(slots=True)
class SourceFile:
    """One parsed file. Columns are 0-based and count UTF-8 bytes, as in `ast`, except in spans."""

    path: str
    lines: tuple[str, ...]
    starts: dict[tuple[int, int], list[Node]] = field(default_factory=dict)
    parents: dict[Node, Node] = field(default_factory=dict)
    defs: dict[int, ast.FunctionDef | ast.AsyncFunctionDef] = field(default_factory=dict)
    names: dict[int, frozenset[str]] = field(default_factory=dict)

    def innermost_first(self, line: int, column: int) -> list[Node]:
        """Expressions and statements that start at a place, innermost first."""
        return self.starts.get((line, column), [])

    def enclosing(self, node: Node) -> list[Node]:
        """Expressions around `node`, innermost first, then the statement that they belong to."""
        out: list[Node] = []
        while not isinstance(node, ast.stmt) and node in self.parents:
            node = self.parents[node]
            out.append(node)
        return out

    def span(self, node: Node) -> Span:
        """Where `node` is; a compound statement ends with its header line."""
        line, end_line, end = node.lineno, node.end_lineno or node.lineno, node.end_col_offset or 0
        if isinstance(node, (ast.For, ast.While, ast.If, ast.With, ast.FunctionDef)):
            head = _header_end(node)
            end_line, end = head if head else (0, 0)
        start_column = self._column(line, node.col_offset)
        return Span(self.path, line, start_column, end_line, self._column(end_line, end) if end_line else 0)

    def function_at(self, line: int) -> str:
        """Name of the innermost function whose text covers `line`; empty at module level."""
        best = ""
        best_line = 0
        for start, node in self.defs.items():
            if best_line < start <= line <= (node.end_lineno or start):
                best, best_line = node.name, start
        return best

    def identifiers(self, line: int) -> frozenset[str]:
        """Names that occur in the function whose `def` is on `line`."""
        if line not in self.names:
            nodes = list(ast.walk(self.defs[line])) if line in self.defs else []
            found = {n.id for n in nodes if isinstance(n, ast.Name)} | {n.arg for n in nodes if isinstance(n, ast.arg)}
            self.names[line] = frozenset(found)
        return self.names[line]

    def _column(self, line: int, offset: int) -> int:
        """1-based character column of a 0-based byte offset."""
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        return offset + 1 if text.isascii() else len(text.encode()[:offset].decode(errors="replace")) + 1

    def _index(self, node: ast.AST, owner: Node | None) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.expr, ast.stmt)):
                if owner is not None:
                    self.parents[child] = owner
                self._index(child, child)
                self.starts.setdefault((child.lineno, child.col_offset), []).append(child)
                if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    self.defs[child.lineno] = child
            else:
                self._index(child, owner)
                if isinstance(child, ast.keyword):  # Triton 3.6 points at the keyword, not at its value
                    self.starts.setdefault((child.lineno, child.col_offset), []).append(child.value)


def _header_end(node: ast.For | ast.While | ast.If | ast.With | ast.FunctionDef) -> tuple[int, int] | None:
    match node:
        case ast.For():
            last: ast.expr | None = node.iter
        case ast.While() | ast.If():
            last = node.test
        case _:
            last = None
    return (last.end_lineno or last.lineno, last.end_col_offset or 0) if last else None


class SourceMap:
    """Files by path, read on first use, or from `texts`; one that cannot be read or parsed is None."""

    def __init__(self, texts: Mapping[str, str] | None = None) -> None:
        self._texts = dict(texts or {})
        self._files: dict[str, SourceFile | None] = {}

    def file(self, path: str) -> SourceFile | None:
        """The parsed file, or None."""
        if path not in self._files:
            self._files[path] = self._load(path)
        return self._files[path]

    def _load(self, path: str) -> SourceFile | None:
        try:
            return _parsed(path, self._texts[path] if path in self._texts else Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError, SyntaxError):
            return None


@lru_cache(maxsize=16)
def _parsed(path: str, text: str) -> SourceFile:
    """The file with a text; kept, as a kernel is imported once a case. Raises SyntaxError and ValueError."""
    out = SourceFile(path, tuple(text.split("\n")))
    out._index(ast.parse(text), None)
    return out
