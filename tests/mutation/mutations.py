"""Single faults that are planted in a file of Triton kernels, by a fixed list of kinds, as new texts of the file."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

KINDS = {
    "mask dropped": "a load, store or atomic without its mask",
    "mask weakened": "one side of an `&`",
    "bound": "`<` becomes `<=`, `>=` becomes `>`, and so on",
    "stride swapped": "a stride in place of its neighbour",
    "axis swapped": "a program id of another axis",
    "step": "a step or block size one larger or smaller",
    "block halved": "a block size that the kernel gets half of",
    "other changed": "another fill value of masked lanes",
    "atomic made plain": "an atomic addition or exchange as a load and a store",
    "barrier removed": "a barrier less",
    "loop bound": "a loop one trip longer or shorter",
}
_WIDER = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
_ACCESSES = ("load", "store", "atomic_add", "atomic_max", "atomic_min", "atomic_xchg")


@dataclass(frozen=True, slots=True)
class Mutation:
    """One fault of one kind: `text` is the whole file with it, `line` where it is, `was` and `now` what changed there."""

    kind: str
    line: int
    was: str
    now: str
    text: str

    def __str__(self) -> str:
        return f"{self.line}: {self.kind}: {' '.join(self.was.split())} -> {' '.join(self.now.split())}"


Edit = tuple[str, ast.expr | ast.stmt, str]
"""Kind, what is replaced, and by what."""


def mutations(source: str) -> list[Mutation]:
    """All single mutations of the kernels of a file and of what its launchers pass, in the order of the lines.

    Raises SyntaxError for a text that is no Python.
    """
    tree = ast.parse(source)
    starts = _starts(source)
    found: dict[str, Mutation] = {}
    for function in (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)):
        edits = _kernel(function, source) if _is_kernel(function) else _launcher(function, source)
        for kind, node, now in edits:
            assert node.end_lineno is not None
            assert node.end_col_offset is not None
            begin = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            was = source[begin:end]
            now += "\n" * (was.count("\n") - now.count("\n")) if isinstance(node, ast.stmt) else ""
            text = source[:begin] + now + source[end:]
            if text != source:
                found.setdefault(text, Mutation(kind, node.lineno, was, now, text))
    return sorted(found.values(), key=lambda m: (m.line, m.kind, m.now))


def _starts(source: str) -> list[int]:
    """Where each line begins. Columns of the tree are bytes, so the files must be ASCII where it matters."""
    out, at = [], 0
    for line in source.splitlines(keepends=True):
        out.append(at)
        at += len(line)
    return out


def _is_kernel(function: ast.FunctionDef) -> bool:
    return any("jit" in ast.unparse(d) for d in function.decorator_list)


def _kernel(function: ast.FunctionDef, source: str) -> Iterator[Edit]:
    for rule in (_masks, _conjunctions, _bounds, _strides, _axes, _steps, _fills, _atomics, _barriers, _trips):
        yield from rule(function, source)


def _segment(source: str, node: ast.AST) -> str:
    return ast.get_source_segment(source, node) or ""


def _calls(function: ast.AST, *names: str) -> Iterator[ast.Call]:
    """Calls of `tl.name(…)`."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names:
            yield node


def _rebuilt(call: ast.Call, source: str, keep: Callable[[ast.keyword], bool], **changed: str) -> str:
    """A call with some of its keywords, and some of those changed."""
    parts = [_segment(source, a) for a in call.args]
    parts += [f"{k.arg}={changed.get(k.arg or '', _segment(source, k.value))}" for k in call.keywords if keep(k)]
    return f"{_segment(source, call.func)}({', '.join(parts)})"


def _masks(function: ast.FunctionDef, source: str) -> Iterator[Edit]:
    for call in _calls(function, *_ACCESSES):
        if any(k.arg == "mask" for k in call.keywords):
            yield "mask dropped", call, _rebuilt(call, source, lambda k: k.arg not in ("mask", "other"))


