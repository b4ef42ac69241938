"""Closed forms of loop-carried integers and pointers.

A carried value enters a trial run of the body as a *hole*, an unknown function of the tile coordinates. What the body
makes of it decides: unchanged; advanced by a step that is invariant or polynomial in the trip number (summed by
Faulhaber's formulas); replaced by something that does not depend on carried values; handed around in a circle. Anything
else stays unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from argus_smt.smt import term as T
from argus_smt.smt.term import Term

HOLE = "$hole"
MAX_CYCLE = 8


@dataclass(frozen=True, slots=True)
class Carried:
    """One integer carried by a loop: a term at entry, its hole, and what the trial run left."""

    entry: Term
    hole: Term
    after: Term


def holes_in(t: Term) -> frozenset[Term]:
    return frozenset(a for a in t.apps if a.data.startswith(HOLE))


def power_sum(trip: Term, degree: int) -> Term | None:
    """Sum of j**degree over 0 <= j < trip, for trip >= 0 (Faulhaber)."""
    n = trip
    match degree:
        case 0:
            return n
        case 1:
            return T.div(n * (n - 1), T.const(2))
        case 2:
            return T.div(n * (n - 1) * (2 * n - 1), T.const(6))
        case _:
            return None


def total(step: Term, trip: Term) -> Term | None:
    """Sum of `step` over trip numbers 0 … trip - 1, if it is a polynomial of degree at most 2 in `trip`."""
    out = T.ZERO
    for mono, coef in T.poly(step).items():
        degree = mono.count(trip)
        rest = tuple(a for a in mono if a is not trip)
        if any(trip in a.free for a in rest):
            return None
        summed = power_sum(trip, degree)
        if summed is None:
            return None
        out = out + T.from_poly({rest: coef}) * summed
    return out


@dataclass(frozen=True, slots=True)
class Closed:
    """Value at the start of a trip. `how`: `same`, `steady` (a fixed step), `summed` (a varying one) or `replaced`."""

    value: Term
    how: str


def close(
    item: Carried, trip: Term, solved: dict[Term, Term], open_in: Callable[[Term], frozenset[Term]] = holes_in
) -> Closed | None:
    """Closed form of one carried integer, given closed forms of others by their holes; None if there is none yet.

    `open_in` gives the holes of this loop: those of a loop around it are numbers that no trip changes.
    """
    after = T.substitute(item.after, solved) if solved else item.after
    if after is item.hole:
        return Closed(item.entry, "same")
    step = after - item.hole
    if not open_in(step):
        summed = total(step, trip)
        how = "summed" if trip in step.free else "steady"
        return None if summed is None else Closed(item.entry + summed, how)
    if not open_in(after):
        before = T.substitute(after, {trip: trip - 1})
        return Closed(T.ite(T.eq(trip, 0), item.entry, before), "replaced")
    return None


def cycle(start: Term, entries: Mapping[Term, Term], after: Mapping[Term, Term], trip: Term) -> Term | None:
    """Closed form of a value that carried values hand around (`a, b = b, a`): the entries in turn; None if they do not.

    `entries` and `after` give each hole's value at entry and after a trip.
    """
    round_: list[Term] = [start]
    while True:
        following = after.get(round_[-1])
        if following is None or following not in entries or len(round_) > MAX_CYCLE:
            return None
        if following is start:
            break
        if following in round_:
            return None
        round_.append(following)
    out = entries[round_[-1]]
    for place in reversed(range(len(round_) - 1)):
        here = T.eq(T.mod(trip, T.const(len(round_))), place)
        value = entries[round_[place]]
        out = T.or_(T.and_(here, value), T.and_(T.not_(here), out)) if value.sort is T.Sort.BOOL else T.ite(here, value, out)
    return out


def past(cond: Term, trip: Term, how: str, monotone: Callable[[Term], bool] = lambda _: False) -> Term | None:
    """What `cond`, needed in every trip before this one, comes to; None if it cannot be told from its ends.

    A conjunction of bounds that are linear in the trip number holds in between if it holds in the first and last trip, and
    so does one of bounds that `monotone` says only to rise or only to fall with the trip.
    """
    last = T.substitute(cond, {trip: trip - 1})
    if trip not in cond.free or how == "replaced":
        return T.implies(T.gt(trip, 0), last)
    ends_suffice = all(_linear(c, trip) or (c.op == "nonneg" and monotone(c.args[0])) for c in T.conjuncts(cond))
    if how not in ("same", "steady", "summed") or not ends_suffice:
        return None
    return T.implies(T.gt(trip, 0), T.and_(T.substitute(cond, {trip: T.ZERO}), last))


def _linear(cond: Term, trip: Term) -> bool:
    """Whether a bound that holds for two trips holds for those between: linear, or excused by what no trip changes."""
    if cond.op == "or":
        moving = [c for c in cond.args if trip in c.free]
        return len(moving) <= 1 and all(_linear(p, trip) for c in moving for p in T.conjuncts(c))
    if cond.op != "nonneg":
        return trip not in cond.free
    return all(m.count(trip) <= 1 and not any(a is not trip and trip in a.free for a in m) for m in T.poly(cond.args[0]))
