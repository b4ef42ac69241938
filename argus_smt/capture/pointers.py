"""Which parameters of kernels are pointers, read from the text of the file: for proposals of signatures."""

from __future__ import annotations

import ast

_ACCESSES = ("load", "store", "make_block_ptr", "make_tensor_descriptor", "prefetch")


def pointer_params(kernel: ast.FunctionDef, accesses: tuple[str, ...] = _ACCESSES) -> set[str]:
    """Parameters that addresses of loads and stores (or some of these) and of atomics start with."""
    starts: dict[str, str] = {}
    for n in ast.walk(kernel):
        if isinstance(n, ast.Assign) and len(n.targets) == 1 and isinstance(n.targets[0], ast.Name):
            first = _first(n.value)
            if first and first != n.targets[0].id:
                starts.setdefault(n.targets[0].id, first)
    params = {a.arg for a in kernel.args.args}
    out = set()
    for n in ast.walk(kernel):
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.args:
            if n.func.attr in accesses or n.func.attr.startswith("atomic_"):
                name, seen = _first(n.args[0]), set[str]()
                while name not in params and name in starts and name not in seen:
                    seen.add(name)
                    name = starts[name]
                out |= {name} & params
    return out


def passed_to_pointers(f: ast.FunctionDef, kernels: tuple[ast.FunctionDef, ...]) -> set[str]:
    """Names that a launcher passes where a kernel takes a pointer."""
    known = {k.name: k for k in kernels}
    out = set()
    for n in ast.walk(f):
        if not isinstance(n, ast.Call) or not isinstance(n.func, ast.Subscript) or not isinstance(n.func.value, ast.Name):
            continue
        kernel = known.get(n.func.value.id)
        if kernel is None:
            continue
        pointers = pointer_params(kernel)
        given = [*zip([a.arg for a in kernel.args.args], n.args, strict=False), *((k.arg, k.value) for k in n.keywords)]
        out |= {v.id for p, v in given if p in pointers and isinstance(v, ast.Name)}
    return out


def _first(e: ast.expr) -> str:
    """The name that a sum starts with."""
    while isinstance(e, ast.BinOp) and isinstance(e.op, ast.Add | ast.Sub):
        e = e.left
    return e.id if isinstance(e, ast.Name) else ""


def stored_by_kernels(f: ast.FunctionDef, kernels: tuple[ast.FunctionDef, ...]) -> dict[str, str]:
    """Names that a launcher passes where a kernel stores and never loads, each with the place."""
    known = {k.name: k for k in kernels}
    out: dict[str, str] = {}
    read: set[str] = set()
    for n in ast.walk(f):
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Subscript) and isinstance(n.func.value, ast.Name):
            kernel = known.get(n.func.value.id)
            if kernel is None:
                continue
            stored = pointer_params(kernel, ("store",)) - pointer_params(kernel, ("load",))
            given = [*zip([a.arg for a in kernel.args.args], n.args, strict=False), *((k.arg, k.value) for k in n.keywords)]
            for p, v in given:
                if isinstance(v, ast.Name) and p in stored:
                    out.setdefault(v.id, f"`{kernel.name}` stores to `{p}` and never loads from it (line {n.lineno})")
                elif isinstance(v, ast.Name):
                    read.add(v.id)
    return {name: what for name, what in out.items() if name not in read}
