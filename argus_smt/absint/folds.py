"""Where lanes meet: reductions, scans and products of tiles whose lanes may be padding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from argus_smt.absint import content as C
from argus_smt.absint import signs as S
from argus_smt.absint.combine import How, closure, neutral
from argus_smt.absint.content import Content
from argus_smt.absint.pieces import Lane, Piece, Pieces, combined, conjoin, either, joined, merged, moved
from argus_smt.absint.values import COORDS
from argus_smt.ir.types import Ptr, Scalar
from argus_smt.smt import term as T
from argus_smt.smt.term import Term

Impossible = Callable[[Term], bool]
"""Whether no lane of the operand's tile meets a condition, where the operation runs."""
OTHER = T.var("$q")
"""The place of another lane along the axis."""


@dataclass(frozen=True, slots=True)
class Joint:
    """Lanes of all operands at one place."""

    cond: Term
    lanes: tuple[Lane, ...]

    @property
    def padding(self) -> bool:
        return any(x.padding or x.bad for x in self.lanes)

    @property
    def contents(self) -> list[Content]:
        return [x.content for x in self.lanes]

    @property
    def bad(self) -> frozenset[str]:
        return frozenset().union(*(x.bad for x in self.lanes))


@dataclass(frozen=True, slots=True)
class Fold:
    """One reduction or scan: `shape` of the operands, what it does, and the name under which its faults are noted."""

    site: str
    shape: tuple[int, ...]
    axis: int
    how: How
    impossible: Impossible
    note: Callable[[Joint], None]
    """Told of each kind of padding that meets other lanes without being neutral."""
    places: Mapping[int, Term] = field(default_factory=dict)
    """By operand: integers that are known exactly, and that the region only compares with each other and hands on."""

    @property
    def extent(self) -> int:
        return self.shape[self.axis]

    def at(self, cond: Term, place: Term) -> Term:
        """The condition at another place along the axis."""
        return T.substitute(cond, {COORDS[self.axis]: place})

    def elsewhere(self, cond: Term) -> Term:
        return conjoin(self.at(cond, OTHER), T.ge(OTHER, 0), T.lt(OTHER, self.extent))


def tuples(operands: Sequence[Pieces]) -> list[Joint]:
    """The combinations of the operands' pieces that can meet in a lane."""
    found: list[tuple[Term, tuple[Lane, ...]]] = [(T.TRUE, ())]
    for value in operands:
        found = [(c, (*lanes, p.lane)) for cond, lanes in found for p in value if (c := conjoin(cond, p.cond)) is not T.FALSE]
    by: dict[tuple[Lane, ...], list[Term]] = {}
    for cond, lanes in found:
        by.setdefault(lanes, []).append(cond)
    return [Joint(either(conds), lanes) for lanes, conds in by.items()]


def _all(parts: Sequence[Joint]) -> list[Content]:
    return [joined(t.lanes[i] for t in parts).content for i in range(len(parts[0].lanes))]


def harmful(fold: Fold, pads: Sequence[Joint], reals: Sequence[Joint]) -> list[Joint]:
    """The padding that changes what it is combined with."""
    if not reals or not pads:
        return []
    sums = closure(fold.how, _all(reals), _all(reals))
    real = fold.elsewhere(either(r.cond for r in reals))
    orders = {id(t): _order(fold, t, real) for t in pads}
    good = [t for t in pads if not t.bad and neutral(fold.how, *_ranked(sums, t.contents, orders[id(t)]))]
    if good:
        together = closure(fold.how, _all(good), _all(good))
        shared = {i: after for i, after in orders[id(good[0])].items() if all(orders[id(t)].get(i) is after for t in good)}
        if not neutral(fold.how, *_ranked(sums, together, shared)):
            good = []
    kept = {id(t) for t in good}
    return [t for t in pads if id(t) not in kept]


def _order(fold: Fold, t: Joint, real: Term) -> dict[int, bool]:
    """By operand: whether the padding's integers are all after those of other lanes (True) or before them (False)."""
    out = {}
    for i, own in fold.places.items():
        other, both = fold.at(own, OTHER), conjoin(t.cond, real)
        if fold.impossible(conjoin(both, T.ge(other, own))):
            out[i] = True
        elif fold.impossible(conjoin(both, T.le(other, own))):
            out[i] = False
    return out


