"""Order of operations in a kernel, against runs of random kernels whose loops and branches go any way."""

from __future__ import annotations

import random
from itertools import count, product

import pytest

from argus_smt.ir.ops import Barrier, Block, Const, For, If, Kernel, Op, Value, While
from argus_smt.ir.place import Places
from argus_smt.ir.types import I1, I32
from argus_smt.ir.walk import walk

Event = tuple[Op, tuple[tuple[int, int], ...]]
"""An operation that runs, with the loops around it and their trips."""


class Maker:
    """Random kernels of markers (constants), barriers, loops and branches."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.numbers = count(1)

    def value(self, kind: object = I32) -> Value:
        return Value(next(self.numbers), kind)  # type: ignore[arg-type]

    def block(self, depth: int, params: tuple[Value, ...] = ()) -> Block:
        return Block(params, tuple(self.op(depth) for _ in range(self.rng.randint(1, 3))))

    def op(self, depth: int) -> Op:
        kind = self.rng.choice(["mark", "mark", "barrier", "for", "while", "if"] if depth else ["mark", "barrier"])
        zero = Value(0, I32)
        match kind:
            case "mark":
                return Const(self.value(), 1)
            case "barrier":
                return Barrier()
            case "for":
                return For((), zero, zero, zero, (), self.block(depth - 1, (self.value(),)))
            case "while":
                return While((), (), self.block(depth - 1), self.block(depth - 1))
            case _:
                return If((), Value(0, I1), self.block(depth - 1), self.block(depth - 1))


def run(block: Block, rng: random.Random, trips: tuple[tuple[int, int], ...] = ()) -> list[Event]:
    """One way through a block."""
    out: list[Event] = []
    for op in block.ops:
        match op:
            case For():
                for k in range(rng.randint(0, 2)):
                    out += run(op.body, rng, (*trips, (id(op), k)))
            case While():
                last = rng.randint(0, 2)
                for k in range(last + 1):
                    out += run(op.before, rng, (*trips, (id(op), k)))
                    out += run(op.after, rng, (*trips, (id(op), k))) if k < last else []
            case If():
                out += run(op.then if rng.random() < 0.5 else op.orelse, rng, trips)
            case _:
                out.append((op, trips))
    return out


def shared(a: Event, b: Event) -> list[tuple[int, int]]:
    """Trips of each in the loops around both."""
    theirs = dict(b[1])
    return [(k, theirs[loop]) for loop, k in a[1] if loop in theirs]


@pytest.mark.parametrize("seed", range(150))
def test_claims_hold_in_every_run(seed: int) -> None:
    rng = random.Random(seed)
    kernel = Kernel("k", Maker(rng).block(3), ())
    places = Places(kernel)
    marks = [op for op in walk(kernel.body) if isinstance(op, Const)]
    for _ in range(8):
        events = run(kernel.body, rng)
        barriers = [i for i, (op, _) in enumerate(events) if isinstance(op, Barrier)]
        where = {id(m): [i for i, (op, _) in enumerate(events) if op is m] for m in marks}
        for a, b in product(marks, repeat=2):
            for j in where[id(b)]:
                same = [i for i in where[id(a)] if all(x == y for x, y in shared(events[i], events[j]))]
                assert not places.leads(a, b) or any(i < j for i in same)
                assert not places.precedes(a, b) or all(i < j for i in same)
                if a is not b and places.precedes(a, b) and places.barrier_between(a, b):
                    assert all(any(i < k < j for k in barriers) for i in same)
                others = [i for i in where[id(a)] if i < j and i not in same]
                assert not others or places.in_one_loop(a, b)
                if places.barrier_around(a, b):
                    assert all(any(i < k < j for k in barriers) for i in others)


def test_something_is_claimed() -> None:
    first, bar, second = Const(Value(1, I32), 1), Barrier(), Const(Value(2, I32), 1)
    places = Places(Kernel("k", Block((), (first, bar, second)), ()))
    assert places.precedes(first, second)
    assert places.leads(first, second)
    assert places.barrier_between(first, second)
    assert not places.precedes(second, first)
    assert not places.in_one_loop(first, second)
