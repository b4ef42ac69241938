"""Loops whose carried values are counted, chosen, swapped or halved: what is shown of each trip holds in that trip of a run."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from argus_smt.absint.recurrence import HOLE, cycle
from argus_smt.interp.memory import Memory, Region
from argus_smt.interp.pointers import PointerValue
from argus_smt.ir import ops as O
from argus_smt.ir.check import check
from argus_smt.ir.launch import PointerArg, ScalarArg, Storage
from argus_smt.ir.ops import Kernel, Value
from argus_smt.ir.types import I1, I32, Ptr
from argus_smt.smt import term as T
from argus_smt.smt.model import Model
from argus_smt.smt.solver import Solver
from tests.unit.absint.follow import analysis, follow
from tests.unit.interp.build import Builder

DATA = 64
N, B = T.var("n"), T.var("b")
DOMAIN = (T.ge(N, 0), T.le(N, 9), T.ge(B, 1), T.le(B, 5))


class Loops(Builder):
    """Kernels with one or two nested loops over integers and pointers of small range."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.rng = random.Random(seed)
        self.x, self.y = self.param(Ptr(I32), "x"), self.param(Ptr(I32), "y")
        self.n, self.b = self.param(I32, "n"), self.param(I32, "b")
        self.zero, self.one = self.const(0), self.const(1)

    def binary(self, fn: str, a: Value, b: Value) -> Value:
        return self.let(I32, O.Binary, fn, a, b)

    def compare(self, pred: str, a: Value, b: Value) -> Value:
        return self.let(I1, O.Cmp, pred, a, b)

    def loaded(self, at: Value) -> Value:
        """An element of the first tensor, at a place that is always inside."""
        place = self.binary("and", at, self.const(DATA - 1))
        return self.let(I32, O.Load, self.let(Ptr(I32), O.AddPtr, self.x, place), None, None)

    def step(self, x: Value, others: Sequence[Value]) -> Value:
        """The next value of an integer."""
        pick = self.rng.choice
        other = pick([*others, self.n, self.b])
        match self.rng.randrange(11):
            case 0:
                return self.binary("add", x, pick((self.one, self.b, self.const(3))))
            case 1:
                return self.binary("sub", x, pick((self.one, self.b)))
            case 2 | 3:
                moved = self.binary("add", x, pick((self.one, self.b, self.const(4), self.const(-2))))
                return self.let(I32, O.Select, self.compare("sgt", self.loaded(x), self.zero), moved, x)
            case 4:
                return self.binary(pick(("smin", "smax")), self.binary("add", x, self.b), other)
            case 5:
                return self.binary("srem", self.binary("add", x, self.one), pick((self.b, self.const(3))))
            case 6:
                return self.binary(pick(("ashr", "shl")), x, self.one)
            case 7:
                return self.binary("sdiv", self.binary("add", x, other), self.const(2))
            case 8:
                return pick(others) if others else x
            case 9:
                return self.let(I32, O.Select, self.compare("slt", x, other), other, self.binary("add", x, self.one))
            case _:
                return self.loaded(pick([x, *others]))

    def pointer_step(self, p: Value, others: Sequence[Value], by: Value) -> Value:
        moved = self.let(p.type, O.AddPtr, p, self.binary("and", by, self.const(7)))
        cond = self.compare("sgt", self.loaded(by), self.zero)
        match self.rng.randrange(4):
            case 0:
                return self.let(p.type, O.AddPtr, p, self.one)
            case 1:
                return self.let(p.type, O.Select, cond, moved, p)
            case 2:
                return self.rng.choice(others) if others else p
            case _:
                return self.let(p.type, O.Select, cond, p, self.rng.choice(others) if others else moved)

    def loop(self, depth: int, have: Sequence[Value]) -> list[Value]:
        """A loop; gives its integer results."""
        start = [self.zero, self.n, self.b, self.const(-1), *have]
        inits = [self.rng.choice(start) for _ in range(self.rng.randint(1, 3))]
        pointers = [self.rng.choice((self.x, self.y)) for _ in range(self.rng.choice((0, 1, 2)))]
        kinds = [v.type for v in (*inits, *pointers)]
        count = len(inits)

        def body(*values: Value) -> list[Value]:
            ints, ptrs = list(values[:count]), list(values[count:])
            inner = self.loop(depth - 1, ints) if depth and self.rng.random() < 0.6 else []
            seen = [*ints, *inner]
            made = [self.step(v, [o for o in seen if o is not v]) for v in ints]
            return [*made, *(self.pointer_step(p, [q for q in ptrs if q is not p], self.rng.choice(made)) for p in ptrs)]

        params = [self.new(k) for k in kinds]
        results = tuple(self.new(k) for k in kinds)
        if self.rng.random() < 0.5:
            counter = self.new(I32)
            block = self.inside((counter, *params), lambda _, *values: body(*values))
            self.add(O.For, results, self.zero, self.n, self.one, (*inits, *pointers), block)
            return list(results[:count])

        def before(*values: Value) -> list[Value]:
            a, b = self.rng.choice(values[:count]), self.rng.choice([self.n, self.b, *values[:count]])
            return [self.compare(self.rng.choice(("slt", "sle", "sgt", "ne")), a, b), *values]

        first = self.inside([self.new(k) for k in kinds], before)
        second = self.inside(params, body)
        self.add(O.While, results, (*inits, *pointers), first, second)
        return list(results[:count])


