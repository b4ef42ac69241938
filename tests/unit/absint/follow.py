"""Concrete runs beside the analysis: each value that a run computes against the term that stands for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import numpy as np

from argus_smt.absint import engine
from argus_smt.absint.facts import Facts
from argus_smt.absint.state import State, never, width_range
from argus_smt.absint.values import COORDS, AbsValue, IntV, PtrV
from argus_smt.interp.context import Context
from argus_smt.interp.events import Recorder, Stop, Trace
from argus_smt.interp.lanes import Lanes, is_marked
from argus_smt.interp.machine import Machine
from argus_smt.interp.memory import Memory
from argus_smt.interp.pointers import PointerValue, Views
from argus_smt.interp.run import bind
from argus_smt.ir import ops as O
from argus_smt.ir.launch import Case, Launch, PointerArg, ScalarArg, Storage
from argus_smt.ir.ops import Block, Kernel, Op, Value
from argus_smt.ir.types import I1, Scalar, elem_of
from argus_smt.ir.walk import blocks, walk
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.term import Term
from argus_smt.source import NOWHERE

CONTROL = (O.For, O.While, O.If)
NO_RESULT = ("div_zero", "shift_width")


class NotFollowed(Exception):
    """A term speaks of an unknown function at a point where no value of it is known."""


@dataclass(slots=True)
class Analysis:
    """What the analysis says of every value, and of the loops around every operation."""

    kernel: Kernel
    facts: Facts
    env: dict[int, AbsValue]
    sites: dict[int, str]
    around: dict[int, tuple[Op, ...]] = field(default_factory=dict)


def analysis(kernel: Kernel, args: Sequence[PointerArg | ScalarArg], storages: Sequence[Storage],
             domain: tuple[Term, ...], grid: tuple[int, int, int], ask: Any = never) -> Analysis:  # fmt: skip
    """The analysis of a kernel, with its environment at the end."""
    case = Case("", (), (), kernel, tuple(args))
    x, y, z = (T.const(n) for n in grid)
    launch = Launch("k", NOWHERE, NOWHERE, (), (x, y, z), tuple(storages), (case,))
    states: list[State] = []

    def kept(**given: Any) -> State:
        states.append(State(**given))
        return states[-1]

    bounds = Bounds()
    bounds.learn(domain)
    with mock.patch.object(engine, "State", kept):
        facts = engine.analyze(launch, case, bounds, domain, ask)
    out = Analysis(kernel, facts, states[0].env, states[0].sites)
    _surround(kernel.body, (), out.around)
    return out


def _surround(block: Block, loops: tuple[Op, ...], around: dict[int, tuple[Op, ...]]) -> None:
    around[id(block)] = loops
    for op in block.ops:
        around[id(op)] = loops
        for inner in blocks(op) if isinstance(op, CONTROL) else ():
            _surround(inner, (*loops, op) if isinstance(op, O.For | O.While) else loops, around)


class Follower(Machine):
    """Runs one program and compares each value, lane by lane, as soon as it is computed."""

    def __init__(self, ctx: Context, limit: int, made: Analysis, variables: Mapping[str, int], contents: Mapping[str, Any],
                 offsets: Mapping[int, int]) -> None:  # fmt: skip
        super().__init__(ctx, limit)
        self.made = made
        self.variables = dict(variables)
        self.contents = contents
        self.offsets = offsets
        self.functions: dict[tuple[str, tuple[int, ...]], int] = {}
        self.seen: Counter[str] = Counter()
        self.relied = {g.site for guards, _, _ in made.facts.relied for g in guards}
        self.needed = {a.site for a in made.facts.arithmetic if not a.goal.free.intersection(COORDS)}
        self.read = 0
        scans = [op for op in walk(made.kernel.body) if isinstance(op, O.Scan)]
        self.sums = {v.number: f"?{made.sites[id(op)]}/{i}" for op in scans for i, v in enumerate(op.results)}

    def run(self, block: Block, args: Sequence[Lanes]) -> list[Lanes]:
        loops = self.made.around.get(id(block))
        if loops is not None:
            self._place(loops)
            for param, arg in zip(block.params, args, strict=True):
                self._compare(param, arg)
            self._check_invariants(block, loops)
        out = super().run(block, args)
        if loops is not None:
            self._place(loops)
        return out

    def _check_invariants(self, block: Block, loops: Sequence[Op]) -> None:
        """What was shown of the start of each trip holds at the start of this one."""
        loop = loops[-1] if loops else None
        if not isinstance(loop, O.For | O.While) or block is not blocks(loop)[0]:
            return
        self._believed()
        for known in self.made.facts.invariants.get(f"$k{self.made.sites[id(loop)]}", ()):
            try:
                held = T.evaluate(known, self._lookup)
            except (NotFollowed, ZeroDivisionError):
                self.seen["invariants not followed"] += 1
                continue
            self.seen["invariants"] += 1
            assert held, (known, self.variables, self.ctx.recorder.iteration)

    def _execute(self, op: Op) -> tuple[Sequence[Value], Sequence[Lanes]]:
        made = super()._execute(op)
        loops = self.made.around.get(id(op))
        if loops is not None:
            self._place(loops)
            for value, lanes in zip(*made, strict=True):
                self._compare(value, lanes)
        return made

    def _while(self, op: O.While) -> list[Lanes]:
        loops = self.made.around[id(op)]
        out = super()._while(op)
        name = f"$x{self.made.sites[id(op)]}{len(loops)}"
        trips = self.variables.pop(f"$k{self.made.sites[id(op)]}")
        self.variables[name] = trips
        self.functions[name, tuple(self.ctx.recorder.iteration)] = trips
        return out

    def _needs(self, op: Op, value: Lanes, what: str) -> None:
        """A branch or loop that goes by a wrapped value goes another way than the analysis, which demands that it does not."""
        super()._needs(op, value, what)
        if is_marked(value.wrapped, value.shape).any():
            raise Stop

    def _place(self, loops: tuple[Op, ...]) -> None:
        iteration = self.ctx.recorder.iteration
        self.variables |= {f"$k{self.made.sites[id(op)]}": n for op, n in zip(loops, iteration, strict=False)}

    def _lookup(self, node: Term, args: tuple[int, ...]) -> int:
        if node.op in ("var", "bvar"):
            return self.variables[node.data]
        if node.data in self.contents:
            lanes, size = self.contents[node.data]
            if args[0] % size or not 0 <= args[0] // size < len(lanes):
                raise NotFollowed
            return int(lanes[args[0] // size])
        if (node.data, args) not in self.functions:
            raise NotFollowed
        return self.functions[node.data, args]

    def _compare(self, value: Value, lanes: Lanes) -> None:
        found = self.made.env.get(value.number)
        if not isinstance(found, IntV | PtrV):
            return
        self._believed()
        undef, wrapped = (is_marked(m, lanes.shape) for m in (lanes.undef, lanes.wrapped))
        for index in np.ndindex(*lanes.shape):
            if not undef[index]:
                self.variables |= {f"$i{d}": n for d, n in enumerate(index)}
                self._lane(value, found, int(lanes.data[index]), bool(wrapped[index]))
        self.variables = {k: v for k, v in self.variables.items() if not k.startswith("$i")}

    def _believed(self) -> None:
        """Ends the run at a wrap that the analysis relies on not to happen, and at an operation that has no result."""
        events = self.ctx.recorder.trace.events
        for event in events[self.read :]:
            site = self.made.sites[id(event.op)]
            if (event.kind == "wrap" and site in self.relied) or (event.kind in NO_RESULT and site in self.needed):
                raise Stop
        self.read = len(events)

    def _lane(self, value: Value, found: IntV | PtrV, concrete: int, wrapped: bool) -> None:
        memo: dict[Term, int] = {}
        try:
            exact = all(T.evaluate(g.cond, self._lookup, memo) for g in found.guards)
            if not exact:
                assert wrapped or self.ctx.recorder.trace.of("wrap"), (value, found, "a guard fails, but nothing wrapped")
                self.seen["wrapped"] += 1
                return
            if isinstance(found, IntV):
                self._register(value, found.term, concrete)
            abstract = self._number(found, memo)
        except (NotFollowed, ZeroDivisionError):
            self.seen["not followed"] += 1
            return
        self.seen["followed"] += 1
        assert abstract == concrete, (str(value), found, abstract, concrete, self.variables, self.ctx.recorder.iteration)

    def _number(self, found: IntV | PtrV, memo: dict[Term, int]) -> int:
        if isinstance(found, IntV):
            return T.evaluate(found.term, self._lookup, memo)
        held = [t for t in found.targets if T.evaluate(t.cond, self._lookup, memo)]
        assert len(held) == 1, found
        return self.offsets[held[0].arg] + T.evaluate(held[0].offset, self._lookup, memo)

    def _register(self, value: Value, t: Term, concrete: int) -> None:
        """An unknown value itself: its function has this value here, inside its interval, whoever asks.

        A value that is a number of steps away from where it began tells that number.
        """
        counts = [m for m in T.poly(t) if any(a.op == "app" and a.data.startswith("?loop") for a in m)]
        if t.op not in ("app", "bapp") and len(counts) == 1:
            app = next(a for a in counts[0] if a.op == "app" and a.data.startswith("?loop"))
            scale = T.quotient(T.from_poly({counts[0]: T.poly(t)[counts[0]]}), app)
            size = 0 if scale is None else T.evaluate(scale, self._lookup)
            if size == 0 or scale is None or app in scale.apps:
                return
            base = T.evaluate(t - scale * app, self._lookup)
            assert (concrete - base) % size == 0, (value, t, concrete)
            t, concrete = app, (concrete - base) // size
        if value.number in self.sums:  # an unknown sum inside of bounds that it keeps
            t = next((a for a in t.apps if a.data == self.sums[value.number]), t)
        if t.op not in ("app", "bapp") or not t.data.startswith("?"):
            return
        point = tuple(T.evaluate(a, self._lookup) for a in t.args)
        lo, hi = self.made.facts.bounds.functions.get(t.data, width_range(_scalar(value))) if t.op == "app" else (0, 1)
        assert lo is None or lo <= concrete, (value, t, lo, concrete)
        assert hi is None or concrete <= hi, (value, t, hi, concrete)
        assert self.functions.setdefault((t.data, point), concrete) == concrete, (value, t, point)


def _scalar(value: Value) -> Scalar:
    elem = elem_of(value.type)
    return elem if isinstance(elem, Scalar) else I1


def follow(made: Analysis, args: Sequence[PointerValue | int], variables: Mapping[str, int], memory: Memory,
           contents: Mapping[str, Any], grid: tuple[int, int, int], limit: int = 600) -> Counter[str]:  # fmt: skip
    """Run each program of the grid beside the analysis; how many lanes were compared, wrapped or not followed."""
    seen: Counter[str] = Counter()
    offsets = {i: a.offset for i, a in enumerate(args) if isinstance(a, PointerValue)}
    for program in _programs(grid):
        recorder = Recorder(Trace(), None, frozenset())
        views = Views(memory, [a for a in args if isinstance(a, PointerValue)])
        ctx = Context(memory, views, recorder, grid)
        ctx.program = recorder.program = program
        ids = {f"$p{axis}": n for axis, n in enumerate(program)}
        machine = Follower(ctx, limit, made, {**variables, **ids}, contents, offsets)
        with np.errstate(all="ignore"):
            try:
                machine.run(made.kernel.body, bind(made.kernel, args, ctx))
            except Stop:
                machine.seen["stopped"] += 1
        seen.update(machine.seen)
    return seen


def _programs(grid: tuple[int, int, int]) -> Iterator[tuple[int, int, int]]:
    return ((x, y, z) for x in range(grid[0]) for y in range(grid[1]) for z in range(grid[2]))
