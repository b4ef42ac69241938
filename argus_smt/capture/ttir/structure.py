"""Branch graphs of functions with early returns → nested `If` operations, without copying any block.

Triton branches (`cf`) only where a branch of an `if` returns, so graphs are acyclic and nest. Where a branch may
have returned before the others meet again, the `If` yields a flag, and what follows runs under its negation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import networkx as nx

from argus_smt.capture.ttir.errors import Unsupported
from argus_smt.capture.ttir.syntax import BasicBlock, Function, Parameter, Statement
from argus_smt.capture.ttir.text import close_of
from argus_smt.ir.ops import Block, Const, If, Op, Undef, Value
from argus_smt.ir.types import I1, Ptr, Type, elem_of
from argus_smt.source import Span

_TARGET = re.compile(r"\^(\w+)")
_SSA = re.compile(r"%[\w$.-]+(?:#\d+)?")


@dataclass(frozen=True, slots=True)
class Exit:
    """How a piece of the graph ends: `returned` is true, false, or an i1 value; values are None where impossible."""

    returned: bool | Value
    values: tuple[Value, ...] | None
    jump: tuple[Value, ...] | None


class Host(Protocol):
    """What the structurer needs of the importer; `count` is the number that the next value gets."""

    count: int

    def get(self, name: str, span: Span) -> Value: ...
    def get_all(self, name: str, span: Span) -> tuple[Value, ...]: ...
    def bind_params(self, params: Sequence[Parameter], values: Sequence[Value]) -> None: ...
    def fresh(self, t: Type, name: str) -> Value: ...
    def emit(self, op: Op) -> None: ...
    def nested(self, build: Callable[[], tuple[Value, ...]]) -> Block: ...
    def body(self, block: BasicBlock) -> None: ...
    def span_of(self, s: Statement) -> Span: ...
    def param_types(self, block: BasicBlock) -> tuple[Type, ...]: ...
    def param_names(self, block: BasicBlock) -> tuple[str, ...]: ...


class Structurer:
    """One run over one function: `run` emits its operations through `host` and gives what it returns."""

    def __init__(self, host: Host, f: Function, result_types: tuple[Type, ...]) -> None:
        self.host = host
        self.blocks = {b.label: b for b in f.blocks}
        self.entry = f.blocks[0].label
        self.result_types = result_types
        self.order: list[str] = []
        self.reach: dict[str, frozenset[str]] = {}
        self._explore()

    def run(self) -> tuple[Value, ...]:
        """Emit the whole function; its returned values. Raises Unsupported where the graph does not nest."""
        end = self._piece(self.entry, None)
        if end.returned is not True or end.values is None:
            raise Unsupported("a path through a function does not return")
        return end.values

    def _graph(self) -> nx.DiGraph[str]:
        """Blocks that the entry reaches and the branches between them."""
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_node(self.entry)
        work = [self.entry]
        while work:
            label = work.pop()
            for target, _ in self._targets(self.blocks[label].statements[-1]):
                if target not in graph:
                    work.append(target)
                graph.add_edge(label, target)
        return graph

    def _explore(self) -> None:
        """Set `order`, which lists blocks after all that they reach, and `reach`, each block itself included."""
        graph = self._graph()
        if not nx.is_directed_acyclic_graph(graph):
            first = nx.find_cycle(graph, self.entry)[0][0]
            raise Unsupported("a branch goes back: loops must be structured", self._span(first))
        self.order = list(nx.dfs_postorder_nodes(graph, self.entry))
        self.reach = {label: frozenset((label, *nx.descendants(graph, label))) for label in graph}

    def _span(self, label: str) -> Span:
        return self.host.span_of(self.blocks[label].statements[-1])

    def _targets(self, s: Statement) -> list[tuple[str, tuple[str, ...]]]:
        """Labels with the names of the values passed to each."""
        out = []
        for m in _TARGET.finditer(s.text):
            end = close_of(s.text, m.end()) if s.text[m.end() : m.end() + 1] == "(" else m.end()
            out.append((m.group(1), tuple(_SSA.findall(s.text[m.end() : end].partition(" : ")[0]))))
        return out

    def _piece(self, label: str, stop: str | None) -> Exit:
        """Emit blocks from `label` until a return or a jump to `stop`."""
        while True:
            block = self.blocks[label]
            self.host.body(block)
            last = block.statements[-1]
            span = self.host.span_of(last)
            match last.op:
                case "tt.return":
                    names = _SSA.findall(last.text.partition(" : ")[0])
                    return Exit(True, self._values(names, span), None)
                case "cf.br":
                    ((label, passed),) = self._targets(last)
                    args = self._values(passed, span)
                    if label == stop:
                        return Exit(False, None, args)
                    self._enter(label, args)
                case "cf.cond_br":
                    done, after = self._branch(last, stop)
                    if after is None:
                        return done
                    if done.returned is not False:
                        return self._rest_if_not_returned(done, after, stop, span)
                    self._enter(after, done.jump or ())
                    label = after
                case other:
                    raise Unsupported(f"terminator `{other}` has no meaning here", span)

    def _enter(self, label: str, args: tuple[Value, ...]) -> None:
        self.host.bind_params(self.blocks[label].params, args)

    def _values(self, names: Sequence[str], span: Span) -> tuple[Value, ...]:
        return tuple(v for n in names for v in self.host.get_all(n, span))

    def _branch(self, s: Statement, stop: str | None) -> tuple[Exit, str | None]:
        """Emit the `If` of a branch; how its sides end, and the block where they meet (None: at `stop`, or nowhere)."""
        span = self.host.span_of(s)
        cond = self.host.get(_SSA.findall(s.text)[0], span)
        sides = self._targets(s)
        if len(sides) != 2:
            raise Unsupported("a conditional branch without two targets", span)
        common = self.reach[sides[0][0]] & self.reach[sides[1][0]]
        meet = max(common, key=self.order.index) if common else stop
        if meet is not None and not common <= self.reach[meet]:
            raise Unsupported("branches that do not nest", span)
        ends: list[Exit] = []

        def side(label: str, passed: tuple[str, ...]) -> Callable[[], tuple[Value, ...]]:
            def build() -> tuple[Value, ...]:
                args = self._values(passed, span)
                if label == meet:
                    ends.append(Exit(False, None, args))
                else:
                    self._enter(label, args)
                    ends.append(self._piece(label, meet))
                return ()

            return build

        mark = self.host.count
        blocks = [self.host.nested(side(*x)) for x in sides]
        end = self._join(cond, (blocks[0], blocks[1]), (ends[0], ends[1]), meet, mark, span)
        return end, None if meet == stop else meet

    def _rest_if_not_returned(self, done: Exit, after: str, stop: str | None, span: Span) -> Exit:
        """Emit what follows a meeting point that some paths never reach because they returned."""
        assert isinstance(done.returned, Value)
        self._enter(after, done.jump or ())
        ends: list[Exit] = []

        def build() -> tuple[Value, ...]:
            ends.append(self._piece(after, stop))
            return ()

        mark = self.host.count
        rest = self.host.nested(build)
        early = Exit(True, done.values, None)
        return self._join(done.returned, (Block((), ()), rest), (early, ends[0]), stop, mark, span)

    def _join(
        self, cond: Value, blocks: tuple[Block, Block], ends: tuple[Exit, Exit], meet: str | None, mark: int, span: Span
    ) -> Exit:
        """Emit `If` over two finished blocks; it yields a flag if needed, then returned values, then the jump's.

        Values numbered below `mark` are visible in both blocks.
        """
        flagged = not all(e.returned is ends[0].returned and isinstance(e.returned, bool) for e in ends)
        returns = any(e.values is not None for e in ends)
        jumps = any(e.jump is not None for e in ends)
        jump_types = self.host.param_types(self.blocks[meet]) if jumps and meet else ()
        types = ((I1,) if flagged else ()) + (self.result_types if returns else ()) + jump_types
        sides = []
        for block, end, other in zip(blocks, ends, ends[::-1], strict=True):
            extra: list[Op] = []
            yields: list[Value] = []
            if flagged:
                yields.append(self._flag(end.returned, extra, span))
            if returns:
                yields += end.values or self._unused(self.result_types, other.values, mark, extra, span)
            yields += end.jump or self._unused(jump_types, other.jump, mark, extra, span)
            sides.append(Block((), (*block.ops, *extra), tuple(yields)))
        names = self.host.param_names(self.blocks[meet]) if jump_types and meet else ()
        names = ("",) * (len(types) - len(names)) + names
        results = tuple(self.host.fresh(t, n) for t, n in zip(types, names, strict=True))
        self.host.emit(If(results, cond, sides[0], sides[1], span=span))
        rest = results[1:] if flagged else results
        cut = len(self.result_types) if returns else 0
        returned = results[0] if flagged else ends[0].returned
        return Exit(returned, rest[:cut] if returns else None, rest[cut:] if jumps else None)

    def _flag(self, returned: bool | Value, extra: list[Op], span: Span) -> Value:
        if isinstance(returned, Value):
            return returned
        flag = self.host.fresh(I1, "")
        extra.append(Const(flag, int(returned), span=span))
        return flag

    def _unused(
        self, types: tuple[Type, ...], twins: tuple[Value, ...] | None, mark: int, extra: list[Op], span: Span
    ) -> list[Value]:
        """Values for a path on which they are never looked at: those of the other path where visible, else zeros."""
        out = []
        for i, t in enumerate(types):
            if twins and twins[i].number < mark:
                out.append(twins[i])
                continue
            v = self.host.fresh(t, "")
            elem = elem_of(t)
            if isinstance(elem, Ptr):
                extra.append(Undef(v, span=span))
            else:
                extra.append(Const(v, 0 if elem.is_int else 0.0, span=span))
            out.append(v)
        return out
