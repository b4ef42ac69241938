"""Carried values of a loop and what holds of them at the start of every trip.

Closed forms come from a trial run. What has none gets an interval, and conditions that were guessed and then shown: each
holds where the loop is entered, and one trip keeps all of them together (Houdini: what fails is dropped, until the rest
holds). Only then the body is run for good.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from argus_smt.absint import carried, rehearsal
from argus_smt.absint.candidates import Trip, candidates
from argus_smt.absint.facts import Scope
from argus_smt.absint.solving import Place, Solver, Unknown
from argus_smt.absint.state import State, width_range
from argus_smt.absint.values import AbsValue, Guard, Guards, IntV, LostV, PtrV, guards_of
from argus_smt.ir.ops import Value
from argus_smt.ir.types import Scalar, elem_of, shape_of
from argus_smt.smt import term as T
from argus_smt.smt.interval import ALL, Bounds, Interval, meet
from argus_smt.smt.saturate import relevant
from argus_smt.smt.term import Sort, Term

MAX_ROUNDS = 8
"""Rounds of guessing after which nothing is believed."""
MAX_LAYOUTS = 4
MAX_WIDENINGS = 6
"""So many times is an interval widened; the last times without regard to where values enter."""
MAX_QUESTIONS = 300
"""Questions to the solver about the invariants of a kernel; what is asked beyond counts as not shown."""


@dataclass(frozen=True, slots=True)
class End:
    """What one run of a body leaves, where it ends."""

    values: tuple[AbsValue, ...]
    scope: Scope
    bounds: Bounds

    @property
    def path(self) -> tuple[Term, ...]:
        return self.scope.path


@dataclass(frozen=True, slots=True)
class Held:
    """Values at the start of trip `trip`, and what holds of them there."""

    forms: list[AbsValue]
    invariants: tuple[Term, ...]
    leaning: tuple[int, ...]
    """Places of values of which something was derived from exact results."""


@dataclass(slots=True)
class Loop:
    """A loop that is being analysed; `once` runs its body in the current environment."""

    state: State
    params: Sequence[Value]
    entry: list[AbsValue]
    trip: Term
    entering: Term
    guards: Guards
    once: Callable[[], End]

    def run(self, values: Sequence[AbsValue], holding: Sequence[Term] = ()) -> End:
        """One run of the body from given carried values; what it assumes on its way ends with it."""
        state = self.state
        with state.under(self.entering, *holding, guards=self.guards):
            for param, value in zip(self.params, values, strict=True):
                state.shape = shape_of(param.type)
                state.put(param, simplified(state, value))
            return self.once()

    def settle(self) -> Held:
        """Find forms and invariants by trial runs, which record nothing."""
        recording, self.state.recording = self.state.recording, False
        try:
            plain: frozenset[Place] = frozenset()
            while True:
                found, odd = self._attempt(plain)
                if odd is None:
                    return found
                plain |= odd
        finally:
            self.state.recording = recording

    def _attempt(self, plain: frozenset[Place]) -> tuple[Held, frozenset[Place] | None]:
        """Also the parts that turned out not to move in whole steps, if there are some: then it is to be done again."""
        layouts, holes, after = self._trial()
        around = self.state.bounds
        solver = Solver(layouts, self.entry, holes, after, self.trip, self.state.counters, self.state.simp,
                        lambda p: _monotone(p, self.trip, around), plain)  # fmt: skip
        solution = solver.solve()
        unknowns = solution.unknowns
        if not unknowns:
            return Held(solution.forms, (), ()), None
        for u in unknowns:
            self._introduce(u, layouts[u.place[0]])
        search = Search(self, layouts, solution.forms, unknowns)
        odd = search.odd()
        if odd:
            return Held(solution.forms, (), ()), odd
        bounded = search.intervals()
        invariants = search.relations()
        names = {a.data for i in invariants for a in i.apps}
        leaning = {u.place[0] for u in unknowns if u.counts or u in bounded or u.name in names}
        return Held(solution.forms, invariants, tuple(sorted(leaning))), None

    def _trial(self) -> tuple[list[carried.Carrier], list[AbsValue], tuple[AbsValue, ...]]:
        """A run from holes; again, with more targets, where a pointer gains some."""
        layouts = [carried.carrier(p, v) for p, v in zip(self.params, self.entry, strict=True)]
        for attempt in range(MAX_LAYOUTS + 1):
            holes = [carried.hole(layout) or v for layout, v in zip(layouts, self.entry, strict=True)]
            holes = [_as_lost(v, layout) for v, layout in zip(holes, layouts, strict=True)]
            after = self.run(holes).values
            wider = [carried.grown(layout, v) for layout, v in zip(layouts, after, strict=True)]
            if wider == layouts:
                break
            if attempt == MAX_LAYOUTS - 1:
                wider = [w if w == o else replace(w, kind="other", roots=()) for w, o in zip(wider, layouts, strict=True)]
            layouts = wider
        return layouts, holes, after

    def _introduce(self, unknown: Unknown, layout: carried.Carrier) -> None:
        name = layout.param.name or str(layout.param)
        self.state.facts.ledger.setdefault(unknown.name, f"`{name}` has no closed form in its loop")
        if unknown.app.sort is Sort.INT:
            set_interval(self.state, unknown.name, widest(unknown, layout))


def _as_lost(value: AbsValue, layout: carried.Carrier) -> AbsValue:
    if layout.kind == "other" and isinstance(value, PtrV | IntV):
        return LostV("a value of which one trip of a loop makes something else")
    return value


def simplified(state: State, value: AbsValue) -> AbsValue:
    """The value under what holds here."""
    match value:
        case IntV(term, guards):
            kept = frozenset(Guard(g.site, c, g.exact) for g in guards if (c := state.simp(g.cond)) is not T.TRUE)
            return IntV(state.simp(term), kept)
        case PtrV(targets, guards):
            moved = [replace(t, cond=state.simp(t.cond), offset=state.simp(t.offset)) for t in targets]
            return PtrV(tuple(t for t in moved if t.cond is not T.FALSE) or targets, guards)
        case _:
            return value


def _monotone(p: Term, trip: Term, around: Bounds) -> bool:
    """Whether the intervals show that `p` only rises, or only falls, from trip to trip."""
    inside = around.copy()
    inside.narrow(trip, (0, None))
    low, high = inside.of(T.substitute(p, {trip: trip + 1}) - p)
    return (low is not None and low >= 0) or (high is not None and high <= 0)


def set_interval(state: State, name: str, interval: Interval) -> None:
    """Bound an unknown function."""
    functions = state.facts.bounds.functions
    if functions.get(name) != interval:
        functions[name] = interval
        state.renew()


def widest(unknown: Unknown, layout: carried.Carrier) -> Interval:
    """What the kind of a part says of its unknown function."""
    if unknown.counts:
        return ALL
    if layout.kind == "int":
        return width_range(Scalar(str(elem_of(layout.param.type))))
    if len(layout.names) > 1 and unknown.place[1] == 0:
        numbers = [root.root for root in layout.roots]
        return min(numbers), max(numbers)
    return ALL


@dataclass(slots=True)
class Search:
    """Looks for what holds of the unknown functions of one loop."""

    loop: Loop
    layouts: Sequence[carried.Carrier]
    forms: Sequence[AbsValue]
    unknowns: Sequence[Unknown]

    def _following(self, end: End) -> list[Term | None]:
        """The next value of each unknown function after a run."""
        out: list[Term | None] = []
        for u in self.unknowns:
            i, j = u.place
            found = carried.parts(self.layouts[i], end.values[i])
            out.append(u.following(found[j]) if j < len(found) else None)
        return out

    def odd(self) -> frozenset[Place]:
        """Parts that were to be counted in steps, but are not a whole number of steps further after a trip."""
        following = self._following(self.loop.run(self.forms))
        return frozenset(u.place for u, t in zip(self.unknowns, following, strict=True) if t is None and u.counts)

    # ------------------------------------------------------------ intervals

    def intervals(self) -> list[Unknown]:
        """Give each integer unknown the tightest interval found inductive; gives those that got one.

        Each end is tried as it is at entry, then with what one trip from there makes of it, then where some other value
        enters (a binary search stays between its two), then with what a trip makes of anything at all, which is sound
        without a guess.
        """
        asked = [u for u in self.unknowns if u.app.sort is Sort.INT]
        full = [widest(u, self.layouts[u.place[0]]) for u in asked]
        self._set(asked, full)
        entry = [meet(f, self._of(u, u.start)) for u, f in zip(asked, full, strict=True)]
        loose = [_join(e, a, f) for e, a, f in zip(entry, self._after(asked), full, strict=True)]
        guess, marks = list(entry), {end for ends in entry for end in ends if end is not None}
        for attempt in range(MAX_WIDENINGS):
            self._set(asked, guess)
            after = self._after(asked)
            kept = [
                _widened(g, a, e, ends, join=attempt == 0, marks=marks if attempt < MAX_WIDENINGS - 3 else set())
                for g, a, e, ends in zip(guess, after, entry, zip(loose, full, strict=True), strict=True)
            ]
            if kept == guess:
                guess = self._narrowed(asked, guess, [_join(e, a, g) for e, a, g in zip(entry, after, guess, strict=True)])
                return [u for u, g, f in zip(asked, guess, full, strict=True) if g != f]
            guess = kept
        self._set(asked, full)
        return []

    def _narrowed(self, asked: Sequence[Unknown], guess: list[Interval], tighter: list[Interval]) -> list[Interval]:
        """What a trip makes of an inductive guess, where that is inductive too."""
        if tighter == guess:
            return guess
        self._set(asked, tighter)
        if all(meet(a, t) == a for a, t in zip(self._after(asked), tighter, strict=True)):
            return tighter
        self._set(asked, guess)
        return guess

    def _set(self, unknowns: Sequence[Unknown], intervals: Sequence[Interval]) -> None:
        for u, interval in zip(unknowns, intervals, strict=True):
            low, high = interval
            sound = low is None or high is None or low <= high
            set_interval(self.loop.state, u.name, interval if sound else widest(u, self.layouts[u.place[0]]))

    def _of(self, unknown: Unknown, t: Term) -> Interval:
        state = self.loop.state
        state.shape = shape_of(self.layouts[unknown.place[0]].param.type)
        return state.bounds.of(t)

    def _after(self, asked: Sequence[Unknown]) -> list[Interval]:
        end = self.loop.run(self.forms)
        following = dict(zip(self.unknowns, self._following(end), strict=True))
        return [self._after_one(u, following[u], end) for u in asked]

    def _after_one(self, unknown: Unknown, t: Term | None, end: End) -> Interval:
        if t is None:
            return ALL
        inside = end.bounds.copy()
        for d, n in enumerate(shape_of(self.layouts[unknown.place[0]].param.type)):
            inside.narrow(T.var(f"$i{d}"), (0, n - 1))
        return inside.of(t)

    # ------------------------------------------------------------ relations

    def relations(self) -> tuple[Term, ...]:
        """Conditions on the scalar unknowns at the start of a trip that hold in every trip."""
        state = self.loop.state
        before = state.path
        asked = tuple(u for u in self.unknowns if u.app.args == state.counters)
        if not asked:
            return ()
        end = self.loop.run(self.forms)
        trip = self._trip(asked, end, before)
        if trip is None:
            return ()
        guesses = rehearsal.plausible(candidates(trip), trip, before, state.bounds, seed=len(before))
        start = {self.loop.trip: T.ZERO, **{u.app: u.start for u in asked}}
        held = [g for g in guesses if self._implied(before, T.substitute(g, start), state.bounds)]
        for _ in range(MAX_ROUNDS):
            if not held:
                return ()
            end = self.loop.run(self.forms, held)
            trip = self._trip(asked, end, before)
            if trip is None:
                return ()
            kept = [g for g in held if self._implied(end.path, self._a_trip_later(g, trip), end.bounds)]
            if kept == held:
                return tuple(held)
            held = kept
        return ()

    def _a_trip_later(self, guess: Term, trip: Trip) -> Term:
        """The guess at the start of the next trip.

        In three steps, since it may speak of earlier trips too: what is the trip before then is this one now.
        """
        fresh = {u.app: T.bvar(f"!{u.name}") if u.app.sort is Sort.BOOL else T.var(f"!{u.name}") for u in trip.unknowns}
        later = T.substitute(T.substitute(guess, fresh), {self.loop.trip: self.loop.trip + 1})
        return T.substitute(later, {fresh[u.app]: t for u, t in zip(trip.unknowns, trip.following, strict=True)})

    def _implied(self, facts: Sequence[Term], goal: Term, bounds: Bounds) -> bool:
        return all(bounds.truth(part) is True or part in facts or self._asked(facts, part, bounds) for part in T.conjuncts(goal))

    def _asked(self, facts: Sequence[Term], goal: Term, bounds: Bounds) -> bool:
        """The solver's answer, remembered: inner loops put the same questions in every trial run of an outer one."""
        near = relevant(facts, goal, 3)
        speaks_of = {t for f in (*near, goal) for t in f.free | f.apps if t.sort is Sort.INT}
        ends = frozenset((t, bounds.of(t)) for t in speaks_of)
        answers = self.loop.state.answers
        key = (frozenset(near), goal, ends)
        if key not in answers:
            answers[key] = len(answers) < MAX_QUESTIONS and self.loop.state.ask(near, goal, bounds)
        return answers[key]

    def _trip(self, asked: Sequence[Unknown], end: End, before: Sequence[Term]) -> Trip | None:
        found = dict(zip(self.unknowns, self._following(end), strict=True))
        following = [t for u in asked if (t := found[u]) is not None]
        if len(following) != len(asked):
            return None
        earlier = set(before)
        inside = tuple(f for f in end.path if f not in earlier)
        others = tuple(
            (form.term, entry.term)
            for form, entry in zip(self.forms, self.loop.entry, strict=True)
            if isinstance(form, IntV) and isinstance(entry, IntV) and form.term.sort is Sort.INT
            and not any(u.app in form.term.apps for u in self.unknowns)
        )  # fmt: skip
        elements = tuple(self.loop.state.stated((*following, *inside)))
        return Trip(tuple(asked), tuple(following), others, inside, self.loop.trip, end.bounds, elements)


