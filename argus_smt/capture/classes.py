"""Questions about the class of a value, which a symbolic size answers differently from an integer."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from argus_smt.source import Span

_SYMBOLIC = frozenset(("SymInt", "SymFloat", "SymBool", "FakeTensor", "singledispatch", "singledispatchmethod"))


def questions(file: str, text: str) -> Iterator[tuple[str, Span]]:
    """Places outside of kernels where the file asks in a way that cannot be answered for real values.

    `isinstance` and `type` are answered rightly elsewhere; `__class__`, class patterns, dispatch by class, questions
    for an attribute of a parameter, and symbolic classes by name are not.
    """
    for function in ast.walk(ast.parse(text)):
        if not isinstance(function, ast.FunctionDef) or any("jit" in ast.unparse(d) for d in function.decorator_list):
            continue
        parameters = {a.arg for a in (*function.args.args, *function.args.kwonlyargs)}
        for node in ast.walk(function):
            what = _question(node, parameters)
            if what:
                line, column = getattr(node, "lineno", function.lineno), getattr(node, "col_offset", 0)
                yield what, Span(file, line, column + 1)


def _question(node: ast.AST, parameters: set[str]) -> str:
    match node:
        case ast.Attribute(attr="__class__"):
            return "`__class__`"
        case ast.MatchClass():
            return "a class pattern"
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in _SYMBOLIC:
            return f"`{name}`"
        case ast.Call(func=ast.Name(id="hasattr"), args=[ast.Name(id=name), *_]) if name in parameters:
            return f"`hasattr({name}, …)`"
        case _:
            return ""
