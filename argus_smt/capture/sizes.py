"""Sizes that a kernel takes as constexprs but uses as plain numbers: they stay symbolic instead of being tried one by one.

A kernel whose constexpr `N` only bounds masks and loops compiles just as well with `N` passed at run time. The form
with a constant is then that general form at one value, which is checked on the compiled kernels for some values: even
and odd, small and large. What Triton treats differently for a constant (shapes, divisions in floating point, types of
narrow integers) shows in that comparison, or does not compile; where Python's own arithmetic differs from that of the
machine for some values only (divisions of negative numbers, `and` and `or`) the size is not left symbolic.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from argus_smt.capture.compiled import Compiler, Form
from argus_smt.capture.constants import MAX_VALUES
from argus_smt.capture.folding import folds_alike
from argus_smt.capture.record import Integer, Record
from argus_smt.capture.specialise import same_with
from argus_smt.capture.ttir import CompileRefused, Unsupported
from argus_smt.ir.ops import Kernel
from argus_smt.smt import term as T
from argus_smt.smt.ask import Session
from argus_smt.smt.term import Term

SAMPLES = (7, 1000)
"""Values at which a size that is compiled in is compared with one that is passed."""


def open_sizes(record: Record, under: Sequence[Term], session: Session, summaries: Mapping[str, object]) -> frozenset[str]:
    """Constexprs of a launch that are never negative and of more values than can be compiled one by one."""
    return frozenset(
        name
        for name, a in record.arguments
        if isinstance(a, Integer) and a.constexpr and not a.boolean and not a.term.is_const
        and not (a.term.op == "var" and a.term.data in summaries)
        and session.values(under, a.term, MAX_VALUES) is None
        and session.implied(under, T.ge(a.term, 0)) is True
    )  # fmt: skip


def at_run_time(record: Record, names: frozenset[str]) -> Record:
    """The launch as if the kernel took these constexprs as integers, never as the constant 1."""
    arguments = []
    for name, a in record.arguments:
        passed = name in names and isinstance(a, Integer)
        arguments.append((name, Integer(a.term, specialize=False) if passed and isinstance(a, Integer) else a))
    return replace(record, arguments=tuple(arguments))


def used_as_numbers(
    compiler: Compiler, record: Record, form: Form, names: frozenset[str], implied: Callable[[Term], bool]
) -> bool:
    """Whether the kernel compiled for constants is the one of `form`, which takes `names` at run time, at these constants.

    A form that Triton refuses agrees with constants that it refuses too, if no branch decides what is compiled.
    `implied` decides conditions over the sizes.
    """
    values = {name: a.term for name, a in record.arguments if name in names and isinstance(a, Integer)}
    try:
        general = _made(compiler, record, form)
        if not _straight(record.fn) if general is None else not folds_alike(general, values, implied):
            return False
        for value in SAMPLES:
            constant = tuple((n, "constexpr", value) if n in names else (n, t, c) for n, t, c in form)
            special = _made(compiler, record, constant)
            if general is None or special is None:
                if general is not special:
                    return False
            elif not same_with(general, special, dict.fromkeys(names, value)):
                return False
    except (CompileRefused, Unsupported):
        return False
    return True


def _made(compiler: Compiler, record: Record, form: Form) -> Kernel | None:
    """The compiled kernel; None where Triton refuses it for the shapes of its tiles. Raises as the compiler does."""
    try:
        return compiler.kernel(record, form)
    except CompileRefused as error:
        if "numel" in error.message:
            return None
        raise


def _straight(fn: Any) -> bool:
    """Whether the same lines of a kernel are compiled for all constants: it has no branches, and calls Triton alone."""
    for node in ast.walk(fn.parse()):
        if isinstance(node, ast.If | ast.IfExp | ast.BoolOp):
            return False
        if isinstance(node, ast.Call):
            root = node.func
            while isinstance(root, ast.Attribute):
                root = root.value
            target = fn.fn.__globals__.get(root.id) if isinstance(root, ast.Name) else None
            if target is not None and not getattr(target, "__name__", "").startswith("triton"):
                return False
            if target is None and isinstance(node.func, ast.Name) and node.func.id not in ("range", "min", "max"):
                return False
    return True