def _join(a: Interval, b: Interval, full: Interval) -> Interval:
    """The least interval that holds both, inside `full`."""
    low = None if a[0] is None or b[0] is None else min(a[0], b[0])
    high = None if a[1] is None or b[1] is None else max(a[1], b[1])
    return meet((low, high), full)


def _widened(
    guess: Interval, after: Interval, entry: Interval, ends: tuple[Interval, Interval], join: bool, marks: set[int]
) -> Interval:  # fmt: skip
    """Ends of the guess that one trip keeps; for the others the next ones to try: `join`ed, at a mark, loose, full."""
    loose, full = ends
    met = _join(entry, after, full)
    out = []
    for side in (0, 1):
        now, reached = guess[side], after[side]
        inside = now is None or (reached is not None and (reached >= now if side == 0 else reached <= now))
        if inside:
            out.append(now)
        elif join and reached is not None:
            out.append(met[side])
        else:
            mark = _mark(reached, loose[side], marks, 1 if side else -1)
            out.append(mark if mark is not None else loose[side] if now != loose[side] else full[side])
    return (out[0], out[1])


def _mark(reached: int | None, loose: int | None, marks: set[int], sign: int) -> int | None:
    """The nearest mark that is past what is reached, and inside of the loose end."""
    if reached is None:
        return None
    past = [m for m in marks if sign * m >= sign * reached and (loose is None or sign * m < sign * loose)]
    return min(past, key=lambda m: sign * m, default=None)


def relied(loop: Loop, held: Held, end: End) -> None:
    """Record that what was derived needs exact results, at entry and in every trip."""
    state = loop.state
    for i in held.leaning:
        shape = shape_of(loop.params[i].type)
        state.facts.relied.append((guards_of(loop.entry[i]), state.scope(), shape))
        state.facts.relied.append((guards_of(end.values[i]), end.scope, shape))
