"""What the text of a launcher says about its arguments: ranks, names and equalities of sizes, strides, element types."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from argus_smt.capture.pointers import stored_by_kernels

Slot = tuple[str, int]
"""A size: the argument's name and the number of the dimension."""

_DTYPES = {
    "float16": "f16", "half": "f16", "bfloat16": "bf16", "float32": "f32", "float": "f32", "float64": "f64", "double": "f64",
    "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "int": "i32", "long": "i64", "uint8": "u8", "bool": "bool",
    "float8_e4m3fn": "f8e4m3fn", "float8_e4m3fnuz": "f8e4m3fnuz", "float8_e5m2": "f8e5m2",
}  # fmt: skip


@dataclass(slots=True)
class Evidence:
    """By argument. `names` gives a slot the launcher's own name for it; every entry comes with what shows it."""

    ranks: dict[str, int] = field(default_factory=dict)
    names: dict[Slot, tuple[str, str]] = field(default_factory=dict)
    equal: list[tuple[Slot, Slot, str]] = field(default_factory=list)
    strides: dict[str, dict[int, str]] = field(default_factory=dict)
    """Dimensions whose stride the launcher reads; -1 for all."""
    contiguous: dict[str, str] = field(default_factory=dict)
    dtypes: dict[str, tuple[str, str]] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)
    where: list[tuple[str, str]] = field(default_factory=list)
    tensors: dict[str, str] = field(default_factory=dict)


def evidence_of(f: ast.FunctionDef, kernels: tuple[ast.FunctionDef, ...]) -> Evidence:
    """The evidence in a launcher's body; later assignments of a name do not undo earlier ones."""
    out = Evidence()
    params = {a.arg for a in (*f.args.posonlyargs, *f.args.args, *f.args.kwonlyargs)}
    reader = _Reader(out, params)
    for n in ast.walk(f):
        reader.node(n)
    for name, what in stored_by_kernels(f, kernels).items():
        if name in params:
            out.written.setdefault(name, what)
            out.tensors.setdefault(name, what)
    for tensor, index in (*out.names, *(s for pair in out.equal for s in pair[:2])):
        out.ranks.setdefault(tensor, 0)
        if index >= 0:
            out.ranks[tensor] = max(out.ranks[tensor], index + 1)
    return out


