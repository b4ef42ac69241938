"""Whole calls of a launcher on small sizes, played: every program of every launch, one launch after the other on one memory."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate
from random import Random

from argus_smt.interp.conflicts import Watch
from argus_smt.interp.events import Event, Trace
from argus_smt.interp.lanes import Array
from argus_smt.interp.run import Arg as ConcreteArg
from argus_smt.interp.run import Open, run_grid
from argus_smt.interp.woven import MOST, run_woven
from argus_smt.ir.launch import Arg, Case, Demand, Launch, PointerArg, ScalarArg
from argus_smt.ir.ops import AtomicCAS, AtomicRMW, Load, While
from argus_smt.ir.walk import walk
from argus_smt.prove.context import Context
from argus_smt.prove.readings import open_numbers
from argus_smt.prove.replay import argument, mentions
from argus_smt.prove.sizes import Sizes
from argus_smt.prove.stage import Choice, NoStage, Stage
from argus_smt.smt.model import Model

STEPS = 20_000
FLOAT = 0.5
"""What is passed for a float argument of any value."""
DEPENDS = frozenset(["undef_used", "unsupported"])
"""Events after which a run may not be that of a real call."""
ASTRAY = DEPENDS | {"assume_false", "assert_false"}
"""Events after which nothing is said of a run: what it does from there on is not defined."""
Program = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Act:
    """A launch of the path, with the one case that is looked at; None to take the case that fits the sizes.

    `after`: so many launches of the path are over when it is, rival configurations included.
    """

    launch: Launch
    case: Case | None
    after: int


@dataclass(frozen=True, slots=True)
class Scene:
    """One launch as it was played. `whole`: every program ran to its end, and none went astray.

    `unwritten`: for each demand that falls due after it, the elements of its view that nobody wrote. `waits`: programs that
    wait for ever, and the loops in which they do.
    """

    launch: Launch
    case: Case
    grid: tuple[int, int, int]
    watch: Watch
    trace: Trace
    whole: bool
    unwritten: tuple[tuple[Demand, Array], ...] = ()
    waits: tuple[tuple[Program, While], ...] = ()

    @property
    def astray(self) -> int | None:
        """The number of the first event after which nothing is said of the run; None if there is none."""
        return next((i for i, e in enumerate(self.trace.events) if e.kind in ASTRAY), None)


@dataclass(frozen=True, slots=True)
class Play:
    """A call that was played: `scenes[chosen]` is the launch that is being judged."""

    sizes: Sizes
    stage: Stage
    scenes: tuple[Scene, ...]
    chosen: int
    ended: bool
    """Whether all launches of the path were played to their ends."""

    @property
    def scene(self) -> Scene:
        return self.scenes[self.chosen]


def acts(context: Context) -> tuple[tuple[Act, ...], int]:
    """The launches of the path that the case is on, in order, and which of them it is of.

    Of configurations that compete for one launch, only the one that is being proved is played, or else the first.
    """
    launches, mine = context.program.launches, context.program.launches[context.index]
    case = next(c for c in mine.cases if c.kernel is context.dom.case.kernel and c.label == context.dom.case.label)
    groups: list[list[Launch]] = []
    for launch in (x for x in launches if x.group == mine.group):
        last = groups[-1] if groups else []
        rival = bool(last and launch.config) and (launch.kernel, launch.span) == (last[-1].kernel, last[-1].span)
        if rival and all(launch.config != x.config for x in last):
            last.append(launch)
        else:
            groups.append([launch])
    chosen = next(i for i, g in enumerate(groups) if any(x is mine for x in g))
    ends = list(accumulate(map(len, groups)))
    out = [Act(mine, case, ends[i]) if i == chosen else Act(g[0], None, ends[i]) for i, g in enumerate(groups)]
    return tuple(out), chosen


def unplayable(context: Context) -> str:
    """Why no call of this case can be played; empty if one can."""
    launch, case = context.dom.launch, context.dom.case
    opaque = [c.text for c in (*launch.path, *case.condition) if c.source == "opaque"]
    if opaque:
        return f"{opaque[0]} is not followed"
    left_open = open_numbers(context)
    numbers = [s for s in context.program.symbols if s.kind == "unfollowed" and s.name not in left_open]
    return f"{numbers[0].about or numbers[0].name} is not followed" if numbers else ""


@dataclass(slots=True)
class Player:
    """Plays calls of one case until a point in time."""

    context: Context
    deadline: float
    acts: tuple[Act, ...] = ()
    chosen: int = 0
    refused: str = ""
    """Why the last call could not be played."""
    left_open: frozenset[str] = frozenset()
    """Numbers that are only handed to kernels, with no known value."""
    _cut: bool = field(default=False)

    def __post_init__(self) -> None:
        self.left_open = open_numbers(self.context)
        self.acts, self.chosen = acts(self.context)

    def play(self, sizes: Sizes, order: str, seed: int) -> Play | None:
        """A call with programs in some order (forward, reverse, shuffled) and contents by a seed.

        None if it is not known to be a real one, or if the launch was not reached.
        """
        try:
            if self._leans_on_numbers(sizes, order, seed):
                return None
            return self._run(sizes, order, Choice(seed, blind=False))
        except NoStage as error:
            self.refused = str(error)
        except (ZeroDivisionError, ValueError, IndexError, OverflowError, MemoryError) as error:
            self.refused = f"the sizes make no call: {error}"
        return None

    def _leans_on_numbers(self, sizes: Sizes, order: str, seed: int) -> bool:
        """Whether the run depends on a number or on contents that are not followed, or cannot be made."""
        floats = any(_open(a, self.left_open) for c in self._cases() for a in c.args)
        soft = any(s.contents.startswith("computed") for a in self.acts for s in a.launch.storages)
        if not floats and not soft:
            return False
        blind = self._run(sizes, order, Choice(seed, blind=True))
        if blind is None or any(e.kind in DEPENDS for s in blind.scenes[: self.chosen + 1] for e in _not_uninit(s)):
            self.refused = "what happens depends on numbers that are not followed"
            return True
        return False

    def _cases(self) -> Iterator[Case]:
        for act in self.acts:
            yield from act.launch.cases if act.case is None else (act.case,)

    def _run(self, sizes: Sizes, order: str, choice: Choice) -> Play | None:
        model = Model(sizes.values)
        stage = Stage(self.context.program, tuple(a.launch for a in self.acts), model, choice)
        scenes: list[Scene] = []
        ended = True
        for number, act in enumerate(self.acts):
            scene = self._scene(act, stage, model, order, choice)
            if scene is None or (number < self.chosen and not scene.whole):
                ended = False
                break
            ended = ended and scene.whole
            now = (act.launch.group, act.after)
            due = [d for d in self.context.program.demands if ended and (d.group, d.after) == now]
            scenes.append(replace(scene, unwritten=tuple((d, stage.unwritten(d)) for d in due)))
        return Play(sizes, stage, tuple(scenes), self.chosen, ended) if len(scenes) > self.chosen else None

    def _scene(self, act: Act, stage: Stage, model: Model, order: str, choice: Choice) -> Scene | None:
        case = act.case or next((c for c in act.launch.cases if model.satisfies(k.term for k in c.condition)), None)
        x, y, z = (model.value(g) for g in act.launch.grid)
        if case is None or min(x, y, z) < 1:
            self.refused = f"no case of `{act.launch.kernel}` fits the sizes"
            return None
        stage.prepare(act.launch)
        args = tuple(Open() if choice.blind and _open(a, self.left_open) else _argument(a, model) for a in case.args)
        watch = Watch(case.kernel, (x, y, z))
        self._cut = False
        programs = self._programs((x, y, z), order)
        waits: tuple[tuple[Program, While], ...] = ()
        if x * y * z <= MOST and polls(case):
            trace, waits = run_woven(
                case.kernel, args, (x, y, z), stage.memory, list(programs), watch.note, STEPS, self._time_left
            )  # fmt: skip
        else:
            trace = run_grid(
                case.kernel, args, (x, y, z), stage.memory, programs=programs, on_access=watch.note, step_limit=STEPS
            )  # fmt: skip
        done = Scene(act.launch, case, (x, y, z), watch, trace, False, waits=waits)
        return replace(done, whole=trace.complete and not (self._cut or watch.full) and done.astray is None)

    def _time_left(self) -> bool:
        return time.process_time() <= self.deadline

    def _programs(self, grid: Program, order: str) -> Iterator[Program]:
        """The programs of a grid in some order, while there is time."""
        every = [(x, y, z) for z in range(grid[2]) for y in range(grid[1]) for x in range(grid[0])]
        if order == "reverse":
            every.reverse()
        elif order == "shuffled":
            Random(len(every)).shuffle(every)
        for program in every:
            if time.process_time() > self.deadline:
                self._cut = True
                return
            yield program


def polls(case: Case) -> bool:
    """Whether a kernel has loops whose condition may wait for what another program writes."""
    loops = [op for op in walk(case.kernel.body) if isinstance(op, While)]
    return any(isinstance(op, Load | AtomicRMW | AtomicCAS) for loop in loops for op in walk(loop.before))


def _not_uninit(scene: Scene) -> Iterator[Event]:
    """Events but uses of what was read uninitialised, which is a fault by itself."""
    fresh = {id(e.op) for e in scene.trace.events if e.kind == "uninit_read"}
    yield from (e for e in scene.trace.events if e.source is None or id(e.source) not in fresh)


def _open(arg: Arg, left_open: Collection[str]) -> bool:
    """Whether nothing is known of the number that is passed."""
    unknown_float = isinstance(arg, ScalarArg) and arg.value is None and arg.number is None
    return unknown_float or mentions(arg, left_open)


def _argument(arg: Arg, model: Model) -> ConcreteArg:
    if isinstance(arg, PointerArg) or arg.value is not None or arg.number is not None:
        return argument(arg, model)
    return FLOAT