def _ranked(reals: Sequence[Content], lane: Sequence[Content], order: Mapping[int, bool]) -> tuple[list[Content], list[Content]]:
    """The contents, with small numbers that have the same order in the place of integers which are only compared."""
    low, high = C.integers(0, 1), C.integers(2, 3)
    first = [x if i not in order else low if order[i] else high for i, x in enumerate(reals)]
    return first, [x if i not in order else high if order[i] else low for i, x in enumerate(lane)]


def reduced(fold: Fold, operands: Sequence[Pieces]) -> list[Pieces]:
    """Results of a reduction: padding where all lanes are, and faults where padding meets other lanes and is not neutral."""
    parts = tuples(operands)
    pads, reals = [t for t in parts if t.padding], [t for t in parts if not t.padding]
    out: list[tuple[Term, Sequence[Content], bool, frozenset[str]]] = []
    bad = {id(t) for t in harmful(fold, pads, reals)}
    for t in pads:
        faults = _meets(fold, t, fold.elsewhere(either(r.cond for r in reals))) if id(t) in bad else frozenset()
        if faults:
            fold.note(t)
            out.append((t.cond, closure(fold.how, _all(parts), _all(parts)), False, faults))
    out += _sound(fold, reals, pads)
    if pads:
        whole = _throughout(fold, pads)
        out.append((whole, closure(fold.how, _all(pads), _all(pads)), True, frozenset()))
        out += [(conjoin(whole, t.cond), closure(fold.how, _all(pads), _all(pads)), True, t.bad) for t in pads if t.bad]
    data = [_dropped(_data(parts, i), fold.axis) for i in range(len(operands))]
    own = [_dropped(_data(pads, i), fold.axis) for i in range(len(operands))]
    projected = [(_projected(fold, cond), contents, padding, faults) for cond, contents, padding, faults in out]
    return [
        merged(
            Piece(cond, Lane(replace(contents[i], given=not padding), padding, faults, (own if padding else data)[i]))
            for cond, contents, padding, faults in projected
        )
        for i in range(len(operands))
    ]


def _meets(fold: Fold, t: Joint, real: Term) -> frozenset[str]:
    """The faults of padding that is not neutral, if it can meet other lanes."""
    if fold.impossible(conjoin(t.cond, real)):
        return frozenset()
    if t.bad:
        return t.bad
    unsure = any(fold.axis in x.data for x in t.lanes if x.padding)
    return frozenset((f"{'unsure' if unsure else 'mixed'} {fold.site}",))


def _throughout(fold: Fold, parts: Sequence[Joint]) -> Term:
    """What holds where all lanes along the axis are of `parts`: so is the first one, and the last."""
    return conjoin(*(either(fold.at(t.cond, place) for t in parts) for place in (T.ZERO, T.const(fold.extent - 1))))


def _sound(
    fold: Fold, reals: Sequence[Joint], pads: Sequence[Joint]
) -> list[tuple[Term, Sequence[Content], bool, frozenset[str]]]:
    """Results of lanes that are not padding; apart where all of them are infinite, as after masking a whole row."""
    if not reals:
        return []
    weak = [t for t in (*reals, *pads) if t.lanes[0].content.signs in (S.NINF, S.PINF)]
    strong = [t for t in reals if t.lanes[0].content.signs not in (S.NINF, S.PINF)]
    if not weak or not strong:
        return [(either(t.cond for t in reals), closure(fold.how, _all(reals), _all(reals)), False, frozenset())]
    out: list[tuple[Term, Sequence[Content], bool, frozenset[str]]] = [
        (t.cond, closure(fold.how, t.contents, _all([*strong, *weak])), False, frozenset()) for t in strong
    ]
    own = [t for t in weak if not t.padding]
    if own:
        cond = conjoin(either(t.cond for t in own), _throughout(fold, [*weak, *(t for t in pads if t not in weak)]))
        out.append((cond, closure(fold.how, _all(weak), _all(weak)), False, frozenset()))
    return out