def _conjunctions(function: ast.FunctionDef, source: str) -> Iterator[Edit]:
    for node in ast.walk(function):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
            for side in (node.left, node.right):
                yield "mask weakened", node, _segment(source, side)


def _bounds(function: ast.FunctionDef, source: str) -> Iterator[Edit]:
    for node in ast.walk(function):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _WIDER:
            sides = _segment(source, node.left), _segment(source, node.comparators[0])
            yield "bound", node, f"{sides[0]} {_WIDER[type(node.ops[0])]} {sides[1]}"


def _strides(function: ast.FunctionDef, source: str) -> Iterator[Edit]:
    names = [a.arg for a in function.args.args if "stride" in a.arg]
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load) and len(names) > 1:
            at = names.index(node.id)
            yield "stride swapped", node, names[at + 1] if at + 1 < len(names) and at % 2 == 0 else names[at - 1]


def _axes(function: ast.FunctionDef, source: str) -> Iterator[Edit]:
    for call in _calls(function, "program_id"):
        axis = (call.args or [k.value for k in call.keywords])[0]
        if isinstance(axis, ast.Constant) and isinstance(axis.value, int):
            yield "axis swapped", axis, str((axis.value + 1) % 3)


def _steps(function: ast.FunctionDef, source: str) -> Iterator[Edit]:
    constants = {a.arg for a in function.args.args if a.annotation is not None and "constexpr" in ast.unparse(a.annotation)}
    for node in ast.walk(function):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            factors = [n for n in (node.left, node.right) if isinstance(n, ast.Name) and n.id in constants]
        elif isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and len(node.iter.args) == 3:
            factors = [node.iter.args[2]]  # type: ignore[list-item]
        else:
            continue
        for factor in factors:
            for by in ("+ 1", "- 1"):
                yield "step", factor, f"({_segment(source, factor)} {by})"


def _fills(function: ast.FunctionDef, source: str) -> Iterator[Edit]:
    for call in _calls(function, "load"):
        for k in call.keywords:
            if k.arg == "other":
                yield "other changed", k.value, "1" if _segment(source, k.value) in ("0", "0.0") else "0"


def _atomics(function: ast.FunctionDef, source: str) -> Iterator[Edit]:
    for node in ast.walk(function):
        call = node.value if isinstance(node, ast.Expr) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or len(call.args) < 2:
            continue
        pointer, value = (_segment(source, a) for a in call.args[:2])
        mask = "".join(f", mask={_segment(source, k.value)}" for k in call.keywords if k.arg == "mask")
        if call.func.attr == "atomic_add":
            yield "atomic made plain", node, f"tl.store({pointer}, tl.load({pointer}{mask}) + ({value}){mask})"
        elif call.func.attr == "atomic_xchg":
            yield "atomic made plain", node, f"tl.store({pointer}, {value}{mask})"


def _barriers(function: ast.FunctionDef, source: str) -> Iterator[Edit]:
    for node in ast.walk(function):
        if isinstance(node, ast.Expr) and "debug_barrier" in _segment(source, node):
            yield "barrier removed", node, "pass"


def _trips(function: ast.FunctionDef, source: str) -> Iterator[Edit]:
    for node in ast.walk(function):
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
            args = node.iter.args
            upper = args[0] if len(args) == 1 else args[1]
            step = f" * ({_segment(source, args[2])})" if len(args) == 3 else ""
            for by in ("+ 1", "- 1"):
                yield "loop bound", upper, f"({_segment(source, upper)} {by}{step})"


def _launcher(function: ast.FunctionDef, source: str) -> Iterator[Edit]:
    """Constants that a launch passes by keyword in capitals, `kernel[grid](…, BLOCK=B)`."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript):
            for k in node.keywords:
                if k.arg is not None and k.arg.isupper() and ("BLOCK" in k.arg or k.arg.startswith("B")):
                    yield "block halved", k.value, f"({_segment(source, k.value)}) // 2"
