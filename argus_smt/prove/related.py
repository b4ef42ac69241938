"""Other places that belong to a finding: where mask and address come from, and what the launcher passes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache

from argus_smt.ir.launch import Arg, ScalarArg
from argus_smt.ir.ops import AtomicCAS, AtomicRMW, Load, Op, Store
from argus_smt.obligations.obligation import Obligation
from argus_smt.prove.context import Context
from argus_smt.prove.finding import Related
from argus_smt.prove.source import lines_of
from argus_smt.smt.model import Model
from argus_smt.source import Span

LIMIT = 6


def related(context: Context, ob: Obligation, model: Model) -> tuple[Related, ...]:
    """Definitions that the access depends on, nearest first, then the arguments that reach it, then the launch."""
    return around(context, ob.op)


def around(context: Context, op: Op) -> tuple[Related, ...]:
    """The same for any operation."""
    span = op.span
    function = _function(span.file, span.line)
    out: list[Related] = []
    params: list[str] = []
    if function is not None:
        for name, node in _chain(function, span):
            if isinstance(node, ast.arg):
                params.append(name)
            elif len(out) < LIMIT:
                out.append(Related(_span(span.file, node), f"`{name}` is defined here"))
    given = dict(context.dom.launch.arg_spans)
    sizes = {p for p, a in zip(context.dom.case.kernel.params, context.dom.case.args, strict=True) if _symbolic(a)}
    passed: dict[Span, list[str]] = {}
    for name in params:
        if name in given and name in sizes and isinstance(op, Load | Store | AtomicRMW | AtomicCAS):
            line = Span(given[name].file, given[name].line)
            passed.setdefault(line, []).append(name)
    for line, names in passed.items():
        out.append(Related(line, f"{', '.join(f'`{n}`' for n in names)} passed here"))
    launch = context.dom.launch.span
    if launch.line:
        out.append(Related(launch, f"`{context.dom.launch.kernel}` is launched here"))
    return tuple(dict.fromkeys(out))


def _symbolic(arg: Arg) -> bool:
    """A size or stride; pointers, floats and constants explain nothing."""
    return isinstance(arg, ScalarArg) and arg.value is not None and not arg.value.is_const


@lru_cache(maxsize=64)
def _tree(file: str) -> ast.Module | None:
    try:
        return ast.parse("\n".join(lines_of(file)))
    except SyntaxError:
        return None


def _function(file: str, line: int) -> ast.FunctionDef | None:
    tree = _tree(file)
    if tree is None:
        return None
    found = None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or node.lineno):
            found = node
    return found


def _chain(function: ast.FunctionDef, span: Span) -> Iterator[tuple[str, ast.stmt | ast.arg]]:
    """Assignments, and parameters, that the statement at `span` depends on by name; breadth first, textually backwards."""
    params = {a.arg: a for a in (*function.args.args, *function.args.kwonlyargs)}
    statements = [n for n in ast.walk(function) if isinstance(n, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr)]
    start = [s for s in statements if s.lineno <= span.line <= (s.end_lineno or s.lineno)]
    work: list[tuple[str, int]] = [(name, span.line) for s in start for name in _names(s)]
    asked: set[tuple[str, int]] = set()
    given: set[ast.AST] = set()
    while work:
        name, before = work.pop(0)
        if (name, before) in asked:
            continue
        asked.add((name, before))
        found: list[ast.stmt | ast.arg] = [*_defining(statements, name, before)]
        for node in found or ([params[name]] if name in params else []):
            if node in given:
                continue
            given.add(node)
            yield name, node
            if isinstance(node, ast.arg):
                continue
            work += [(n, node.lineno) for n in _names(node)]


def _defining(statements: Sequence[ast.stmt], name: str, before: int) -> list[ast.stmt]:
    """The nearest assignment above a line, and later ones, which only a loop can bring back."""
    all_of = [s for s in statements if name in _targets(s)]
    above = [s for s in all_of if s.lineno < before]
    return ([max(above, key=lambda s: s.lineno)] if above else []) + [
        s for s in all_of if s.lineno > before and isinstance(s, ast.AugAssign)
    ]


def _targets(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.Assign):
        nodes: list[ast.expr] = list(statement.targets)
    elif isinstance(statement, ast.AugAssign | ast.AnnAssign):
        nodes = [statement.target]
    else:
        return set()
    return {n.id for t in nodes for n in ast.walk(t) if isinstance(n, ast.Name)}


def _names(statement: ast.stmt) -> list[str]:
    """Names that a statement reads, in order of appearance."""
    value = statement.value if isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr) else None
    if value is None:
        return []
    found = [n for n in ast.walk(value) if isinstance(n, ast.Name)]
    return list(dict.fromkeys(n.id for n in sorted(found, key=lambda n: (n.lineno, n.col_offset))))


def _span(file: str, node: ast.stmt | ast.arg) -> Span:
    end = node.end_col_offset or node.col_offset
    return Span(file, node.lineno, node.col_offset + 1, node.end_lineno or node.lineno, end + 1)
