"""Guesses at what holds at the start of every trip of a loop, for values that have no closed form.

They come from how the values enter, from the conditions that trips run under, from the size of steps, and from comparing
carried values with each other: differences, never more than two unknowns at a time. None is believed before it is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from argus_smt.absint.solving import Unknown, leaves
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.term import Sort, Term

MAX_CANDIDATES = 48
MAX_ENTRIES = 6
FARTHEST = 1 << 40
"""Steps of unknown size that may be this large say nothing of where a value is after a few trips."""


@dataclass(frozen=True, slots=True)
class Trip:
    """What one trip does: the unknown values before and after it, and what it runs under."""

    unknowns: tuple[Unknown, ...]
    following: tuple[Term, ...]
    """The next value of each unknown."""
    others: tuple[tuple[Term, Term], ...]
    """Integers carried with a closed form: at the start of the trip, and at entry."""
    path: tuple[Term, ...]
    """What holds at the end of a trip, without what held before the loop."""
    trip: Term
    bounds: Bounds
    stated: tuple[Term, ...] = ()
    """What the signature states of the elements of index tensors that the trip reads."""


def candidates(of: Trip) -> list[Term]:
    """Conditions on the unknowns at the start of a trip, at most MAX_CANDIDATES, likely ones first."""
    found: dict[Term, None] = {}
    makers = (_from_entries, _from_counters, _from_elements, _from_conditions, _from_sums, _from_counts,
              _from_steps, _between, _from_leaves)  # fmt: skip
    for make in makers:
        for guess in make(of):
            found[guess] = None
    names = {u.app for u in of.unknowns}
    kept = [g for g in found if not g.is_const and g.apps & names]
    return kept[:MAX_CANDIDATES]


def _integers(of: Trip) -> Iterator[tuple[Unknown, Term]]:
    for unknown, after in zip(of.unknowns, of.following, strict=True):
        if unknown.app.sort is Sort.INT:
            yield unknown, after


def _from_entries(of: Trip) -> Iterator[Term]:
    """It never falls below, or never rises above, where it began."""
    for unknown, _ in _integers(of):
        yield T.ge(unknown.app, unknown.start)
        yield T.le(unknown.app, unknown.start)
        yield T.ge(unknown.app, 0)


def _from_counters(of: Trip) -> Iterator[Term]:
    """It is set to what changes with the trip: then what bounds that in every trip may bound it too."""
    known = dict.fromkeys(p for c in (*of.path, *of.stated) for p in _literals(c))
    literals = [c.args[0] for c in known if c.op == "nonneg"]
    for unknown, after in _integers(of):
        for leaf in (t for t in leaves(after) if of.trip in t.free and unknown.app not in t.apps):
            for room in literals:
                for sign in (1, -1):
                    end = room + sign * leaf
                    if of.trip not in end.free:
                        yield T.nonneg(end - sign * unknown.app)


def _from_elements(of: Trip) -> Iterator[Term]:
    """It is made of elements of index tensors: the bounds that are stated of them may be its own."""
    ends: dict[tuple[Term, int], None] = {}
    for literal in (p for c in of.stated for p in _literals(c) if p.op == "nonneg"):
        room = literal.args[0]
        for cell in room.apps:
            side = T.poly(room).get((cell,), 0)
            end = cell - side * room
            if abs(side) == 1 and not end.apps and of.trip not in end.free:
                ends[end, side] = None
    for unknown, after in _integers(of):
        if after.apps & {a for c in of.stated for a in c.apps}:
            for end, side in list(ends)[:MAX_ENTRIES]:
                yield T.nonneg(side * (unknown.app - end))


def _from_sums(of: Trip) -> Iterator[Term]:
    """Its steps are differences of neighbouring elements, or quotients of such: their sum is what the ends differ by."""
    for unknown, after in _integers(of):
        for leaf in leaves(after):
            step = leaf - unknown.app
            if unknown.app in step.apps:
                continue
            moved = unknown.app - unknown.start
            for scale, numerator in _as_quotient(step):
                total = telescoped(numerator, of.trip)
                if total is not None:
                    yield T.le(scale * moved, total)
                    yield T.ge(scale * moved, total - (scale - 1) * of.trip)


def _as_quotient(step: Term) -> Iterator[tuple[int, Term]]:
    """A step as floor(numerator / scale)."""
    if step.op == "div" and step.args[1].op == "const" and step.args[1].value > 0:
        yield step.args[1].value, step.args[0]
    yield 1, step


def telescoped(step: Term, trip: Term) -> Term | None:
    """Sum of `step` over the trips before `trip`, where it is `f(trip + 1) - f(trip)` of unknown functions, and numbers."""
    sizes = T.poly(step)
    rising = {m: c for m, c in sizes.items() if any(trip in a.free and a.op == "app" for a in m)}
    rest = T.from_poly({m: c for m, c in sizes.items() if m not in rising})
    if not rising or trip in rest.free:
        return None
    whole = T.from_poly(rising)
    for mono, coef in rising.items():
        high = T.from_poly({mono: coef})
        if high - T.substitute(high, {trip: trip - 1}) is whole:
            below = T.substitute(high, {trip: trip - 1})
            return below - T.substitute(below, {trip: T.ZERO}) + rest * trip
    return None


def _from_counts(of: Trip) -> Iterator[Term]:
    """It counts the trips in which a condition holds: it can only be at its most if the condition held in the last one."""
    names = {u.app for u in of.unknowns}
    for unknown, after in _integers(of):
        chosen = after if after.op == "ite" else after - unknown.app
        if chosen.op != "ite" or chosen.args[0].apps & names:
            continue
        cond, *sides = chosen.args
        steps = [side - (unknown.app if chosen is after else T.ZERO) for side in sides]
        if not all(s.is_const for s in steps) or T.ZERO not in steps:
            continue
        step, held = (steps[0], cond) if steps[1] is T.ZERO else (steps[1], T.not_(cond))
        moved = unknown.app - unknown.start if step.value > 0 else unknown.start - unknown.app
        before = T.substitute(held, {of.trip: of.trip - 1})
        yield T.or_(T.le(of.trip, 0), before, T.lt(moved, of.trip * abs(step.value)))
        yield T.or_(T.le(of.trip, 0), T.not_(before), T.gt(moved, 0))


def _from_conditions(of: Trip) -> Iterator[Term]:
    """What trips run under, and what is left of it after one step past its end."""
    names = {u.app for u in of.unknowns}
    literals = {part: None for c in (*of.path, *_chosen_by(of.following)) for part in _literals(c)}
    for literal in literals:
        inner = literal.args[0].args[0] if literal.op == "not" else literal.args[0]
        if not inner.apps & names or not inner.apps <= names | _steady_apps(inner, of.trip):
            continue
        if literal.op == "nonneg":
            yield literal
            yield T.nonneg(inner + 1)
            yield from _overshoot(of, inner)
        else:
            yield T.nonneg(inner)
            yield T.nonneg(-inner)


def _overshoot(of: Trip, inner: Term) -> Iterator[Term]:
    """Where `0 <= b - x` held and the step is s, or the next value is f(x), `x <= b + s` or `x <= f(b)` may hold after."""
    for unknown, after in _integers(of):
        coef = T.poly(inner).get((unknown.app,), 0)
        if abs(coef) != 1:
            continue
        bound = unknown.app - coef * inner  # the value at which the condition just holds
        if unknown.app in bound.apps:
            continue
        for leaf in leaves(after):
            furthest = T.substitute(leaf, {unknown.app: bound})
            if of.trip not in furthest.free:
                yield T.nonneg(coef * (unknown.app - furthest))
                extreme = T.minimum if coef > 0 else T.maximum
                yield T.nonneg(coef * (unknown.app - extreme(furthest, unknown.start)))


def _from_steps(of: Trip) -> Iterator[Term]:
    """After k trips it is at most k times the largest step away from where it began, and at least the least."""
    for unknown, after in _integers(of):
        moved = unknown.app - unknown.start
        steps = [leaf - unknown.app for leaf in leaves(after)]
        steady = [s for s in steps if of.trip not in s.free and unknown.app not in s.apps]
        low, high = of.bounds.of(after - unknown.app)
        ends = [T.const(e) for e in (low, high) if e is not None and abs(e) < FARTHEST]
        for step in dict.fromkeys((*steady, *ends)):
            yield T.le(moved, step * of.trip)
            yield T.ge(moved, step * of.trip)


def _between(of: Trip) -> Iterator[Term]:
    """How carried values compare with each other, and with where others began."""
    named = [(u.app, u.start) for u, _ in _integers(of)]
    for i, (x, x0) in enumerate(named):
        for y, y0 in (*named[i + 1 :], *of.others[:MAX_ENTRIES]):
            gap = y0 - x0
            for distance in dict.fromkeys((T.ZERO, T.ONE, T.const(-1), *((gap,) if gap.is_const else ()))):
                yield T.le(x, y - distance)
                yield T.ge(x, y - distance)
        for y0 in dict.fromkeys(start for y, start in (*named, *of.others[:MAX_ENTRIES]) if y is not x):
            yield T.le(x, y0)
            yield T.ge(x, y0)


def _from_leaves(of: Trip) -> Iterator[Term]:
    """Values that a trip may set it to: bounds, and the only values that it ever has."""
    for unknown, after in _integers(of):
        fixed = [t for t in _ends(after) if of.trip not in t.free and not t.apps & {u.app for u in of.unknowns}]
        for t in fixed[:MAX_ENTRIES]:
            yield T.le(unknown.app, t)
            yield T.ge(unknown.app, t)
            yield T.le(unknown.app, T.maximum(t, unknown.start))
            yield T.ge(unknown.app, T.minimum(t, unknown.start))
        if fixed and len(fixed) <= MAX_ENTRIES and all(t in fixed or t is unknown.app for t in leaves(after)):
            yield T.or_(*(T.eq(unknown.app, t) for t in (unknown.start, *fixed)))


def _ends(t: Term) -> list[Term]:
    """Values that a term chooses from, by conditions or as an extreme."""
    if t.op in ("ite", "min", "max"):
        return [e for a in t.args[-2:] for e in _ends(a)]
    return [t]


def _chosen_by(terms: Sequence[Term]) -> list[Term]:
    """Conditions of the choices in terms."""
    out: list[Term] = []
    work = list(terms)
    while work:
        t = work.pop()
        if t.op == "ite":
            out.append(t.args[0])
            work += t.args[1:]
    return out


def _literals(t: Term) -> list[Term]:
    if t.op in ("and", "or"):
        return [x for a in t.args for x in _literals(a)]
    return [t] if t.op in ("nonneg", "zero") or (t.op == "not" and t.args[0].op == "zero") else []


def _steady_apps(t: Term, trip: Term) -> set[Term]:
    return {a for a in t.apps if trip not in a.free}
