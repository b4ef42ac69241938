"""Kernels as lists for JSON: `[name, params, span, values, body]`, an operation `[kind, span, field…]`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from argus_smt.ir.fields import CLASSES, LAYOUT
from argus_smt.ir.ops import Block, Kernel, Op, Value
from argus_smt.ir.parse import parse_type
from argus_smt.ir.types import Type
from argus_smt.source import NOWHERE, Span

_NAME = {cls: name for name, cls in CLASSES.items()}


class Tables:
    """File names and types that several kernels share; writing gives numbers, reading looks them up."""

    def __init__(self) -> None:
        self.files: dict[str, int] = {}
        self.types: dict[str, int] = {}
        self.by_type: dict[Type, int] = {}
        self.file_names: list[str] = []
        self.type_list: list[Type] = []

    @classmethod
    def of(cls, files: Iterable[str], types: Iterable[str]) -> Tables:
        out = cls()
        out.file_names = list(files)
        out.type_list = [parse_type(t) for t in types]
        return out

    def type_number(self, t: Type) -> int:
        number = self.by_type.get(t)
        if number is None:
            number = self.by_type[t] = self.types.setdefault(str(t), len(self.types))
        return number


def encode_span(span: Span, tables: Tables) -> list[int] | int:
    """`[file, line, column, end line, end column]`, or 0 for nowhere."""
    if span == NOWHERE:
        return 0
    number = tables.files.setdefault(span.file, len(tables.files))
    return [number, span.line, span.column, span.end_line, span.end_column]


def decode_span(data: Any, tables: Tables) -> Span:
    return NOWHERE if data == 0 else Span(tables.file_names[data[0]], *data[1:])


# ---------------------------------------------------------------- writing


def encode_kernel(kernel: Kernel, tables: Tables) -> list[Any]:
    """`kernel` as plain lists, numbers and strings."""
    writer = _Writer(tables)
    body = writer.block(kernel.body)
    return [kernel.name, list(kernel.params), encode_span(kernel.span, tables), writer.table, body]


class _Writer:
    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.table: list[list[Any]] = []
        self.numbers: dict[tuple[int, Type, str], int] = {}
        self.known: dict[int, int] = {}

    def value(self, v: Value) -> int:
        """Row of `v` in the table of values; found by identity first, which needs no hashing of types."""
        row = self.known.get(id(v))
        if row is None:
            key = (v.number, v.type, v.name)
            row = self.numbers.get(key)
            if row is None:
                row = self.numbers[key] = len(self.table)
                self.table.append([v.number, self.tables.type_number(v.type), v.name])
            self.known[id(v)] = row
        return row

    def block(self, block: Block) -> list[Any]:
        params = [self.value(v) for v in block.params]
        return [params, [self.op(op) for op in block.ops], [self.value(v) for v in block.yields]]

    def op(self, op: Op) -> list[Any]:
        cls = type(op)
        fields = (self.field(f.kind, getattr(op, f.name)) for f in LAYOUT[cls])
        return [_NAME[cls], encode_span(op.span, self.tables), *fields]

    def field(self, kind: str, value: Any) -> Any:
        match kind:
            case "value" | "result":
                return self.value(value)
            case "values" | "results":
                return [self.value(v) for v in value]
            case "optional":
                return None if value is None else self.value(value)
            case "block":
                return self.block(value)
            case "number":
                return value if isinstance(value, int) or math.isfinite(value) else repr(value)
            case "ints":
                return list(value)
            case _:
                return value


# ---------------------------------------------------------------- reading


def decode_kernel(data: Any, tables: Tables) -> Kernel:
    """The kernel that `encode_kernel` wrote."""
    name, params, span, rows, body = data
    reader = _Reader(tables, [Value(number, tables.type_list[t], text) for number, t, text in rows])
    return Kernel(name, reader.block(body), tuple(params), decode_span(span, tables))


class _Reader:
    def __init__(self, tables: Tables, values: list[Value]) -> None:
        self.tables = tables
        self.values = values

    def block(self, data: Any) -> Block:
        params, ops, yields = data
        values = self.values
        return Block(tuple(values[i] for i in params), tuple(self.op(o) for o in ops), tuple(values[i] for i in yields))

    def op(self, data: Any) -> Op:
        cls = CLASSES[data[0]]
        return cls(*self.fields(cls, data[2:]), span=decode_span(data[1], self.tables))

    def fields(self, cls: type[Op], data: list[Any]) -> Iterator[Any]:
        for f, value in zip(LAYOUT[cls], data, strict=True):
            match f.kind:
                case "value" | "result":
                    yield self.values[value]
                case "values" | "results":
                    yield tuple(self.values[i] for i in value)
                case "optional":
                    yield None if value is None else self.values[value]
                case "block":
                    yield self.block(value)
                case "number":
                    yield float(value) if isinstance(value, str) else value
                case "ints":
                    yield tuple(value)
                case _:
                    yield value
