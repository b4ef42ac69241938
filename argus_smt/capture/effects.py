"""Which pointer parameters a kernel may write through."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from argus_smt.ir import ops as O
from argus_smt.ir.ops import Block, Kernel, Op, Value
from argus_smt.ir.types import Ptr, elem_of


def written_params(kernel: Kernel) -> frozenset[str]:
    """Parameters from which a stored-to pointer may derive; all pointers if an unknown operation may write anywhere."""
    sources: dict[Value, frozenset[str]] = {
        v: frozenset((name,))
        for name, v in zip(kernel.params, kernel.body.params, strict=True)
        if isinstance(elem_of(v.type), Ptr)
    }
    everything = frozenset().union(*sources.values()) if sources else frozenset()
    ops = list(_flatten(kernel.body))
    changed = True
    while changed:
        changed = False
        for op, inner in ops:
            flow = frozenset().union(*(sources.get(v, frozenset()) for v in _values(op, inner)))
            if isinstance(op, O.Load) or (isinstance(op, O.Cast) and op.kind == "int_to_ptr"):
                flow = everything  # an address out of memory or arithmetic may point anywhere
            for v in _defined(op, inner):
                if isinstance(elem_of(v.type), Ptr) and not flow <= sources.get(v, frozenset()):
                    sources[v] = sources.get(v, frozenset()) | flow
                    changed = True
    out: set[str] = set()
    for op, _ in ops:
        match op:
            case O.Store(ptr=p) | O.AtomicRMW(ptr=p) | O.AtomicCAS(ptr=p):
                out |= sources.get(p, frozenset()) or everything
            case O.Opaque(effects=True, operands=operands):
                touched = frozenset().union(*(sources.get(v, frozenset()) for v in operands)) if operands else frozenset()
                out |= touched or everything
    return frozenset(out)


def _flatten(block: Block) -> Iterable[tuple[Op, tuple[Block, ...]]]:
    """Operations with their own blocks, in order, nested ones included."""
    for op in block.ops:
        inner = tuple(b for f in dataclasses.fields(op) if isinstance(b := getattr(op, f.name), Block))
        yield op, inner
        for b in inner:
            yield from _flatten(b)


def _values(op: Op, inner: tuple[Block, ...]) -> Iterable[Value]:
    """Operands, and what the operation's blocks yield."""
    for f in dataclasses.fields(op):
        value = getattr(op, f.name)
        if f.name not in ("result", "results"):
            yield from (v for v in (value if isinstance(value, tuple) else (value,)) if isinstance(v, Value))
    for b in inner:
        yield from b.yields


def _defined(op: Op, inner: tuple[Block, ...]) -> Iterable[Value]:
    """Results and block parameters: each may carry any operand of a structured operation on."""
    yield from getattr(op, "results", ())
    if hasattr(op, "result"):
        yield op.result
    for b in inner:
        yield from b.params
