"""Kernels as text, in the manner of MLIR; `parse.py` reads it back.

    kernel "copy" (%x.0: ptr<f32>, %n.1: i32) {
      %pid.2 = program_id axis=0 : i32
      %3 = range start=0 end=64 : tile<64xi32>
      %4 = splat %pid.2 : tile<64xi32>
      %5 = add %3 %4 : tile<64xi32>
      ...
    }

Each operation: results, mnemonic, its fields, result types. A value is `%number`, or `%name.number` where the user
named it. Spans, when asked for, end a line: `@0:12:5-12:19` is file 0 of the table at the top, line and column.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import MISSING

from argus_smt.ir import walk as W
from argus_smt.ir.fields import FUNCTION_FIELD, LAYOUT, Field, mnemonic
from argus_smt.ir.ops import Block, Kernel, Op, Value
from argus_smt.source import NOWHERE, Span

INDENT = "  "


def print_kernel(kernel: Kernel, spans: bool = False) -> str:
    """Text of `kernel`, ending in a newline; with `spans`, places in the source as well."""
    printer = _Printer(_files(kernel) if spans else None)
    return "\n".join(printer.kernel(kernel)) + "\n"


def value_text(v: Value) -> str:
    """How a value is written wherever it occurs."""
    if not v.name:
        return f"%{v.number}"
    return f"%{v.name if v.name.isascii() and v.name.isidentifier() else json.dumps(v.name)}.{v.number}"


def _files(kernel: Kernel) -> dict[str, int]:
    files: dict[str, int] = {}
    for span in (kernel.span, *(op.span for op in W.walk(kernel.body))):
        if span != NOWHERE:
            files.setdefault(span.file, len(files))
    return files


class _Printer:
    """Writes lines; `files` numbers the source files, or is None where spans are left out."""

    def __init__(self, files: dict[str, int] | None) -> None:
        self.files = files

    def kernel(self, kernel: Kernel) -> Iterator[str]:
        for name, number in (self.files or {}).items():
            yield f"file {number} {json.dumps(name)}"
        names = [v.name for v in kernel.body.params]
        listed = "" if names == list(kernel.params) else f" params {json.dumps(list(kernel.params))}"
        head = f"kernel {json.dumps(kernel.name)} ({self.params(kernel.body)}){listed}{self.span(kernel.span)}"
        yield from self.block(kernel.body, head, "")

    def params(self, block: Block) -> str:
        return ", ".join(f"{value_text(v)}: {v.type}" for v in block.params)

    def block(self, block: Block, head: str, indent: str) -> Iterator[str]:
        """`head { operations and yields }`, the closing brace on a line of its own."""
        yield f"{indent}{head} {{"
        inner = indent + INDENT
        for op in block.ops:
            yield from self.op(op, inner)
        if block.yields:
            yield f"{inner}yield {' '.join(map(value_text, block.yields))}"
        yield f"{indent}}}"

    def op(self, op: Op, indent: str) -> Iterator[str]:
        made = W.results(op)
        parts = [f"{', '.join(map(value_text, made))} ="] if made else []
        parts.append(mnemonic(op))
        parts.extend(filter(None, (_field(op, f) for f in LAYOUT[type(op)])))
        if made:
            parts.append(": " + ", ".join(str(v.type) for v in made))
        yield indent + " ".join(parts) + self.span(op.span)
        for inner in W.blocks(op):
            yield from self.block(inner, f"^({self.params(inner)})", indent)

    def span(self, span: Span) -> str:
        if self.files is None or span == NOWHERE:
            return ""
        end = f"-{span.end_line}:{span.end_column}" if span.end_line or span.end_column else ""
        return f" @{self.files[span.file]}:{span.line}:{span.column}{end}"


def _field(op: Op, field: Field) -> str:
    """One field: operands by place, the rest as `name=…`; defaults and what is written elsewhere give nothing."""
    value = getattr(op, field.name)
    if field.name == FUNCTION_FIELD.get(type(op)) or (field.default is not MISSING and value == field.default):
        return ""
    match field.kind:
        case "value":
            return value_text(value)
        case "optional":
            return "" if value is None else f"{field.name}={value_text(value)}"
        case "values":
            return f"({' '.join(map(value_text, value))})"
        case "plain":
            return f"{field.name}={json.dumps(value)}"
        case "number":
            return repr(value)
        case "ints":
            return f"{field.name}=[{' '.join(map(str, value))}]"
        case _:
            return ""
