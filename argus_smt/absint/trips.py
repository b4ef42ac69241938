"""What loops carry, for values that are described by cases: found trip by trip until nothing new comes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from argus_smt.absint import content as C
from argus_smt.absint import signs as S
from argus_smt.absint.content import Content
from argus_smt.absint.pieces import Piece, Pieces, alternatives, conjoin, either, joined, merged, plain, weakened
from argus_smt.absint.values import IntV
from argus_smt.ir import ops as I
from argus_smt.ir.types import shape_of
from argus_smt.ir.walk import results, walk
from argus_smt.smt import term as T
from argus_smt.smt.term import Term

if TYPE_CHECKING:
    from argus_smt.absint.padding import Padding

ROUNDS = 6
"""Trial runs of a body before what it carries is given up."""


def counted(p: Padding, op: I.For) -> None:
    """A `for` loop."""
    for v in (op.lower, op.upper, op.step):
        p.see(op, v, "a bound of a loop")
    lower, upper = (p.facts.values.get(v.number) for v in (op.lower, op.upper))
    p.env[op.body.params[0].number] = plain(p.known(op.body.params[0]))
    inits = [p.get(v) for v in op.inits]

    def trip(carried: list[Pieces]) -> list[Pieces]:
        for param, value in zip(op.body.params[1:], carried, strict=True):
            p.env[param.number] = value
        return p.block(op.body)

    after = _iterate(p, op, inits, op.body.yields, trip)
    none, some = T.TRUE, T.TRUE
    if isinstance(lower, IntV) and isinstance(upper, IntV):
        none, some = T.le(upper.term, lower.term), T.lt(lower.term, upper.term)
    for result, init, left in zip(op.results, inits, after, strict=True):
        pieces = [Piece(conjoin(none, x.cond), x.lane) for x in init] + [Piece(conjoin(some, x.cond), x.lane) for x in left]
        p.env[result.number] = merged(pieces)


def repeated(p: Padding, op: I.While) -> None:
    """A `while` loop."""
    inits = [p.get(v) for v in op.inits]
    passed: list[Pieces] = []

    def trip(carried: list[Pieces]) -> list[Pieces]:
        for param, value in zip(op.before.params, carried, strict=True):
            p.env[param.number] = value
        passed[:] = p.block(op.before)[1:]
        p.see(op, op.before.yields[0], "the condition of a loop")
        for param, value in zip(op.after.params, passed, strict=True):
            p.env[param.number] = value
        return p.block(op.after)

    _iterate(p, op, inits, op.after.yields, trip)
    for result, value in zip(op.results, passed, strict=True):
        p.env[result.number] = weakened(value, _inside(p, op))


def _inside(p: Padding, op: I.Op) -> Callable[[Term], bool]:
    """Whether a symbol belongs to one trip of a loop, or of one inside of it."""
    scope = p.facts.scopes.get(p.site(op))
    outer = set(scope.counters) if scope is not None else set()
    return lambda v: str(v.data).startswith(("$k", "$x")) and v not in outer


def _iterate(
    p: Padding,
    op: I.For | I.While,
    inits: list[Pieces],
    ends: Sequence[I.Value],
    trip: Callable[[list[Pieces]], list[Pieces]],
) -> list[Pieces]:
    """Find what is carried from trip to trip, then follow the body for good; what a trip leaves behind."""
    number = T.var(f"$k{p.site(op)}")
    gone = _inside(p, op)
    state: list[Pieces] = [() for _ in inits]
    recording, p.recording = p.recording, False
    for turn in range(ROUNDS + 1):
        entry = [_carried(number, a, b) for a, b in zip(inits, state, strict=True)]
        made = trip(entry)
        possible = [pruned(p, op, v, end, f"{p.site(op)}/end", each=True) for v, end in zip(made, ends, strict=True)]
        new = [merged((*old, *weakened(v, gone, number))) for old, v in zip(state, possible, strict=True)]
        if [set(x) for x in new] == [set(x) for x in state]:
            break
        state = [x if set(x) == set(old) else _wider(x, turn, ROUNDS) for x, old in zip(new, state, strict=True)]
    else:
        lost = frozenset((f"unsure {p.site(op)}",))
        state = [_lost(x, lost) if x else x for x in state]
    p.recording = recording
    trip([_carried(number, a, b) for a, b in zip(inits, state, strict=True)])
    return state


def pruned(p: Padding, op: I.Op, value: Pieces, end: I.Value, site: str, each: bool = False) -> Pieces:
    """The value without the pieces that the solver rules out, with `each` also without such alternatives of their conditions.

    Pieces of finite numbers without a fault are not looked at.
    """
    if len(value) == 1:
        return value
    shape = shape_of(end.type)
    out = []
    for x in value:
        usual = not (x.lane.padding or x.lane.bad or x.lane.content.signs & ~S.FINITE)
        if usual:
            out.append(x)
        elif each:
            left = either(c for c in alternatives(x.cond) if not p.refuted(op, shape, c, site))
            out += [Piece(left, x.lane)] if left is not T.FALSE else []
        elif not p.refuted(op, shape, x.cond, site):
            out.append(x)
    return tuple(out)


def sums_of_loops(block: I.Block) -> Iterator[I.Binary]:
    """Operations that combine what a loop carries with something else, and hand on the result."""
    for loop in walk(block):
        if isinstance(loop, I.For):
            params, body = loop.body.params[1:], loop.body
        elif isinstance(loop, I.While):
            params, body = loop.after.params, loop.after
        else:
            continue
        made = {r.number: op for op in body.ops for r in results(op)}
        for param, end in zip(params, body.yields, strict=False):
            op = made.get(end.number)
            if isinstance(op, I.Binary) and shape_of(op.result.type) and param.number in (op.lhs.number, op.rhs.number):
                yield op


def _carried(number: Term, init: Pieces, later: Pieces) -> Pieces:
    """What a trip starts with: the initial value in the first one, what an earlier trip left in others."""
    if not later:
        return tuple(Piece(conjoin(T.le(number, 0), p.cond), p.lane) for p in init)
    if set(init) == set(later):
        return init
    first = [Piece(conjoin(T.le(number, 0), p.cond), p.lane) for p in init]
    return merged([*first, *(Piece(conjoin(T.gt(number, 0), p.cond), p.lane) for p in later)])


def _lost(value: Pieces, name: frozenset[str]) -> Pieces:
    """A value that was not found: whatever depends on it is unknown."""
    lane = joined(x.lane for x in value)
    content = C.widest(lane.content) if lane.content.span is not None else Content(S.ANY, given=False)
    return (Piece(T.TRUE, replace(lane, content=content, padding=True, bad=lane.bad | name)),)


def _wider(value: Pieces, turn: int, rounds: int) -> Pieces:
    """A value that still changes from trip to trip, less exactly: first its numbers, then its conditions."""
    if turn < 1:
        return value
    last = turn >= rounds - 2
    out = []
    for p in value:
        x = p.lane.content
        loose = C.widest(x) if x.span is not None or x.number is None or turn >= rounds - 3 else x
        if last and x.span is None:
            loose = Content(S.ANY, None, None, "", x.given)
        out.append(Piece(T.TRUE if last else p.cond, replace(p.lane, content=loose)))
    return merged(out)
