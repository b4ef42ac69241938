"""Lanes of a tile by cases: what those may hold that are padding, and those that are not.

A lane is *padding* if its number does not come from memory because the mask of a load was off, or is computed from such
lanes and from numbers that are the same along the axis at hand. Each lane of a value is described by at least one of its
pieces whose condition holds there; conditions are over tile coordinates, program ids, trip numbers and the user's symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from functools import reduce as fold

from argus_smt.absint import content as C
from argus_smt.absint.content import Content
from argus_smt.smt import term as T
from argus_smt.smt.term import Term

MOST = 10
"""Pieces up to which a value is described by cases."""
MOST_PARTS = 24
"""Conjuncts and alternatives up to which a condition is kept."""


@dataclass(frozen=True, slots=True)
class Lane:
    """`content` of a lane. `bad` names what went wrong with it; `data`: axes along which it also holds numbers from memory."""

    content: Content
    padding: bool = False
    bad: frozenset[str] = frozenset()
    data: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Piece:
    """Lanes where `cond` may hold."""

    cond: Term
    lane: Lane


Pieces = tuple[Piece, ...]


def plain(content: Content, data: Iterable[int] = ()) -> Pieces:
    """A value without padding."""
    return (Piece(T.TRUE, Lane(content, data=frozenset(data))),)


def deny(cond: Term) -> Term:
    """The opposite of a condition, pushed down to its parts."""
    if cond.op == "and":
        return T.or_(*(deny(c) for c in cond.args))
    if cond.op == "or":
        return conjoin(*(deny(c) for c in cond.args))
    return T.not_(cond)


@lru_cache(maxsize=1 << 15)
def _not(cond: Term) -> Term:
    return T.not_(cond)


@lru_cache(maxsize=1 << 15)
def conjoin(*conds: Term) -> Term:
    """A conjunction, in which alternatives that contradict the other parts are dropped."""
    parts = dict.fromkeys(p for c in conds for p in T.conjuncts(c))
    while True:
        if T.FALSE in parts:
            return T.FALSE
        denied = {_not(p) for p in parts if p.op != "or"}
        if any(p in denied for p in parts):
            return T.FALSE
        changed = False
        for p in list(parts):
            if p.op != "or":
                continue
            left = [d for d in p.args if not any(x in denied for x in T.conjuncts(d))]
            if any(d in parts for d in left):
                del parts[p]
                changed = True
            elif len(left) < len(p.args):
                del parts[p]
                parts.update(dict.fromkeys(T.conjuncts(T.or_(*left))) if left else {T.FALSE: None})
                changed = True
        if not changed:
            return T.and_(*parts) if len(parts) <= MOST_PARTS else T.and_(*list(parts)[:MOST_PARTS])


def either(conds: Iterable[Term]) -> Term:
    """A disjunction, without alternatives that a weaker one covers, and without parts whose opposite another one covers."""
    return _either(tuple(conds))


@lru_cache(maxsize=1 << 14)
def _either(conds: tuple[Term, ...]) -> Term:
    parts = dict.fromkeys(p for c in conds for p in (c.args if c.op == "or" else (c,)) if p is not T.FALSE)
    if T.TRUE in parts or len(parts) > MOST_PARTS:
        return T.TRUE
    sets = [set(T.conjuncts(p)) for p in parts]
    changed = len(sets) > 1
    while changed:
        changed = False
        for i, own in enumerate(sets):
            for j, other in enumerate(sets):
                spare = [c for c in own if i != j and _not(c) in other and other - {_not(c)} <= own - {c}]
                if spare:
                    own.discard(spare[0])
                    changed = True
    kept = [own for i, own in enumerate(sets) if not any(o < own or (o == own and j < i) for j, o in enumerate(sets))]
    return T.or_(*(T.and_(*own) for own in kept))


def merged(pieces: Iterable[Piece]) -> Pieces:
    """Pieces with equal lanes as one; few of them, so that later work stays small."""
    by: dict[tuple[Content, bool, frozenset[str]], tuple[list[Term], frozenset[int]]] = {}
    for p in pieces:
        if p.cond is not T.FALSE:
            key = (p.lane.content, p.lane.padding, p.lane.bad)
            conds, data = by.get(key, ([], frozenset()))
            by[key] = [*conds, p.cond], data | p.lane.data
    out = tuple(Piece(either(conds), Lane(*key, data)) for key, (conds, data) in by.items())
    return out if len(out) <= MOST else coarse(out)


def known_of(path: Iterable[Term]) -> frozenset[Term]:
    """What a path says outright: its conditions, and those on both sides of a minimum or maximum."""
    out: set[Term] = set()
    work = list(path)
    while work:
        c = work.pop()
        if c in out:
            continue
        out.add(c)
        for m in T.poly_atoms(c.args[0]) if c.op == "nonneg" else ():
            sign = T.poly(c.args[0]).get((m,), 0)
            if (m.op, sign > 0) in (("min", True), ("max", False)):  # above the least is above both; below the greatest likewise
                work += [T.substitute(c, {m: side}) for side in m.args]
    return frozenset(out)


def settled(value: Pieces, known: frozenset[Term]) -> Pieces:
    """The value where some conditions hold: what they rule out is dropped, what they imply is not repeated."""
    if len(value) == 1 and value[0].cond is T.TRUE:
        return value
    denied = frozenset(_not(k) for k in known)
    return merged(Piece(_under(p.cond, known, denied), p.lane) for p in value)


def _under(cond: Term, known: frozenset[Term], denied: frozenset[Term]) -> Term:
    if cond in known:
        return T.TRUE
    if cond in denied:
        return T.FALSE
    match cond.op:
        case "and":
            return conjoin(*(_under(c, known, denied) for c in cond.args))
        case "or":
            return either(_under(c, known, denied) for c in cond.args)
        case _:
            return cond


def coarse(pieces: Pieces) -> Pieces:
    """The same lanes with one piece for those that are not padding and one for each fault of the others."""
    groups: dict[tuple[bool, frozenset[str]], list[Piece]] = {}
    for p in pieces:
        groups.setdefault((p.lane.padding, p.lane.bad), []).append(p)
    return tuple(Piece(either(p.cond for p in g), joined(p.lane for p in g)) for g in groups.values())


def joined(lanes: Iterable[Lane]) -> Lane:
    """A lane that is any of the given ones."""

    def one(a: Lane, b: Lane) -> Lane:
        return Lane(C.join(a.content, b.content), a.padding or b.padding, a.bad | b.bad, a.data | b.data)

    return fold(one, lanes)


def never(x: Content, by: Content) -> bool:
    """The function that changes everything."""
    return False


def combined(
    operands: Sequence[Pieces], how: Callable[[Sequence[Content]], Content], keeps: Callable[[Content, Content], bool] = never
) -> Pieces:
    """An element-wise function of values: each combination of their pieces that can meet in a lane.

    `keeps(x, by)` tells for a function of two operands whether `by` leaves any number like `x` as it is.
    """
    if all(len(v) == 1 and v[0].cond is T.TRUE for v in operands):
        lanes = [v[0].lane for v in operands]
        return (Piece(T.TRUE, _met(lanes, how, keeps)),)
    found: list[tuple[Term, tuple[Lane, ...]]] = [(T.TRUE, ())]
    for value in operands:
        found = [(c, (*lanes, p.lane)) for cond, lanes in found for p in value if (c := conjoin(cond, p.cond)) is not T.FALSE]
    return merged(Piece(cond, _met(lanes, how, keeps)) for cond, lanes in found)


def _met(lanes: Sequence[Lane], how: Callable[[Sequence[Content]], Content], keeps: Callable[[Content, Content], bool]) -> Lane:
    for x, by in ((lanes[0], lanes[-1]), (lanes[-1], lanes[0])):
        if by.padding and not by.bad and x.data and not x.padding and keeps(x.content, by.content):
            return x  # a number from memory, and padding that does not change it
    padding = any(x.padding for x in lanes)
    content = how([x.content for x in lanes])
    constant = padding and content.number is not None  # holds nothing of the numbers from memory that went into it
    data: frozenset[int] = frozenset() if constant else frozenset().union(*(x.data for x in lanes))
    return Lane(replace(content, given=not padding), padding, frozenset().union(*(x.bad for x in lanes)), data)


def moved(value: Pieces, mapping: dict[Term, Term], axes: Callable[[frozenset[int]], frozenset[int]]) -> Pieces:
    """The value seen through an index map; `axes` says where its axes go."""
    memo: dict[Term, Term] = {}
    return tuple(Piece(T.substitute(p.cond, mapping, memo), replace(p.lane, data=axes(p.lane.data))) for p in value)


def weakened(value: Pieces, gone: Callable[[Term], bool], trip: Term = T.ZERO) -> Pieces:
    """The value with conditions that no longer speak of what is `gone`, as the number `trip` is, which is known if it is 0."""
    return merged(Piece(either(_without(c, gone, trip) for c in alternatives(p.cond)), p.lane) for p in value)


def _without(cond: Term, gone: Callable[[Term], bool], trip: Term) -> Term:
    if T.le(trip, 0) in T.conjuncts(cond):
        cond = T.substitute(cond, {trip: T.ZERO})
    return T.and_(*(c for c in T.conjuncts(cond) if not any(gone(v) for v in (*c.free, *c.apps))))


def alternatives(cond: Term) -> list[Term]:
    """The condition as a disjunction of conjunctions, as far as it stays small."""
    out: list[Term] = [T.TRUE]
    for part in sorted(T.conjuncts(cond), key=lambda c: c.op == "or"):
        choices = [x for d in part.args for x in alternatives(d)] if part.op == "or" else [part]
        wider = [c for a in out for b in choices if (c := conjoin(a, b)) is not T.FALSE]
        out = wider if len(wider) <= MOST_PARTS else [c for a in out if (c := conjoin(a, part)) is not T.FALSE]
    return out
