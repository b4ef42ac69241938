"""Kernels by their compiled form: each signature with its constants is compiled and imported once."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from argus_smt.capture.content import content_key, value_key
from argus_smt.capture.record import Record
from argus_smt.capture.ttir import CompileRefused, Unsupported, import_kernel
from argus_smt.capture.ttir.compile import answers, raw_ttir
from argus_smt.capture.tuples import together
from argus_smt.ir.ops import Kernel
from argus_smt.ir.types import Ptr

Form = tuple[tuple[str, str, Any], ...]
"""One entry a parameter, or item of a tuple: name, Triton type (`constexpr` for constants), and the constant.

Of a descriptor the constant is its padding."""


class Compiler:
    """Compiles forms of kernels; remembers kernels and refusals. `seconds` is the time spent."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._made: dict[Any, list[tuple[dict[str, Any], Kernel | Exception]]] = {}
        self._asked: dict[str, set[str]] = {}

    def kernel(self, record: Record, form: Form) -> Kernel:
        """The imported kernel of a launch. Raises CompileRefused or Unsupported."""
        options = _compiler_options(record)
        key = (record.content, tuple((n, t, value_key(c)) for n, t, c in form), record.nests)
        known = self._made.setdefault(key, [])
        made = next((m for used, m in known if answers(options, used) == used), None)
        if made is None:
            if content_key(record.fn) != record.content:
                raise Unsupported("the launcher changes what the kernel depends on after the launch")
            start = time.perf_counter()
            asked: dict[str, Any] = {}
            made = self._make(record, form, asked)
            self._asked.setdefault(record.content, set()).update(asked)
            known.append((asked, made))
            self.seconds += time.perf_counter() - start
        if isinstance(made, Exception):
            raise made
        return made

    def alike(self, a: Record, b: Record) -> bool:
        """Whether two launches only differ in options that no compiled form of their kernel so far has asked for."""
        asked = self._asked.get(a.content)
        if asked is None or replace(a, options=(), config="") != replace(b, options=(), config=""):
            return False
        return answers(_compiler_options(a), asked) == answers(_compiler_options(b), asked)

    def _make(self, record: Record, form: Form, asked: dict[str, Any]) -> Kernel | Exception:
        signature, constants = together(form, record.nests)
        try:
            text = raw_ttir(record.fn, signature, constants, options=_compiler_options(record), asked=asked)
            described = [padding for _, t, padding in form if t.startswith("tensordesc<")]
            kernel = import_kernel(text, nan_padded=frozenset(i for i, padding in enumerate(described) if padding == "nan"))
            return _named(kernel, [(n, t) for n, t, _ in form if t != "constexpr"])
        except (CompileRefused, Unsupported) as error:
            return error


def _compiler_options(record: Record) -> dict[str, object]:
    """The options of a launch that the compiler is told."""
    return {name: value for name, value in record.options if name in _COMPILE}


def _named(kernel: Kernel, arguments: list[tuple[str, str]]) -> Kernel:
    """The kernel with its parameters called as its author does, by position.

    Triton's names of them are no guide: reassigning an argument in a branch renames it in the IR.
    Raises Unsupported where number or kind of the parameters are not those of the launch.
    """
    params = kernel.body.params
    arguments = [part for name, type_ in arguments for part in _passed(name, type_)]
    fits = len(params) == len(arguments) and all(
        isinstance(p.type, Ptr) == type_.startswith("*") for p, (_, type_) in zip(params, arguments, strict=True)
    )
    if not fits:
        raise Unsupported(f"the parameters of `{kernel.name}` are not those that it is launched with", kernel.span)
    return replace(kernel, params=tuple(name for name, _ in arguments))


def _passed(name: str, type_: str) -> list[tuple[str, str]]:
    """What an argument is passed as: a descriptor is a pointer, then its shape and its strides."""
    if not type_.startswith("tensordesc<"):
        return [(name, type_)]
    rank = range(type_.count(",") + 1)
    return [(name, "*"), *((f"{name}.shape.{d}", "i32") for d in rank), *((f"{name}.stride.{d}", "i64") for d in rank)]


_COMPILE = ("num_warps", "num_stages", "num_ctas", "waves_per_eu", "matrix_instr_nonkdim", "kpack", "enable_fp_fusion")
