"""Text of a TTIR module → tree of functions, blocks and statements, with every line accounted for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from argus_smt.capture.ttir.errors import Unsupported
from argus_smt.capture.ttir.text import close_of, split_list, unquote
from argus_smt.capture.ttir.type_text import type_list

_RESULTS = re.compile(r"(%[\w$.-]+(?::\d+)?(?:, %[\w$.-]+(?::\d+)?)*) = ")
_NAME = re.compile(r'"([\w.]+)"|([A-Za-z_]\w*(?:\.\w+)+)')
_LABEL = re.compile(r"\^(\w+)(?:\((.*)\))?:\s*(?://.*)?$")
_ALIAS = re.compile(r"#([\w.]+) = (.*)$")
_SYMBOL = re.compile(r'@(?:"((?:[^"\\]|\\.)*)"|([\w$.-]+))')


@dataclass(frozen=True, slots=True)
class Parameter:
    """A block or function argument; `loc` is the text inside `loc(…)`."""

    name: str
    type: str
    loc: str


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """One operation. `results` are SSA names (`%3:2` gives `%3#0`, `%3#1`), `op` is empty where the line is unclear.

    `text` is what follows the name: operands, attributes and types, without regions; `regions` come in order.
    """

    results: tuple[str, ...]
    op: str
    text: str
    regions: tuple[tuple[BasicBlock, ...], ...]
    loc: str
    line: int


@dataclass(frozen=True, slots=True, eq=False)
class BasicBlock:
    """Statements in order; the last one of a function's block is its terminator."""

    label: str
    params: tuple[Parameter, ...]
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A `tt.func`; the parameters are those of `blocks[0]`."""

    name: str
    public: bool
    params: tuple[Parameter, ...]
    results: tuple[str, ...]
    blocks: tuple[BasicBlock, ...]
    loc: str


@dataclass(frozen=True, slots=True, eq=False)
class Module:
    """All functions by name, and the text of each `#loc` alias."""

    functions: dict[str, Function]
    locations: dict[str, str]


def parse_module(text: str) -> Module:
    """The tree of a printed module.

    Raises Unsupported where the nesting cannot be followed, or where a line is left over.
    """
    return _Parser(text).module()


def statements_of(blocks: tuple[BasicBlock, ...]) -> Iterator[Statement]:
    """All statements of some blocks, nested ones after the statement that holds them."""
    for block in blocks:
        for s in block.statements:
            yield s
            for region in s.regions:
                yield from statements_of(region)


class _Parser:
    def __init__(self, text: str) -> None:
        self.lines = [line.strip() for line in text.split("\n")]
        self.at = 0
        self.made = 0

    def module(self) -> Module:
        locations: dict[str, str] = {}
        functions: dict[str, Function] = {}
        seen_module = False
        while self.at < len(self.lines):
            line = self.lines[self.at]
            alias = _ALIAS.match(line)
            if alias:
                if alias.group(2).startswith("loc("):
                    locations[alias.group(1)] = alias.group(2)[len("loc(") : -1]
                self.at += 1
            elif line.startswith("module") and line.endswith("{") and not seen_module:
                seen_module = True
                self.at += 1
                functions = self._functions()
            elif not line:
                self.at += 1
            else:
                raise self._error()
        if not functions:
            raise Unsupported("the module holds no function")
        self._account(functions)
        return Module(functions, locations)

    def _functions(self) -> dict[str, Function]:
        out = {}
        while not self._peek().startswith("}"):
            if self._peek().startswith("tt.func"):
                f = self._function()
                out[f.name] = f
            elif self._peek():
                raise self._error()
            else:
                self.at += 1
        self.at += 1
        return out

    def _function(self) -> Function:
        head = self._peek()
        symbol = _SYMBOL.search(head)
        if symbol is None or not head.endswith("{"):
            raise self._error()
        start = head.index("(", symbol.end())
        end = close_of(head, start)
        params = self._parameters(head[start + 1 : end])
        arrow, _, _ = head[end + 1 : -1].partition(" attributes {")
        results = type_list(arrow.strip().removeprefix("->")) if "->" in arrow else ()
        self.at += 1
        blocks = self._region()
        _, loc = _cut_location(self._peek()[1:])
        self.at += 1
        name = unquote(symbol.group(1)) if symbol.group(1) is not None else symbol.group(2)
        return Function(name, "public" in head[: symbol.start()].split(), params, results, blocks, loc)

    def _region(self) -> tuple[BasicBlock, ...]:
        """Blocks up to the line that starts with the closing brace, which is left for the caller."""
        blocks: list[BasicBlock] = []
        label = "bb0"
        params: tuple[Parameter, ...] = ()
        body: list[Statement] = []
        fresh = True
        while not (line := self._peek()).startswith("}"):
            if line.startswith("^"):
                found = _LABEL.match(line)
                if found is None:
                    raise self._error()
                if not fresh or body:
                    blocks.append(BasicBlock(label, params, tuple(body)))
                label, params, body = found.group(1), self._parameters(found.group(2) or ""), []
                fresh = False
                self.at += 1
            elif line:
                body.append(self._statement())
            else:
                self.at += 1
        blocks.append(BasicBlock(label, params, tuple(body)))
        return tuple(blocks)

    def _statement(self) -> Statement:
        number, line = self.at, self._peek()
        self.at += 1
        self.made += 1
        opens = line.endswith("{")
        head, loc = (line[:-1].rstrip(), "unknown") if opens else _cut_location(line)
        regions: list[tuple[BasicBlock, ...]] = []
        tail = ""
        while opens:
            regions.append(self._region())
            closing = self._peek()
            self.at += 1
            opens = closing in ("} else {", "} do {", "}, {")
            if not opens:
                tail, loc = _cut_location(closing[1:])
        if head.endswith("(") and tail.startswith(")"):
            head, tail = head[:-1].rstrip(), tail[1:]
        results, op, text = _split_head(head)
        return Statement(results, op, f"{text} {tail.strip()}".strip(), tuple(regions), loc, number + 1)

    def _parameters(self, text: str) -> tuple[Parameter, ...]:
        out = []
        for part in split_list(text):
            body, loc = _cut_location(part)
            name, _, kind = body.partition(": ")
            if not name.startswith("%") or not kind:
                raise self._error()
            out.append(Parameter(name, kind.partition(" {")[0].strip(), loc))
        return tuple(out)

    def _account(self, functions: dict[str, Function]) -> None:
        """Compare the statements in the tree with the lines that are no label, brace, alias or function head."""
        marks = ("}", "^", "#", "module", "tt.func")
        lines = sum(1 for line in self.lines if line and not line.startswith(marks))
        kept = sum(1 for f in functions.values() for _ in statements_of(f.blocks))
        if not lines == kept == self.made:
            raise Unsupported(f"internal: {lines} operations in the module, {kept} understood")

    def _peek(self) -> str:
        if self.at >= len(self.lines):
            raise Unsupported("the module's text ends early")
        return self.lines[self.at]

    def _error(self) -> Unsupported:
        return Unsupported(f"line {self.at + 1} of the module is not understood: {self._peek()[:80]}")


def _cut_location(line: str) -> tuple[str, str]:
    """`(line without its trailing location, text inside loc(…))`."""
    at = line.rfind("loc(")
    if at < 0 or not line.endswith(")") or (at and line[at - 1] not in " )}"):
        return line.strip(), "unknown"
    return line[:at].strip(), line[at + len("loc(") : -1]


def _split_head(head: str) -> tuple[tuple[str, ...], str, str]:
    """`(result names, operation, rest)`; the operation is empty where the text has another form."""
    found = _RESULTS.match(head)
    results: list[str] = []
    if found:
        for item in found.group(1).split(", "):
            name, _, count = item.partition(":")
            results += [f"{name}#{i}" for i in range(int(count))] if count else [name]
        head = head[found.end() :]
    op = _NAME.match(head)
    if op is None:
        return tuple(results), "", head
    return tuple(results), op.group(1) or op.group(2), head[op.end() :].strip()