class _Reader:
    """Reads nodes of a launcher into its evidence."""

    def __init__(self, out: Evidence, params: set[str]) -> None:
        self.out, self.params = out, params

    def node(self, n: ast.AST) -> None:
        match n:
            case ast.Assign(targets=[target], value=value):
                for t, v in _pairs(target, value):
                    self.assigned(t, v)
            case ast.Assert(test=test):
                for part in _conjuncts(test):
                    self.claim(part)
            case ast.Attribute(value=ast.Name(id=name), attr="shape" | "stride" | "dtype" | "device" | "numel" | "size" | "ndim"):
                if name in self.params:
                    self.out.tensors.setdefault(name, f"`{ast.unparse(n)}` (line {n.lineno})")
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="stride"), args=args) if name in self.params:
                index = _integer(args[0]) if args else -1
                self.out.strides.setdefault(name, {})[-1 if index is None else index] = f"line {n.lineno}"
                if index is not None and index >= 0:
                    self.rank_at_least(name, index + 1)
            case _:
                pass
        if isinstance(n, ast.Subscript | ast.Call):
            slot = self.slot(n)
            if slot is not None and slot[1] >= 0:
                self.rank_at_least(slot[0], slot[1] + 1)

    def rank_at_least(self, tensor: str, rank: int) -> None:
        self.out.ranks[tensor] = max(rank, self.out.ranks.get(tensor, 0))

    def assigned(self, target: ast.expr, value: ast.expr) -> None:
        shown = f"`{ast.unparse(target)} = {ast.unparse(value)}` (line {target.lineno})"
        tensor = self.shape(value)
        if tensor and isinstance(target, ast.Tuple) and not any(isinstance(e, ast.Starred) for e in target.elts):
            self.out.ranks[tensor] = len(target.elts)
            for i, e in enumerate(target.elts):
                if isinstance(e, ast.Name) and e.id != "_":
                    self.out.names.setdefault((tensor, i), (e.id, shown))
            return
        slot = self.slot(value)
        if slot is not None and isinstance(target, ast.Name):
            self.out.names.setdefault(slot, (target.id, shown))
        match value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="numel")) if name in self.params:
                if isinstance(target, ast.Name):
                    self.out.names.setdefault((name, 0), (target.id, shown))
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="contiguous")) if name in self.params:
                if isinstance(target, ast.Name) and target.id == name:
                    self.out.strides.pop(name, None)
                    self.out.contiguous.setdefault(name, "")  # any strides will do, for the launcher copies
            case _:
                pass

    def claim(self, test: ast.expr) -> None:
        """What an assertion says."""
        shown = f"`assert {ast.unparse(test)}` (line {test.lineno})"
        match test:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="is_contiguous")) if name in self.params:
                self.out.contiguous[name] = shown
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
                self.equation(left, right, shown)
            case ast.Compare(left=ast.Attribute(value=ast.Name(id=name), attr="dtype"), ops=[ast.In()], comparators=[c]):
                for e in c.elts if isinstance(c, ast.Tuple | ast.List | ast.Set) else []:
                    self.dtype(name, e, shown)
            case _:
                pass

    def equation(self, left: ast.expr, right: ast.expr, shown: str) -> None:
        a, b = self.slot(left), self.slot(right)
        if a is not None and b is not None:
            self.out.equal.append((a, b, shown))
            return
        x, y = self.shape(left), self.shape(right)
        if x and y:
            rank = max(self.out.ranks.get(x, 0), self.out.ranks.get(y, 0), 1)
            self.out.equal += [((x, i), (y, i), shown) for i in range(rank)]
            return
        for one, other in ((left, right), (right, left)):
            match one:
                case ast.Attribute(value=ast.Name(id=name), attr="dtype") if name in self.params:
                    self.dtype(name, other, shown)
                case ast.Attribute(value=ast.Name(id=name), attr="ndim") if _integer(other) is not None:
                    self.rank(name, other)
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="dim")) if _integer(other) is not None:
                    self.rank(name, other)
                case ast.Call(func=ast.Name(id="len"), args=[shape]) if self.shape(shape) and _integer(other) is not None:
                    self.rank(self.shape(shape), other)
                case ast.BinOp(op=ast.Mod(), left=dividend, right=divisor) if _integer(other) == 0:
                    slot, by = self.slot(dividend), _integer(divisor)
                    name = dividend.id if isinstance(dividend, ast.Name) else ""
                    if by is not None and (slot is not None or name):
                        self.out.where.append((f"{_placeholder(slot) if slot is not None else name} % {by} == 0", shown))
                case _:
                    pass

    def rank(self, tensor: str, rank: ast.expr) -> None:
        n = _integer(rank)
        if tensor in self.params and n is not None:
            self.out.ranks[tensor] = n

    def dtype(self, tensor: str, e: ast.expr, shown: str) -> None:
        name = e.attr if isinstance(e, ast.Attribute) else ""
        if name in _DTYPES and tensor in self.params:
            self.out.dtypes.setdefault(tensor, (_DTYPES[name], shown))

    def shape(self, value: ast.expr) -> str:
        """The argument whose whole shape is taken."""
        match value:
            case ast.Attribute(value=ast.Name(id=name), attr="shape") if name in self.params:
                return name
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="size"), args=[]) if name in self.params:
                return name
            case _:
                return ""

    def slot(self, value: ast.AST) -> Slot | None:
        """The size that `x.shape[0]` or `x.size(0)` is; negative numbers count from the end."""
        match value:
            case ast.Subscript(value=shape, slice=i) if self.shape(shape):
                index = _integer(i)
                return None if index is None else (self.shape(shape), index)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="size"), args=[i]) if name in self.params:
                index = _integer(i)
                return None if index is None else (name, index)
            case _:
                return None


def _placeholder(slot: Slot) -> str:
    """Stands for a size in a condition until all sizes have names."""
    return f"{{{slot[0]}.{slot[1]}}}"


def _integer(e: ast.expr) -> int | None:
    try:
        value = ast.literal_eval(e)
    except (ValueError, TypeError, SyntaxError):
        return None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        yield from zip(target.elts, value.elts, strict=True)
    else:
        yield target, value


def _conjuncts(test: ast.expr) -> Iterator[ast.expr]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for v in test.values:
            yield from _conjuncts(v)
    elif isinstance(test, ast.Compare) and len(test.ops) > 1:
        sides = [test.left, *test.comparators]
        for a, op, b in zip(sides, test.ops, sides[1:], strict=False):
            yield ast.copy_location(ast.Compare(a, [op], [b]), test)
    else:
        yield test
