"""Launch records and kernels as versioned JSON: what passes from the capture process to the prover.

    {"schema": 2, "files": [name…], "types": [text…], "terms": [[op, args, data]…], "roots": [number…],
     "kernels": [kernel…], "program": {…}}

Places name files by number. A term is its number in `roots`, which point into `terms`, where each node stands once,
after its arguments. A kernel is its number in `kernels`, stored once however many cases share it; a value is its number
in the kernel's own table. Records of `launch.py` are objects with their fields by name.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from argus_smt.ir import launch as L
from argus_smt.ir.kernel_json import Tables, decode_kernel, decode_span, encode_kernel, encode_span
from argus_smt.ir.launch import Program
from argus_smt.ir.ops import Kernel
from argus_smt.smt import term as T
from argus_smt.smt.term import Term
from argus_smt.source import Span

SCHEMA = 2
_VARIANTS = {cls.__name__: cls for cls in (L.PointerArg, L.ScalarArg)}


def dumps_program(program: Program) -> str:
    """Strict JSON text of `program`; `loads_program` gives an equal one back."""
    writer = _Writer()
    root = writer.encode(Program, program)
    terms = _term_table(writer.roots.values())
    numbers = {ident: i for i, ident in enumerate(terms)}
    document = {
        "schema": SCHEMA,
        "files": list(writer.tables.files),
        "types": list(writer.tables.types),
        "terms": [[t.op, [numbers[a.ident] for a in t.args], _plain(t.data)] for t in terms.values()],
        "roots": [numbers[ident] for ident in writer.roots],
        "kernels": writer.kernels,
        "program": root,
    }
    return json.dumps(document, allow_nan=False, separators=(",", ":"))


def loads_program(text: str) -> Program:
    """The program in `text`.

    Raises ValueError with one line for what is not JSON, not a program, or of another schema.
    """
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"not a captured program: {error}") from error
    if not isinstance(document, dict) or "schema" not in document:
        raise ValueError("not a captured program: no schema version")
    if document["schema"] != SCHEMA:
        raise ValueError(f"captured program of schema {document['schema']!r}; this version reads schema {SCHEMA}")
    try:
        program = _Reader(document).decode(Program, document["program"])
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ValueError(f"damaged captured program: {type(error).__name__}: {error}") from error
    assert isinstance(program, Program)
    return program


# ---------------------------------------------------------------- terms


def _term_table(roots: Iterable[Term]) -> dict[int, Term]:
    """Every node below `roots` by its `ident`, arguments first: a node is always younger than its arguments."""
    found: dict[int, Term] = {}
    waiting = list(roots)
    while waiting:
        t = waiting.pop()
        if t.ident not in found:
            found[t.ident] = t
            waiting.extend(t.args)
    return dict(sorted(found.items()))


def _build_terms(nodes: list[Any]) -> list[Term]:
    """Terms of a table, through the constructors, so that they are in this process's normal form."""
    out: list[Term] = []
    for op, args, data in nodes:
        out.append(T.make(op, tuple(out[i] for i in args), tuple(data) if isinstance(data, list) else data))
    return out


def _plain(data: Any) -> Any:
    return list(data) if isinstance(data, tuple) else data


# ---------------------------------------------------------------- records


class _Writer:
    """Encodes records by the declared types of their fields; collects what is stored in tables."""

    def __init__(self) -> None:
        self.tables = Tables()
        self.roots: dict[int, Term] = {}
        self.root_numbers: dict[int, int] = {}
        self.kernels: list[Any] = []
        self.kernel_numbers: dict[int, int] = {}

    def term(self, t: Term) -> int:
        number = self.root_numbers.setdefault(t.ident, len(self.root_numbers))
        self.roots[t.ident] = t
        return number

    def kernel(self, kernel: Kernel) -> int:
        number = self.kernel_numbers.get(id(kernel))
        if number is None:
            number = self.kernel_numbers[id(kernel)] = len(self.kernels)
            self.kernels.append(encode_kernel(kernel, self.tables))
        return number

    def encode(self, hint: Any, value: Any) -> Any:
        if value is None:
            return None
        if hint is Term:
            return self.term(value)
        if hint is Kernel:
            return self.kernel(value)
        if hint is Span:
            return encode_span(value, self.tables)
        if hint is float:
            return value if math.isfinite(value) else repr(value)
        if isinstance(hint, type) and dataclasses.is_dataclass(hint):
            return {name: self.encode(h, getattr(value, name)) for name, h in _hints(hint)}
        if get_origin(hint) is tuple:
            return [self.encode(h, v) for h, v in zip(_elements(hint, len(value)), value, strict=True)]
        if get_origin(hint) in (Union, UnionType):
            variant = type(value).__name__
            if variant in _VARIANTS:
                return {"is": variant, **self.encode(_VARIANTS[variant], value)}
            return self.encode(_present(hint), value)
        return value


class _Reader:
    """Decodes records by the declared types of their fields, over the tables of one document."""

    def __init__(self, document: dict[str, Any]) -> None:
        nodes = _build_terms(document["terms"])
        self.roots = [nodes[i] for i in document["roots"]]
        self.tables = Tables.of(document["files"], document["types"])
        self.kernels = [decode_kernel(k, self.tables) for k in document["kernels"]]

    def decode(self, hint: Any, data: Any) -> Any:
        if data is None:
            return None
        if hint is Term:
            return self.roots[data]
        if hint is Kernel:
            return self.kernels[data]
        if hint is Span:
            return decode_span(data, self.tables)
        if hint is float:
            return float(data)
        if isinstance(hint, type) and dataclasses.is_dataclass(hint):
            return hint(**{name: self.decode(h, data[name]) for name, h in _hints(hint)})
        if get_origin(hint) is tuple:
            return tuple(self.decode(h, v) for h, v in zip(_elements(hint, len(data)), data, strict=True))
        if get_origin(hint) in (Union, UnionType):
            if isinstance(data, dict) and "is" in data:
                return self.decode(_VARIANTS[data["is"]], data)
            return self.decode(_present(hint), data)
        return data


@cache
def _hints(cls: type) -> tuple[tuple[str, Any], ...]:
    return tuple(get_type_hints(cls).items())


def _elements(hint: Any, count: int) -> tuple[Any, ...]:
    """Types of the elements of a tuple type of `count` elements."""
    args = get_args(hint)
    return (args[0],) * count if args[-1:] == (...,) else args


def _present(hint: Any) -> Any:
    """`X` of `X | None`."""
    return next(h for h in get_args(hint) if h is not NoneType)
