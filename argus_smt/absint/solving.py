"""From one trial run of a loop's body to the carried values at the start of any trip.

Each part of each carried value gets a closed form where there is one. The others become unknown functions of the trip,
in the sharpest shape that their steps allow: where every step is a multiple of one size, the value is its entry plus that
size times an unknown number of steps, so that what it is a multiple of stays visible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from math import gcd

from argus_smt.absint.carried import Carrier, parts, whole
from argus_smt.absint.recurrence import Carried, Closed, close, cycle, holes_in, past
from argus_smt.absint.values import COORDS, NO_GUARDS, AbsValue, FloatV, Guard, Guards, LostV, guards_of
from argus_smt.smt import term as T
from argus_smt.smt.term import Sort, Term

Place = tuple[int, int]
"""Number of the carried value, and of its part."""
MAX_LEAVES = 16


@dataclass(frozen=True, slots=True)
class Unknown:
    """A part that is `base + scale * app`, where `app` is an unknown function of the trip that starts at `start`."""

    place: Place
    app: Term
    base: Term
    scale: Term
    start: Term

    @property
    def name(self) -> str:
        return str(self.app.data)

    @property
    def counts(self) -> bool:
        """Whether it stands for a number of steps rather than for the value itself."""
        return self.scale is not T.ONE or self.base is not T.ZERO

    @property
    def value(self) -> Term:
        return self.app if self.app.sort is Sort.BOOL else self.base + self.scale * self.app

    def following(self, after: Term) -> Term | None:
        """The next value of `app`, from the part after a trip; None if that is no whole number of steps away."""
        if not self.counts:
            return after
        return mapped(after, lambda leaf: T.quotient(leaf - self.base, self.scale))


def leaves(t: Term) -> Iterator[Term]:
    """The values that a term chooses from."""
    if t.op == "ite":
        yield from leaves(t.args[1])
        yield from leaves(t.args[2])
    else:
        yield t


def mapped(t: Term, change: Callable[[Term], Term | None]) -> Term | None:
    """`t` with each of the values that it chooses from changed; None if one of them cannot be."""
    if t.op != "ite":
        return change(t)
    a, b = (mapped(side, change) for side in t.args[1:])
    return None if a is None or b is None else T.ite(t.args[0], a, b)


@dataclass(slots=True)
class Part:
    """One part in the trial run; `form` and `guards` are found."""

    place: Place
    entry: Term
    hole: Term
    after: Term
    form: Term | None = None
    guards: Guards = NO_GUARDS


@dataclass(slots=True)
class Solution:
    """Values at the start of trip `trip`, and the unknown functions among them."""

    forms: list[AbsValue]
    unknowns: list[Unknown]


@dataclass(slots=True)
class Solver:
    """Solves the recurrences of one loop. `simplify` and `monotone` may use what holds around the loop, for any trip."""

    layouts: Sequence[Carrier]
    entry: Sequence[AbsValue]
    holes: Sequence[AbsValue]
    after: Sequence[AbsValue]
    trip: Term
    counters: tuple[Term, ...]
    simplify: Callable[[Term], Term]
    monotone: Callable[[Term], bool]
    plain: frozenset[Place] = frozenset()
    """Parts that must not be counted in steps."""
    _parts: list[Part] = field(default_factory=list)
    _solved: dict[Term, Term] = field(default_factory=dict)
    _carried: dict[Term, Guards] = field(default_factory=dict)
    _unknowns: list[Unknown] = field(default_factory=list)

    def solve(self) -> Solution:
        for i, layout in enumerate(self.layouts):
            sides = (parts(layout, v) for v in (self.entry[i], self.holes[i], self.after[i]))
            for j, (first, mark, after) in enumerate(zip(*sides, strict=True)):
                self._parts.append(Part((i, j), first, mark, after))
        self._close_all()
        while open_ := [p for p in self._parts if p.form is None]:
            own = [p for p in open_ if p.hole in holes_in(self._known(p.after))]
            for part in own or open_:
                self._give_up(part)
            self._close_all()
        return Solution([self._form(i) for i in range(len(self.layouts))], self._unknowns)

    def _form(self, i: int) -> AbsValue:
        own = [p for p in self._parts if p.place[0] == i]
        if not own:
            return _lost_or_float(self.entry[i], self.after[i])
        terms = [p.form for p in own if p.form is not None]
        return whole(self.layouts[i], terms, NO_GUARDS.union(*(p.guards for p in own)))

    def _open(self, t: Term) -> frozenset[Term]:
        """Holes of this loop in a term; those of loops around it are not for this loop to fill."""
        return holes_in(t) & {p.hole for p in self._parts}

    def _known(self, t: Term) -> Term:
        return T.substitute(t, self._solved) if self._solved else t

    # ------------------------------------------------------------ closed forms

    def _close_all(self) -> None:
        progress = True
        while progress:
            progress = False
            for part in self._parts:
                if part.form is None and self._close(part):
                    progress = True

    def _close(self, part: Part) -> bool:
        closed = self._closed(part)
        if closed is None:
            return False
        owner = part.place[0]
        lent = guards_of(self.after[owner]) | self._lent(part)
        guards = self._past(lent, {**self._solved, part.hole: closed.value}, closed.how)
        if guards is None:
            return False
        self._settle(part, closed.value, guards_of(self.entry[owner]) | guards)
        return True

    def _settle(self, part: Part, value: Term, guards: Guards) -> None:
        part.form, part.guards = value, guards
        self._solved[part.hole], self._carried[part.hole] = value, guards

    def _closed(self, part: Part) -> Closed | None:
        if part.entry.sort is Sort.BOOL:
            return self._closed_boolean(part) or self._cycle(part)
        return close(Carried(part.entry, part.hole, part.after), self.trip, self._solved, self._open) or self._cycle(part)

    def _closed_boolean(self, part: Part) -> Closed | None:
        """Carried booleans only stay or are replaced."""
        known = self._known(part.after)
        if known is part.hole:
            return Closed(part.entry, "same")
        if self._open(known):
            return None
        before = T.substitute(known, {self.trip: self.trip - 1})
        return Closed(T.ite(T.eq(self.trip, 0), part.entry, before), "replaced")

    def _cycle(self, part: Part) -> Closed | None:
        marks = {p.hole for p in self._parts if p.form is None}
        open_ = [p for p in self._parts if p.hole in marks and p.after in marks and p.after is not p.hole]
        round_ = cycle(part.hole, {p.hole: p.entry for p in open_}, {p.hole: p.after for p in open_}, self.trip)
        if round_ is None:
            return None
        lent = [guards_of(self.after[p.place[0]]) | guards_of(self.entry[p.place[0]]) for p in open_]
        return None if any(lent) else Closed(round_, "same")

    def _lent(self, part: Part) -> Guards:
        """Guards of the other carried values that the next value is made of."""
        return NO_GUARDS.union(*(self._carried.get(h, NO_GUARDS) for h in holes_in(part.after) if h is not part.hole))

    def _past(self, guards: Guards, solved: dict[Term, Term], how: str) -> Guards | None:
        """The guards of all earlier trips, or None if they cannot be put into terms of this one."""
        moved = []
        for g in guards:
            known = self.simplify(T.substitute(g.cond, solved))
            cond = None if self._open(known) else past(known, self.trip, how, self.monotone)
            if cond is None:
                return None
            if cond is not T.TRUE:
                exact = T.substitute(T.substitute(g.exact, solved), {self.trip: self.trip - 1})
                moved.append(Guard(g.site, cond, exact))
        return frozenset(moved)

    # ------------------------------------------------------------ what has none

    def _give_up(self, part: Part) -> None:
        unknown = self._unknown(part)
        self._unknowns.append(unknown)
        guards = guards_of(self.entry[part.place[0]]) if unknown.counts else NO_GUARDS
        self._settle(part, unknown.value, guards)

    def _unknown(self, part: Part) -> Unknown:
        layout = self.layouts[part.place[0]]
        name = f"?loop{layout.names[part.place[1]]}"
        args = (*layout.coords, *self.counters)
        if part.entry.sort is Sort.BOOL:
            return Unknown(part.place, T.bapp(name, *args), T.FALSE, T.ONE, part.entry)
        telling = len(layout.names) > 1 and part.place[1] == 0
        if part.place not in self.plain and not telling:
            stepped = self._stepped(part)
            if stepped is not None:
                scale, varied = stepped
                used = args if varied else self.counters
                return Unknown(part.place, T.app(name, *used), part.entry, scale, T.ZERO)
        return Unknown(part.place, T.app(name, *args), T.ZERO, T.ONE, part.entry)

    def _stepped(self, part: Part) -> tuple[Term, bool] | None:
        """The size that all steps are multiples of, and whether their number differs from element to element."""
        after = self._known(part.after)
        found = list(leaves(after))
        steps = [leaf - part.hole for leaf in found]
        if len(found) > MAX_LEAVES or any(part.hole in holes_in(s) for s in steps):
            return None
        scale = common_factor([s for s in steps if s is not T.ZERO], frozenset(self.counters[-1:]))
        if scale is None or scale is T.ONE:
            return None
        counted = mapped(after, lambda leaf: T.quotient(leaf - part.hole, scale))
        assert counted is not None
        return scale, any(c in counted.free for c in COORDS)


def common_factor(steps: Sequence[Term], changing: frozenset[Term]) -> Term | None:
    """The largest single product that divides all steps and does not change from trip to trip; None without steps."""
    monos = [(m, c) for s in steps for m, c in T.poly(s).items()]
    if not monos:
        return None
    shared = list(monos[0][0])
    for mono, _ in monos[1:]:
        rest = list(mono)
        kept = []
        for atom in shared:
            if atom in rest:
                rest.remove(atom)
                kept.append(atom)
        shared = kept
    steady = tuple(a for a in shared if not a.free & changing and not holes_in(a) and not any(c in a.free for c in COORDS))
    return T.from_poly({steady: reduce(gcd, (abs(c) for _, c in monos))})


def _lost_or_float(entry: AbsValue, after: AbsValue) -> AbsValue:
    for value in (entry, after):
        if isinstance(value, LostV):
            return value
    if isinstance(entry, FloatV) and isinstance(after, FloatV):
        return entry
    return LostV("a value of which one trip of a loop makes something else")