def _projected(fold: Fold, cond: Term) -> Term:
    """What the condition says of the result: without the axis, and the later coordinates moved up."""
    axis = COORDS[fold.axis]
    kept: list[Term] = []
    for part in T.conjuncts(cond):
        if axis not in part.free:
            kept.append(part)
        elif part.op == "or":
            left = [d for d in part.args if axis not in d.free or not fold.impossible(conjoin(cond, d))]
            kept.append(T.TRUE if any(axis in d.free for d in left) else T.or_(*left))
    rank = len(fold.shape)
    shift = {COORDS[d]: COORDS[d - 1] for d in range(fold.axis + 1, rank)}
    return T.substitute(T.and_(*kept), shift)


def _data(parts: Sequence[Joint], i: int) -> frozenset[int]:
    return frozenset().union(*(t.lanes[i].data for t in parts))


def _dropped(data: frozenset[int], axis: int) -> frozenset[int]:
    return frozenset(d - (d > axis) for d in data if d != axis)


def scanned(fold: Fold, operands: Sequence[Pieces], reverse: bool) -> list[Pieces]:
    """Results of a scan: a lane depends on those before it alone."""
    parts = tuples(operands)
    pads, reals = [t for t in parts if t.padding], [t for t in parts if not t.padding]
    out: list[tuple[Term, Sequence[Content], bool, frozenset[str]]] = []
    place = COORDS[fold.axis]
    before = T.ge(OTHER, place) if reverse else T.le(OTHER, place)
    every = closure(fold.how, _all(parts), _all(parts))
    bad = {id(t) for t in harmful(fold, pads, reals)}
    real = either(r.cond for r in reals)
    for t in pads:
        faults = _meets(fold, replace(t, cond=fold.elsewhere(t.cond)), conjoin(real, before)) if id(t) in bad else frozenset()
        if faults:
            fold.note(t)
            out.append((real, every, False, faults))
    if reals:
        known = closure(fold.how, _all(reals), _all(reals))
        out.append((real, known, False, frozenset()))
    spoilt = frozenset().union(*(t.bad for t in pads))
    out += [(t.cond, every, True, spoilt) for t in pads]
    data = [_data(parts, i) for i in range(len(operands))]
    along = frozenset((fold.axis,))
    return [
        merged(
            Piece(cond, Lane(replace(contents[i], given=not padding), padding, faults, data[i] | (along if padding else data[i])))
            for cond, contents, padding, faults in out
        )
        for i in range(len(operands))
    ]


def product(fold: Callable[[How, tuple[int, ...], int], Fold], elem: Scalar | Ptr, shape: tuple[int, ...], inner: int,
            a: Pieces, b: Pieces) -> Pieces:  # fmt: skip
    """`a @ b` for a result of `shape`: products over rows, columns and the inner axis, summed over the last."""
    rank = len(shape)
    assert isinstance(elem, Scalar)
    times, plus = ("mul", "add") if elem.is_int else ("fmul", "fadd")

    def into(last: int) -> Callable[[frozenset[int]], frozenset[int]]:
        return lambda axes: frozenset(rank if d == last else d for d in axes)

    left = moved(a, {COORDS[rank - 1]: COORDS[rank]}, into(rank - 1))
    right = moved(b, {COORDS[rank - 2]: COORDS[rank]}, into(rank - 2))
    products = combined([left, right], lambda x: C.binary(times, x[0], x[1], elem))
    how: How = lambda x: [C.binary(plus, x[0], x[1], elem)]  # noqa: E731
    return reduced(fold(how, (*shape, inner), rank), [products])[0]


def counted(fold: Fold, operand: Pieces, mask: Term, bins: int) -> Pieces:
    """Counts of values: padding is harmless where it is masked, or holds a number that has no bin."""
    parts = tuples([operand])
    out = [Piece(T.TRUE, Lane(C.integers(0, prod(fold.shape))))]
    for t in (t for t in parts if t.padding):
        span = t.contents[0].span
        apart = span is not None and (span[1] < 0 or span[0] >= bins) and not t.bad
        if not apart and not fold.impossible(conjoin(t.cond, mask)):
            fold.note(t)
            out.append(Piece(T.TRUE, Lane(C.integers(0, prod(fold.shape)), False, t.bad or frozenset((f"mixed {fold.site}",)))))
    return merged(out)