def kernel(seed: int) -> Kernel:
    made = Loops(seed)
    made.loop(1 if seed % 5 == 0 else 0, ())
    return made.kernel()


def compared(seed: int) -> Counter[str]:
    """One kernel, analysed with the solver's help and run on a few inputs."""
    made = kernel(seed)
    assert check(made) == ()
    storages = [Storage(i, n, "i32", T.const(4 * DATA), (T.const(DATA),), (T.ONE,)) for i, n in enumerate("xy")]
    pointers = [PointerArg(s.ident, "i32", T.ZERO, s.shape, s.strides) for s in storages]
    found = analysis(made, [*pointers, ScalarArg("i32", N), ScalarArg("i32", B)], storages, DOMAIN, (1, 1, 1),
                     Solver(rlimit=50_000).implies)  # fmt: skip
    rng = random.Random(seed)
    seen: Counter[str] = Counter(shown=sum(len(known) for known in found.facts.invariants.values()))
    for _ in range(3):
        values = {"n": rng.randint(0, 9), "b": rng.randint(1, 5)}
        memory = Memory([Region(s.ident, s.name, "i32", 4 * DATA) for s in storages])
        contents = {}
        for s in storages:
            data = np.array([rng.randint(-3, 9) for _ in range(DATA)], np.int64)
            memory.write_elements(s.ident, 0, data.astype("int32"))
            contents[f"m{s.ident}:i32"] = (data, 4)
        args = [*(PointerValue(s.ident, 0, 0, 4 * DATA) for s in storages), *values.values()]
        seen += follow(found, args, values, memory, contents, (1, 1, 1), limit=400)
    return seen


@pytest.mark.parametrize("start", [s if s < 100 else pytest.param(s, marks=pytest.mark.slow) for s in range(0, 200, 25)])
def test_what_is_shown_of_a_loop_holds_in_every_trip(start: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(start, start + 25):
        seen += compared(seed)
    assert seen["shown"] > 25, seen
    assert seen["invariants"] > max(500, seen["invariants not followed"]), seen
    assert seen["followed"] > 3 * seen["not followed"], seen


def test_values_that_are_handed_around() -> None:
    k = T.var("$k")
    marks = [T.app(f"{HOLE}{i}") for i in range(4)]
    for size in (2, 3, 4):
        entries = {m: T.const(10 + i) for i, m in enumerate(marks[:size])}
        after = {m: marks[(i + 1) % size] for i, m in enumerate(marks[:size])}
        closed = cycle(marks[0], entries, after, k)
        assert closed is not None
        assert [Model({"$k": trip}).value(closed) for trip in range(9)] == [10 + trip % size for trip in range(9)]
    assert cycle(marks[0], {marks[0]: T.ONE}, {marks[0]: marks[1]}, k) is None
