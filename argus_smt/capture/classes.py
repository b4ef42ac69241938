"""Questions about the class of a value, which a symbolic size answers differently from an integer."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from argus_smt.source import Span

_SYMBOLIC = frozenset(("SymInt", "SymFloat", "SymBool", "FakeTensor", "singledispatch", "singledispatchmethod"))


def questions(file: str, text: str) -> Iterator[tuple[str, Span]]:
    """Places outside of kernels where the file asks in a way that cannot be answered for real values.

    `isinstance` and `type` are answered rightly elsewhere; `__class__` (but of a method's own object), class patterns,
    dispatch by class, questions for an attribute of a parameter, and symbolic classes by name are not.
    """
    tree = ast.parse(text)
    harmless = {id(node) for method, own in _methods(tree) for node in _of_own(method, own)}
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef) or any("jit" in ast.unparse(d) for d in function.decorator_list):
            continue
        parameters = {a.arg for a in (*function.args.args, *function.args.kwonlyargs)}
        for node in ast.walk(function):
            what = _question(node, parameters)
            if what and id(node) not in harmless:
                line, column = getattr(node, "lineno", function.lineno), getattr(node, "col_offset", 0)
                yield what, Span(file, line, column + 1)


def _methods(tree: ast.AST) -> Iterator[tuple[ast.FunctionDef, str]]:
    """Methods of classes, with the name of their own object."""
    for cls in ast.walk(tree):
        if isinstance(cls, ast.ClassDef):
            for f in cls.body:
                first = [*f.args.posonlyargs, *f.args.args] if isinstance(f, ast.FunctionDef) else []
                if isinstance(f, ast.FunctionDef) and first and not any("static" in ast.unparse(d) for d in f.decorator_list):
                    yield f, first[0].arg


def _of_own(method: ast.FunctionDef, own: str) -> Iterator[ast.AST]:
    """Where a method asks for the class of its own object, if nothing else ever has that name there."""
    if sum(own in _bound(n) for n in ast.walk(method)) > 1:
        return
    for node in ast.walk(method):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr="__class__") if name == own:
                yield node


def _bound(node: ast.AST) -> list[str]:
    """Names that a node binds by itself: it has them as plain text, or stores to them."""
    match node:
        case ast.Name(ctx=ast.Load()) | ast.Constant() | ast.Attribute() | ast.keyword():
            return []
        case _:
            values = [value for _, value in ast.iter_fields(node)]
            return [v for value in values for v in (value if isinstance(value, list) else [value]) if isinstance(v, str)]


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
