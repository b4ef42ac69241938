"""Kernels for the interpreter's tests, put together by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from argus_smt.interp.events import Trace
from argus_smt.interp.formats import encode, lane_dtype
from argus_smt.interp.memory import Memory, Region
from argus_smt.interp.run import PointerValue, run_grid
from argus_smt.ir.ops import AddPtr, Block, Const, Kernel, Load, Range, Reshape, Splat, Store, Value
from argus_smt.ir.types import I32, Ptr, Scalar, Tile, Type, elem_of
from argus_smt.source import Span


class Builder:
    """Collects operations; each is placed on its own line, counted from 1."""

    def __init__(self) -> None:
        self.ops: list[Any] = []
        self.params: list[Value] = []
        self.count = 0
        self.line = 0

    def new(self, of: Type, name: str = "") -> Value:
        self.count += 1
        return Value(self.count, of, name)

    def param(self, of: Type, name: str = "") -> Value:
        self.params.append(self.new(of, name))
        return self.params[-1]

    def add(self, op: type, *operands: Any, **more: Any) -> Any:
        self.line += 1
        made = op(*operands, span=Span("k.py", self.line), **more)
        self.ops.append(made)
        return made

    def let(self, of: Type, op: type, *operands: Any, **more: Any) -> Value:
        """An operation with one result, of type `of`."""
        result = self.new(of)
        self.add(op, result, *operands, **more)
        return result

    def const(self, value: float, of: Type = I32) -> Value:
        return self.let(of, Const, value)

    def inside(self, params: Sequence[Value], fill: Callable[..., Sequence[Value]]) -> Block:
        """A nested block: `fill` gets the parameters and gives what it yields."""
        outer, self.ops = self.ops, []
        yields = tuple(fill(*params))
        block = Block(tuple(params), tuple(self.ops), yields)
        self.ops = outer
        return block

    def lanes_of(self, ptr: Value, shape: tuple[int, ...]) -> Value:
        """Pointers to the first elements of a storage, row-major, as a tile."""
        size = int(np.prod(shape))
        flat = self.let(Tile((size,), I32), Range, 0, size)
        many = self.let(Tile((size,), elem_of(ptr.type)), Splat, ptr)
        moved = self.let(many.type, AddPtr, many, flat)
        return self.let(Tile(shape, elem_of(ptr.type)), Reshape, moved)

    def kernel(self) -> Kernel:
        return Kernel("k", Block(tuple(self.params), tuple(self.ops)), tuple(v.name for v in self.params))


def memory_of(*arrays: tuple[Any, str]) -> tuple[Memory, list[PointerValue]]:
    """One storage for each (lanes, type name) pair, and a pointer to the whole of each."""
    elems = [Scalar(dtype) for _, dtype in arrays]
    raws = [encode(np.asarray(data), elem).reshape(-1) for (data, _), elem in zip(arrays, elems, strict=True)]
    memory = Memory([Region(k, f"s{k}", e.name, r.size) for k, (e, r) in enumerate(zip(elems, raws, strict=True))])
    for k, raw in enumerate(raws):
        memory.write_elements(k, 0, raw)
    return memory, [PointerValue(k, 0, 0, raw.size) for k, raw in enumerate(raws)]


def apply(
    make: Callable[..., Sequence[Value]],
    inputs: Sequence[tuple[Any, str]],
    outputs: Sequence[tuple[tuple[int, ...], str]],
) -> tuple[list[Any], Trace]:
    """Load `inputs` (lanes, type) as tiles, compute `make(builder, *tiles)`, store it in `outputs` (shape, type)."""
    blanks = [(np.zeros(shape, lane_dtype(Scalar(dtype))), dtype) for shape, dtype in outputs]
    memory, args = memory_of(*inputs, *blanks)
    b = Builder()
    params = [b.param(Ptr(Scalar(dtype))) for _, dtype in [*inputs, *blanks]]
    tiles = []
    for (data, dtype), param in zip(inputs, params, strict=False):
        at = b.lanes_of(param, np.asarray(data).shape)
        tiles.append(b.let(Tile(np.asarray(data).shape, Scalar(dtype)), Load, at))
    for result, param in zip(make(b, *tiles), params[len(inputs) :], strict=True):
        b.add(Store, b.lanes_of(param, result.type.shape), result)  # type: ignore[union-attr]
    trace = run_grid(b.kernel(), args, (1, 1, 1), memory)
    found = [
        memory.read_elements(len(inputs) + k, dtype, 0, int(np.prod(shape))).reshape(shape)
        for k, (shape, dtype) in enumerate(outputs)
    ]
    return found, trace
