"""Runs a module statement by statement: demonstrations that need a device are left out, and what they bind is absent."""

from __future__ import annotations
import __future__

import ast
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
import triton
from torch.overrides import TorchFunctionMode
from triton.runtime.jit import JITCallable

from argus_smt.capture.absent import Absent, AbsentUse, State
from argus_smt.capture.hosts import patched

_FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names if name != "barry_as_FLUFL")
_DEFINING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a module: its code, names that it binds, and names that it reads."""

    code: types.CodeType
    line: int
    binds: frozenset[str]
    reads: frozenset[str]
    defines: bool


def statements(text: str, path: str, flags: int) -> tuple[Statement, ...]:
    """The statements of a module; `flags` are those of its code."""
    tree = ast.parse(text)
    return tuple(_statement(n, path, flags & _FUTURE) for n in tree.body)


def _statement(node: ast.stmt, path: str, flags: int) -> Statement:
    code = compile(ast.Module([node], []), path, "exec", flags=flags, dont_inherit=True)
    inner = list(_outside_functions(node))
    names = [n for n in inner if isinstance(n, ast.Name)]
    defined = {n.name for n in inner if isinstance(n, _DEFINING[:3])}
    binds = frozenset(n.id for n in names if isinstance(n.ctx, ast.Store)) | defined
    reads = frozenset(n.id for n in names if isinstance(n.ctx, ast.Load))
    return Statement(code, node.lineno, binds, reads, isinstance(node, _DEFINING))


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _DEFINING):
            yield child
        elif not isinstance(child, ast.Lambda):
            yield from _outside_functions(child)


def run_statements(body: tuple[Statement, ...], names: dict[str, Any]) -> list[int]:
    """Run a module's body; gives the lines of statements that were left out.

    A statement may be left out if it defines nothing and needs a tensor on a device. What it binds, and the objects that
    it reads and may have changed, are absent from then on.
    """
    left_out = []
    with OnDevice() as device, patched(triton.testing.Mark, run=device.benchmark):
        for s in body:
            asked, used = device.asked, State.used
            try:
                exec(s.code, names)
            except (Exception, AbsentUse):
                if s.defines or not (device.asked > asked or _reads_device(s, names)):
                    raise
                what = f"what line {s.line} makes when the file is imported, which needs a device"
                for name in s.binds | {n for n in s.reads if n in names and not _code(names[n])}:
                    names[name] = Absent(name, what, device=True)
                State.used = used  # what a statement needed that is left out
                left_out.append(s.line)
    return left_out


def _reads_device(s: Statement, names: dict[str, Any]) -> bool:
    return any(isinstance(names.get(n), Absent) and names[n]._device for n in s.reads)


def _code(value: Any) -> bool:
    """Functions, classes, modules and kernels: running a demonstration does not change them."""
    return isinstance(value, types.FunctionType | types.BuiltinFunctionType | type | types.ModuleType | JITCallable) or (
        hasattr(type(value), "run") and hasattr(value, "fn")
    )


class OnDevice(TorchFunctionMode):
    """A tensor that is asked for on a device while a file is imported is absent: it may be huge, and there is no device."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        device = (kwargs or {}).get("device")
        on_device = isinstance(device, torch.device | str) and torch.device(device).type not in ("cpu", "meta")
        return self._absent() if on_device or func is torch.Tensor.cuda else func(*args, **(kwargs or {}))

    def benchmark(self, *args: Any, **kwargs: Any) -> Any:
        """Stands for `run` of a benchmark."""
        return self._absent()

    def _absent(self) -> Absent:
        self.asked += 1
        return Absent("tensor", "a tensor that is made on a device when the file is imported", device=True)
