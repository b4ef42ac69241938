"""Where operations stand in a kernel, and which of two runs first in every program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from argus_smt.ir.ops import AtomicCAS, AtomicRMW, Barrier, Block, For, Kernel, Op, While
from argus_smt.ir.types import shape_of
from argus_smt.ir.walk import blocks, operands, walk


@dataclass(frozen=True, slots=True)
class Step:
    """Operation number `index` of block number `block`; `loop`: the block runs again and again."""

    block: int
    index: int
    loop: bool


Place = tuple[Step, ...]
"""From the kernel's body inwards."""


class Places:
    """Places of all operations of a kernel."""

    def __init__(self, kernel: Kernel) -> None:
        self._of: dict[int, Place] = {}
        self._blocks: list[Block] = []
        used = {v.number for op in walk(kernel.body) for v in operands(op)}
        used |= {v.number for op in walk(kernel.body) for b in blocks(op) for v in b.yields}
        self._used = used
        self._enter(kernel.body, (), loop=False)
        tests = {id(op.before) for b in self._blocks for op in b.ops if isinstance(op, While)}
        self._tests = frozenset(n for n, b in enumerate(self._blocks) if id(b) in tests)
        """Blocks that a while loop runs at least once."""

    def _enter(self, block: Block, around: Place, loop: bool) -> None:
        number = len(self._blocks)
        self._blocks.append(block)
        for index, op in enumerate(block.ops):
            self._of[id(op)] = place = (*around, Step(number, index, loop))
            for inner in blocks(op):
                self._enter(inner, place, isinstance(op, For | While))

    def of(self, op: Op) -> Place:
        """The place of an operation of the kernel."""
        return self._of[id(op)]

    def fork(self, a: Op, b: Op) -> int | None:
        """How many steps the places share before they part within one block; None if they part in two branches.

        Where one operation encloses the other, or both are one, they do not part and None is given too.
        """
        for depth, (x, y) in enumerate(zip(self.of(a), self.of(b), strict=False)):
            if x != y:
                return depth if x.block == y.block else None
        return None

    def precedes(self, a: Op, b: Op) -> bool:
        """Whether `a`, if it runs, runs before `b` in the same trip of all loops around both."""
        depth = self.fork(a, b)
        return depth is not None and self.of(a)[depth].index < self.of(b)[depth].index

    def in_one_loop(self, a: Op, b: Op) -> bool:
        """Whether some loop encloses both, so that either may run before the other."""
        for x, y in zip(self.of(a), self.of(b), strict=False):
            if x.loop and y.loop:
                return True
            if x != y:
                return False
        return False

    def in_loop(self, op: Op) -> bool:
        return any(step.loop for step in self.of(op))

    def leads(self, a: Op, b: Op) -> bool:
        """Whether `b` cannot run in a trip without `a` having run in it: `a` stands in a block around `b`, and before it.

        What the `before` block of a while loop holds runs at least once, so it counts as standing beside the loop.
        """
        depth = self.fork(a, b)
        if depth is None or not self.of(a)[depth].index < self.of(b)[depth].index:
            return False
        return all(step.block in self._tests for step in self.of(a)[depth + 1 :])

    def polled(self, a: Op, b: Op) -> bool:
        """Whether `a` runs in every test of a while loop that is over before `b` runs."""
        place = self.of(a)
        if len(place) < 2 or place[-1].block not in self._tests:
            return False
        loop = self._blocks[place[-2].block].ops[place[-2].index]
        return self.leads(loop, b)

    def barrier_between(self, a: Op, b: Op) -> bool:
        """Whether all threads meet after `a` and before `b`, in every trip of the loops around both; `a` precedes `b`."""
        depth = self.fork(a, b)
        if depth is None:
            return False
        first, last = self.of(a)[depth], self.of(b)[depth]
        between = self._blocks[first.block].ops[first.index + 1 : last.index]
        inside = [*self._after(a, depth + 1), *self._before(b, depth + 1)]
        return any(self.meets(op) for op in (*between, *inside))

    def barrier_around(self, a: Op, b: Op) -> bool:
        """Whether all threads meet between `a` in one trip and `b` in a later one of the innermost loop around both."""
        inner: tuple[Step, Step] | None = None
        for x, y in zip(self.of(a), self.of(b), strict=False):
            if x.loop and y.loop:
                inner = x, y
            if x != y:
                break
        if inner is None or inner[0].block != inner[1].block:
            return False
        mine, theirs = inner[0].index, inner[1].index
        return any(self.meets(op) for i, op in enumerate(self.at(inner[0].block)) if i > mine or i < theirs)

    def _after(self, op: Op, depth: int) -> Iterator[Op]:
        """Operations that run between `op` and the end of the block at `depth` of its place, whatever branches are taken."""
        for step in self.of(op)[depth:]:
            yield from self._blocks[step.block].ops[step.index + 1 :]

    def _before(self, op: Op, depth: int) -> Iterator[Op]:
        for step in self.of(op)[depth:]:
            yield from self._blocks[step.block].ops[: step.index]

    def meets(self, op: Op) -> bool:
        """Whether all threads of the program meet at `op`, whatever it encloses.

        The result of an atomic of one element, where it is used, goes to all threads through shared memory.
        """
        match op:
            case Barrier():
                return True
            case AtomicRMW() | AtomicCAS():
                return not shape_of(op.result.type) and op.result.number in self._used
            case While():
                return any(self.meets(o) for o in op.before.ops)
            case _:
                return False

    def around(self, op: Op) -> Iterator[tuple[int, int]]:
        """`(block number, index)` of the operation and of those that enclose it, outermost first."""
        yield from ((s.block, s.index) for s in self.of(op))

    def at(self, block: int) -> tuple[Op, ...]:
        """The operations of a block by its number."""
        return self._blocks[block].ops
