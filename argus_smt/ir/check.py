"""Well-formedness of a kernel: values are defined once and used where visible, and `rules.py` holds everywhere."""

from __future__ import annotations

from argus_smt.ir import walk as W
from argus_smt.ir.demands import type_violations
from argus_smt.ir.fields import mnemonic
from argus_smt.ir.ops import Block, Kernel, Op, Value
from argus_smt.ir.rules import violations
from argus_smt.ir.types import Tile


def check(kernel: Kernel) -> tuple[str, ...]:
    """What is wrong with `kernel`, one sentence each, in program order; empty if it is well formed.

    - Every value is defined exactly once in the kernel, with one well-formed type.
    - A value is visible after its definition, to the end of the block that holds it, and in blocks nested there.
      Parameters of a block are visible in that block only.
    - `kernel.params` names the parameters of the body, one different name each; they are scalars or pointers,
      and the body yields nothing.
    - Each operation keeps the rules of its kind.
    """
    checker = _Checker()
    checker.found.extend(_signature(kernel))
    checker.block(kernel.body, f"kernel {kernel.name}")
    return tuple(checker.found)


def _signature(kernel: Kernel) -> list[str]:
    out = []
    params = kernel.body.params
    if len(params) != len(kernel.params):
        out.append(f"kernel {kernel.name}: {len(kernel.params)} parameter names for {len(params)} parameters")
    if len(set(kernel.params)) != len(kernel.params):
        out.append(f"kernel {kernel.name}: parameter names repeat")
    tiles = (v for v in params if isinstance(v.type, Tile))
    out.extend(f"kernel {kernel.name}: parameter {v} is a tile: {v.type}" for v in tiles)
    if kernel.body.yields:
        out.append(f"kernel {kernel.name}: the body yields values")
    return out


class _Checker:
    """One pass over a kernel: what is visible at the current place, what was ever defined, what was found wrong."""

    def __init__(self) -> None:
        self.visible: dict[int, Value] = {}
        self.defined: set[int] = set()
        self.found: list[str] = []

    def block(self, block: Block, owner: str) -> None:
        outer = self.visible
        self.visible = dict(outer)
        for v in block.params:
            self.define(v, owner)
        for op in block.ops:
            self.op(op)
        for v in block.yields:
            self.use(v, f"yield of {owner}")
        self.visible = outer

    def op(self, op: Op) -> None:
        owner = _describe(op)
        for v in W.operands(op):
            self.use(v, owner)
        values = (*W.operands(op), *W.results(op))
        if not any(phrase for v in values for phrase in type_violations(v.type)):
            self.found.extend(f"{owner}: {phrase}" for phrase in violations(op))
        for inner in W.blocks(op):
            self.block(inner, owner)
        for v in W.results(op):
            self.define(v, owner)

    def define(self, v: Value, owner: str) -> None:
        self.found.extend(f"{owner}: {phrase}" for phrase in type_violations(v.type))
        if v.number in self.defined:
            self.found.append(f"{owner}: {v} is defined twice")
        self.defined.add(v.number)
        self.visible[v.number] = v

    def use(self, v: Value, owner: str) -> None:
        known = self.visible.get(v.number)
        if known is None:
            where = "outside the block that defines it" if v.number in self.defined else "before any definition"
            self.found.append(f"{owner}: {v} is used {where}")
        elif known.type != v.type:
            self.found.append(f"{owner}: {v} is used as {v.type} and defined as {known.type}")


def _describe(op: Op) -> str:
    """Mnemonic, first result and place of an operation: `load %4 (k.py:7:3)`."""
    made = W.results(op)
    return mnemonic(op) + (f" {made[0]}" if made else "") + (f" ({op.span})" if op.span.line else "")
