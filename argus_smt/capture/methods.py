"""Launchers that are methods: `Class.method` that needs no object, `Function.apply` of autograd, and names bound to one."""

from __future__ import annotations

import ast
import copy
import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any


def methods_of(tree: ast.Module) -> tuple[ast.FunctionDef, ...]:
    """What a file offers beside its functions, under the names to call it by, without the parameters that Python fills in."""
    classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
    found = {f.name: f for c in classes.values() for f in _of_class(c)}
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute(value=ast.Name(id=owner), attr=method)):
                f = found.get(f"{owner}.{method}")
                if f is not None:
                    found[name] = _named(f, name, 0)
    return tuple(found.values())


def _of_class(node: ast.ClassDef) -> list[ast.FunctionDef]:
    own = {f.name: f for f in node.body if isinstance(f, ast.FunctionDef)}
    out = []
    for f in own.values():
        kinds = {d.id for d in f.decorator_list if isinstance(d, ast.Name)}
        if kinds & {"staticmethod", "classmethod"}:
            out.append(_named(f, f"{node.name}.{f.name}", "classmethod" in kinds))
    forward = own.get("forward")
    if forward is not None and f"{node.name}.forward" in {f.name for f in out} and "apply" not in own:
        out.append(_named(forward, f"{node.name}.apply", "setup_context" not in own))
    return out


def _named(f: ast.FunctionDef, name: str, dropped: int) -> ast.FunctionDef:
    """A copy of a function with another name and without its first `dropped` parameters."""
    out = copy.copy(f)
    out.args = copy.copy(f.args)
    out.name = name
    before = len(f.args.posonlyargs)
    out.args.posonlyargs = f.args.posonlyargs[dropped:]
    out.args.args = f.args.args[max(0, dropped - before) :]
    return out


def found_in(names: Mapping[str, Any], path: str) -> Callable[..., Any]:
    """What a signature calls `path` in a module, taking its arguments by name."""
    first, *rest = path.split(".")
    target = functools.reduce(getattr, rest, names[first])
    target = getattr(target, "__wrapped_launcher__", target)
    owner = getattr(target, "__self__", None)
    if getattr(target, "__name__", "") != "apply" or not (isinstance(owner, type) and hasattr(owner, "forward")):
        return target  # type: ignore[no-any-return]

    def apply(**values: Any) -> Any:
        """`apply` takes all of its arguments by place, as `forward` names them."""
        parameters = list(inspect.signature(owner.forward).parameters.values())
        if "setup_context" not in vars(owner):
            parameters = parameters[1:]
        bound = inspect.Signature(parameters).bind(**values)
        bound.apply_defaults()
        return target(*bound.args)

    return apply
