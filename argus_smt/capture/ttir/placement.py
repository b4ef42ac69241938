"""Span and user name of each statement, from its location and the syntax tree around it.

Triton gives only a start, and it differs by version: 3.9 points at the expression itself, 3.6 at the last
operand that it visited. Both are settled the same way: of the expressions that start there and those around
them, the innermost that can have produced the operation is taken.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from argus_smt.capture.ttir.locations import Location, LocationTable
from argus_smt.capture.ttir.source_map import Node, SourceFile, SourceMap
from argus_smt.capture.ttir.syntax import BasicBlock, Function, Module, Statement
from argus_smt.source import NOWHERE, Span

_OPERATORS: dict[str, tuple[type[ast.AST], ...]] = {
    "arith.addi": (ast.Add,), "arith.addf": (ast.Add,), "tt.addptr": (ast.Add, ast.Sub),
    "arith.subi": (ast.Sub, ast.USub), "arith.subf": (ast.Sub, ast.USub), "arith.negf": (ast.USub,),
    "arith.muli": (ast.Mult,), "arith.mulf": (ast.Mult,), "arith.divf": (ast.Div,),
    "arith.divsi": (ast.FloorDiv,), "arith.divui": (ast.FloorDiv,),
    "arith.remsi": (ast.Mod,), "arith.remui": (ast.Mod,), "arith.remf": (ast.Mod,),
    "arith.andi": (ast.BitAnd, ast.And), "arith.ori": (ast.BitOr, ast.Or),
    "arith.xori": (ast.BitXor, ast.Not, ast.Invert), "arith.shli": (ast.LShift,),
    "arith.shrsi": (ast.RShift,), "arith.shrui": (ast.RShift,),
    "arith.cmpi": (ast.Compare, ast.Not), "arith.cmpf": (ast.Compare, ast.Not),
}  # fmt: skip
_CALLS = {
    "tt.load": ("load",), "tt.store": ("store",), "tt.dot": ("dot",), "tt.make_range": ("arange",),
    "tt.get_program_id": ("program_id",), "tt.get_num_programs": ("num_programs",), "tt.gather": ("gather",),
    "tt.reduce": ("reduce",), "tt.scan": ("associative_scan",), "tt.atomic_cas": ("atomic_cas",),
    "tt.atomic_rmw": ("atomic_add", "atomic_max", "atomic_min", "atomic_xchg", "atomic_and", "atomic_or", "atomic_xor"),
    "tt.assert": ("device_assert",), "llvm.intr.assume": ("assume",), "tt.print": ("device_print", "print"),
    "tt.trans": ("trans", "permute"), "tt.join": ("join",), "tt.split": ("split",), "tt.cat": ("cat",),
    "tt.elementwise_inline_asm": ("inline_asm_elementwise",), "tt.histogram": ("histogram",),
    "tt.descriptor_load": ("load", "load_tensor_descriptor"), "tt.descriptor_store": ("store", "store_tensor_descriptor"),
    "tt.descriptor_gather": ("gather",), "tt.descriptor_scatter": ("scatter",),
    "tt.descriptor_reduce": ("atomic_add", "atomic_max", "atomic_min", "atomic_and", "atomic_or", "atomic_xor"),
    "tt.make_tensor_descriptor": ("make_tensor_descriptor",), "tt.make_tensor_ptr": ("make_block_ptr",),
    "tt.advance": ("advance",), "tt.map_elementwise": ("map_elementwise",), "tt.dot_scaled": ("dot_scaled",),
    "tt.atomic_load": ("atomic_load",), "tt.atomic_store": ("atomic_store",), "tt.atomic_poll": ("atomic_poll",),
    "arith.select": ("where",),
    "arith.extf": ("to", "cast"),
    "arith.truncf": ("to", "cast"), "arith.extsi": ("to", "cast"), "arith.trunci": ("to", "cast"),
}  # fmt: skip
_STATEMENTS: dict[str, tuple[type[ast.AST], ...]] = {
    "scf.for": (ast.For,), "scf.while": (ast.While,), "scf.if": (ast.If, ast.IfExp), "tt.return": (ast.Return,),
}  # fmt: skip
_STRUCTURED = frozenset(("scf.for", "scf.while", "scf.if"))


Counts = dict[tuple[int, int, str], int]
"""How many operations of a kind were met at a line and column of one block."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement is, whether that is in Triton's library, and the name of its value (empty for a part)."""

    span: Span = NOWHERE
    in_library: bool = False
    name: str = ""


