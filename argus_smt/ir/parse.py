"""Reads the text form of kernels that `text.py` writes, one operation a line."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

from argus_smt.ir import ops as O
from argus_smt.ir.fields import FUNCTION_FIELD, LAYOUT, MNEMONIC, Field
from argus_smt.ir.ops import Block, Kernel, Op, Value
from argus_smt.ir.types import FLOAT_BITS, INT_BITS, Ptr, Scalar, Tile, Type
from argus_smt.source import NOWHERE, Span

_STRING = r'"(?:[^"\\]|\\.)*"'
_TOKEN = re.compile(rf"{_STRING}|%(?:{_STRING}\.|[A-Za-z_]\w*\.)?\d+|@[\d:-]+|(?:tile|ptr)<[\w<>]*>|[-+.\w]+|[()\[\]{{}}^:,=]|\S")
_SPAN = re.compile(r"@(\d+):(\d+):(\d+)(?:-(\d+):(\d+))?")
_TILE = re.compile(r"tile<((?:\d+x)+)(.*)>")
_CLASS: dict[str, type[Op]] = {mnemonic: cls for cls, mnemonic in MNEMONIC.items()}


def parse_kernel(text: str) -> Kernel:
    """The kernel that `print_kernel` wrote as `text`.

    Raises ValueError with the line number and what is wrong there. Scopes and types are `check`'s business.
    """
    reader = _Reader(text)
    try:
        return reader.kernel()
    except ValueError as error:
        raise ValueError(f"line {reader.at}: {error}") from error
    except IndexError as error:
        raise ValueError(f"line {reader.at}: the text ends too early") from error


@lru_cache(maxsize=1024)
def parse_type(text: str) -> Type:
    """The type that `str` wrote as `text`; raises ValueError for anything else."""
    if text in INT_BITS or text in FLOAT_BITS:
        return Scalar(text)
    if found := _TILE.fullmatch(text):
        elem = parse_type(found[2])
        if not isinstance(elem, Tile):
            return Tile(tuple(map(int, found[1][:-1].split("x"))), elem)
    elif text.startswith("ptr<") and text.endswith(">"):
        elem = parse_type(text[4:-1])
        if not isinstance(elem, Tile):
            return Ptr(elem)
    raise ValueError(f"no such type: {text}")


class _Reader:
    """Cursor over the tokens of one line at a time; `at` is the number of the current line."""

    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()
        self.at = 0
        self.tokens: list[str] = []
        self.place = 0
        self.values: dict[str, Value] = {}
        self.files: dict[int, str] = {}

    # ------------------------------------------------------------ tokens

    def next_line(self) -> None:
        self.tokens = []
        while not self.tokens:
            self.at += 1
            self.tokens = _TOKEN.findall(self.lines[self.at - 1])
        self.place = 0

    def peek(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self) -> str:
        token = self.tokens[self.place]
        self.place += 1
        return token

    def expect(self, token: str) -> None:
        if self.peek() != token:
            raise ValueError(f"{token!r} expected, not {self.peek() or 'the end of the line'!r}")
        self.place += 1

    def end(self) -> None:
        if self.peek():
            raise ValueError(f"{self.peek()!r} is not expected here")

    # ------------------------------------------------------------ values and spans

    def define(self, token: str, kind: Type) -> Value:
        if token[:1] != "%":
            raise ValueError(f"a value expected, not {token!r}")
        name, _, number = token[1:].rpartition(".")
        v = Value(int(number), kind, json.loads(name) if name[:1] == '"' else name)
        self.values[token] = v
        self.values[f"%{number}"] = v
        return v

    def use(self, token: str) -> Value:
        """The value defined as `token`; a use under another name keeps that name."""
        found = self.values.get(token)
        if found is not None and (found.name == "" or not token[1:].isdigit()):
            return found
        name, _, number = token[1:].rpartition(".")
        found = self.values.get(f"%{number}")
        if found is None:
            raise ValueError(f"{token} is not defined")
        return Value(found.number, found.type, json.loads(name) if name[:1] == '"' else name)

    def uses(self, closing: str) -> tuple[Value, ...]:
        out = []
        while self.peek() != closing:
            out.append(self.use(self.take()))
        return tuple(out)

    def span(self) -> Span:
        if self.peek()[:1] != "@":
            return NOWHERE
        found = _SPAN.fullmatch(self.take())
        if found is None or int(found[1]) not in self.files:
            raise ValueError("not a place in a listed file")
        _, line, column, end_line, end_column = (int(n or 0) for n in found.groups())
        return Span(self.files[int(found[1])], line, column, end_line, end_column)

    # ------------------------------------------------------------ structure

    def kernel(self) -> Kernel:
        self.next_line()
        while self.peek() == "file":
            self.take()
            number = int(self.take())
            self.files[number] = json.loads(self.take())
            self.next_line()
        self.expect("kernel")
        name = json.loads(self.take())
        params = self.params()
        names = tuple(v.name for v in params)
        if self.peek() == "params":
            self.take()
            names = tuple(json.loads(t) for t in self.listed("[", "]"))
        span = self.span()
        body = self.block(params)
        if any(line.strip() for line in self.lines[self.at :]):
            raise ValueError("text after the end of the kernel")
        return Kernel(name, body, names, span)

    def listed(self, opening: str, closing: str) -> list[str]:
        """Tokens between brackets, commas left out."""
        self.expect(opening)
        out = []
        while (token := self.take()) != closing:
            if token != ",":
                out.append(token)
        return out

    def params(self) -> tuple[Value, ...]:
        self.expect("(")
        out = []
        while self.peek() != ")":
            token = self.take()
            self.expect(":")
            out.append(self.define(token, parse_type(self.take())))
            if self.peek() == ",":
                self.take()
        self.expect(")")
        return tuple(out)

    def block(self, params: tuple[Value, ...]) -> Block:
        """From the opening brace, at the end of the current line, to the closing one."""
        self.expect("{")
        self.end()
        ops: list[Op] = []
        yields: tuple[Value, ...] = ()
        self.next_line()
        while self.peek() not in ("}", "yield"):
            ops.append(self.op())
            self.next_line()
        if self.peek() == "yield":
            self.take()
            yields = self.uses("")
            self.next_line()
        self.expect("}")
        self.end()
        return Block(params, tuple(ops), yields)

    def nested(self) -> Block:
        self.next_line()
        self.expect("^")
        return self.block(self.params())

    # ------------------------------------------------------------ operations

    def op(self) -> Op:
        made: list[str] = []
        while self.peek()[:1] == "%":
            made.append(self.take())
            if self.peek() != ",":
                self.expect("=")
                break
            self.take()
        cls, values = _operation(self.take())
        layout = LAYOUT[cls]
        self.fields(layout, values)
        types = self.types() if made else []
        span = self.span()
        self.end()
        if len(types) != len(made):
            raise ValueError(f"{len(types)} types for {len(made)} results")
        for f in layout:
            if f.kind == "block":
                values[f.name] = self.nested()
        results = tuple(self.define(token, t) for token, t in zip(made, types, strict=True))
        kind = layout[0].kind if layout else ""
        if kind == "results":
            values["results"] = results
        elif len(results) != (kind == "result"):
            raise ValueError(f"{MNEMONIC[cls]} has not {len(results)} results")
        elif results:
            values["result"] = results[0]
        return _make(cls, values, span)

    def types(self) -> list[Type]:
        self.expect(":")
        out = []
        while self.peek() and self.peek()[:1] != "@":
            out.append(parse_type(self.take()))
            if self.peek() == ",":
                self.take()
        return out

    def fields(self, layout: tuple[Field, ...], values: dict[str, Any]) -> None:
        """Reads operands by place and `name=…` by name into `values`, up to the types, the span or the end."""
        by_place = iter([f for f in layout if f.kind in ("value", "values", "number")])
        names = {f.name: f for f in layout}
        while (token := self.peek()) not in ("", ":") and token[0] != "@":
            self.take()
            if self.peek() == "=":
                self.take()
                if token not in names:
                    raise ValueError(f"no field {token!r} here")
                values[token] = self.named(names[token])
                continue
            field = next(by_place, None)
            if field is None:
                raise ValueError(f"{token!r} is one operand too many")
            values[field.name] = self.placed(field, token)

    def placed(self, field: Field, token: str) -> Any:
        if field.kind == "number":
            return _number(token)
        if field.kind == "value":
            return self.use(token)
        if token != "(":
            raise ValueError(f"a list of values expected, not {token!r}")
        out = self.uses(")")
        self.expect(")")
        return out

    def named(self, field: Field) -> Any:
        if field.kind == "optional":
            return self.use(self.take())
        if field.kind == "ints":
            return tuple(map(int, self.listed("[", "]")))
        return json.loads(self.take())


def _operation(mnemonic: str) -> tuple[type[Op], dict[str, Any]]:
    """Kind of operation, and the field that the mnemonic gives."""
    if mnemonic in O.UNARY:
        return O.Unary, {"fn": mnemonic}
    if mnemonic in O.BINARY:
        return O.Binary, {"fn": mnemonic}
    kind, dot, function = mnemonic.partition(".")
    cls = _CLASS.get(kind)
    if cls is None or cls in (O.Unary, O.Binary) or bool(dot) != (cls in FUNCTION_FIELD):
        raise ValueError(f"no such operation: {mnemonic}")
    return cls, {FUNCTION_FIELD[cls]: function} if dot else {}


def _number(token: str) -> int | float:
    try:
        return int(token)
    except ValueError:
        return float(token)


def _make(cls: type[Op], values: dict[str, Any], span: Span) -> Op:
    for f in LAYOUT[cls]:
        if f.kind == "optional":
            values.setdefault(f.name, None)
    try:
        return cls(**values, span=span)
    except TypeError as error:
        missing = [f.name for f in LAYOUT[cls] if f.name not in values]
        raise ValueError(f"{MNEMONIC[cls]} wants {', '.join(missing)}") from error