class Placement:
    """Places of the statements of one module."""

    def __init__(self, module: Module, sources: SourceMap) -> None:
        self._table = LocationTable(module.locations)
        self._sources = sources
        heads = [self._table.resolve(f.loc) for f in module.functions.values()]
        self._zero_based = any(h.line and h.column == 0 for h in heads)

    def head(self, f: Function) -> Span:
        """The `def` of a function."""
        where = self._table.resolve(f.loc)
        file = self._file(where)
        node = file.defs.get(where.line) if file else None
        return file.span(node) if file and node else Span(where.file, where.line, 1)

    def in_library(self, f: Function) -> bool:
        """Whether a function is Triton's own."""
        return self._table.resolve(f.loc).in_library

    def name(self, loc: str) -> str:
        """The user's name in a location, or the empty string."""
        return self._table.resolve(loc).name

    def user_name(self, f: Function, ssa: str) -> str:
        """The user's name that a printed SSA name such as `%acc_12` derives from, or the empty string."""
        where = self._table.resolve(f.loc)
        file = self._file(where)
        known = file.identifiers(where.line) if file else frozenset()
        bare = ssa.removeprefix("%").partition("#")[0]
        stem, _, tail = bare.rpartition("_")
        if bare in known:
            return bare
        return stem if tail.isdigit() and stem in known else ""

    def places(self, f: Function, block: BasicBlock) -> dict[Statement, Place]:
        """Place of each statement of one block (not of nested regions)."""
        shift = self._shift(f)
        out: dict[Statement, Place] = {}
        statements = block.statements
        counts: Counts = {}
        start = 0
        while start < len(statements):
            where = self._table.resolve(statements[start].loc)
            end = start + 1
            while end < len(statements) and self._table.resolve(statements[end].loc) == where:
                end += 1
            self._place_run(where, shift, statements[start:end], counts, out)
            start = end
        return out

    def _file(self, where: Location) -> SourceFile | None:
        """The parsed file of a place; None for Triton's own files, whose places nobody is shown."""
        return None if where.in_library else self._sources.file(where.file)

    def _shift(self, f: Function) -> int:
        """What makes a column of `f` 0-based and relative to its file: the base, the indentation of a nested `def`."""
        where = self._table.resolve(f.loc)
        file = self._file(where)
        node = file.defs.get(where.line) if file else None
        if node is not None:
            return node.col_offset - where.column
        return 0 if self._zero_based else -1

    def _place_run(
        self,
        where: Location,
        shift: int,
        run: tuple[Statement, ...],
        counts: Counts,
        out: dict[Statement, Place],
    ) -> None:
        """Places of consecutive statements of one location."""
        if not where.line or where.in_library:
            out.update((s, Place(NOWHERE, where.in_library, "")) for s in run)
            return
        file = self._file(where)
        column = where.column + shift
        if file is None:
            span = Span(where.file, where.line, max(column, 0) + 1)
            out.update((s, Place(span, False, where.name if s is run[-1] else "")) for s in run)
            return
        nodes = _choose(file, where.line, column, run, counts)
        for i, (s, node) in enumerate(zip(run, nodes, strict=True)):
            span = file.span(node) if node else Span(where.file, where.line, max(column, 0) + 1)
            last = node is None or node not in nodes[i + 1 :]
            named = s.op in _STRUCTURED or (last and node is not None and _is_whole_value(file, node))
            out[s] = Place(span, False, where.name if named else "")


def _choose(file: SourceFile, line: int, column: int, run: tuple[Statement, ...], counts: Counts) -> list[Node | None]:
    """A node a statement: the k-th operation of a kind takes the k-th node that fits, conversions go with the next."""
    here = file.innermost_first(line, column)
    around = file.enclosing(here[-1]) if here and not isinstance(here[-1], ast.stmt) else []
    if here and isinstance(here[0], ast.expr):
        around = [n for n in file.enclosing(here[0]) if n not in here] or around
    default = next((n for n in here if not isinstance(n, (ast.Name, ast.Constant, ast.Attribute))), None)
    default = default or (here[0] if here else None)
    chosen: list[Node | None] = [None] * len(run)
    pending = 0
    previous: Node | None = None
    for i, s in enumerate(run):
        fits = [n for n in here if _fits(s, n)] or [n for n in around if _fits(s, n)][:1]
        if fits:
            k = counts.get((line, column, s.op), 0)
            counts[line, column, s.op] = k + 1
            previous = chosen[i] = fits[k % len(fits)]
            chosen[pending:i] = [previous] * (i - pending)
            pending = i + 1
    chosen[pending:] = [previous or default] * (len(run) - pending)
    return chosen


def _fits(s: Statement, node: Node) -> bool:
    """Whether `node` can have produced the operation."""
    operators = _OPERATORS.get(s.op)
    if operators is not None:
        if isinstance(node, (ast.BinOp, ast.AugAssign, ast.BoolOp, ast.UnaryOp)):
            return isinstance(node.op, operators)
        return isinstance(node, ast.Compare) and isinstance(node, operators)
    if s.op in _STATEMENTS:
        return isinstance(node, _STATEMENTS[s.op])
    if s.op == "tt.expand_dims" and isinstance(node, ast.Subscript):
        return True
    if not isinstance(node, ast.Call):
        return False
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if s.op == "tt.call":
        return f"{called}__" in s.text.partition("(%")[0]
    if s.op.startswith("math."):
        return called in s.op or called in ("rsqrt", "abs")
    return called in _CALLS.get(s.op, ())


def _is_whole_value(file: SourceFile, node: Node) -> bool:
    """Whether `node` is all that an assignment assigns."""
    parent = file.parents.get(node)
    match parent:
        case ast.Assign() | ast.AnnAssign() | ast.NamedExpr():
            return parent.value is node
    return isinstance(node, (ast.AugAssign, ast.Assign, ast.AnnAssign))
