"""Operations that combine lanes of a tile: reductions, scans, products and histograms, where padding meets other lanes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from argus_smt.absint import content as C
from argus_smt.absint import folds
from argus_smt.absint.combine import How, compared, neutral, region
from argus_smt.absint.content import Content
from argus_smt.absint.pieces import Pieces, combined
from argus_smt.absint.values import IntV
from argus_smt.ir import ops as I
from argus_smt.ir.types import Scalar, elem_of, shape_of
from argus_smt.ir.walk import blocks, operands, walk
from argus_smt.smt.term import Sort

if TYPE_CHECKING:
    from argus_smt.absint.padding import Padding

Combining = I.Reduce | I.Scan | I.Dot | I.Histogram


def _folding(p: Padding, op: Combining, shape: tuple[int, ...], axis: int, how: How) -> folds.Fold:
    site = p.site(op)

    def note(t: folds.Joint) -> None:
        for name in t.bad or (f"mixed {site}", f"unsure {site}"):
            p.held.setdefault(name, next((x.content for x in t.lanes if x.padding), t.contents[0]))

    return folds.Fold(site, shape, axis, how, lambda cond: p.refuted(op, shape, cond), note)


def _meets(p: Padding, op: Combining, *values: I.Value) -> None:
    if p.recording and any(x.lane.padding for v in values for x in p.get(v)):
        p.met[p.site(op)] = op


def folded(p: Padding, op: I.Reduce | I.Scan) -> list[Pieces]:
    """Results of a reduction or scan."""
    _meets(p, op, *op.operands)
    fold = _folding(p, op, shape_of(op.operands[0].type), op.axis, _loose(p, op, region(op.combine)))
    known = {i: found for i, v in enumerate(op.operands) if isinstance(found := p.facts.values.get(v.number), IntV)}
    places = {
        i: x.term for i, x in known.items() if x.term.sort is Sort.INT and not x.guards and compared(op.combine, i)
    }  # fmt: skip
    fold = replace(fold, places=places)
    given = [p.get(v) for v in op.operands]
    if isinstance(op, I.Scan):
        return folds.scanned(fold, given, op.reverse)
    return folds.reduced(fold, given)


def _loose(p: Padding, op: I.Op, how: How) -> How:
    """The combine region, with large fill values as infinity."""

    def loose(x: Sequence[Content]) -> list[Content]:
        n = len(x) // 2
        pairs = [p.loosened(op, a, b) for a, b in zip(x[:n], x[n:], strict=True)]
        return how([*(x[0] for x in pairs), *(x[1] for x in pairs)])

    return loose


def product(p: Padding, op: I.Dot) -> Pieces:
    """A product of tiles, and what is added to it."""
    _meets(p, op, op.a, op.b)
    elem = elem_of(op.result.type)
    shape, inner = shape_of(op.result.type), shape_of(op.a.type)[-1]
    made = folds.product(lambda how, whole, axis: _folding(p, op, whole, axis, how), elem, shape, inner, p.get(op.a), p.get(op.b))
    assert isinstance(elem, Scalar)
    plus = "add" if elem.is_int else "fadd"
    how: How = lambda x: [C.binary(plus, x[0], x[1], elem)]  # noqa: E731
    return combined([made, p.get(op.c)], lambda x: how(x)[0], lambda x, by: neutral(how, [x], [by]))


def histogram(p: Padding, op: I.Histogram) -> Pieces:
    """Counts of values."""
    _meets(p, op, op.operand)
    mask = p.mask(op, op.mask)
    fold = _folding(p, op, shape_of(op.operand.type), 0, lambda x: list(x[: len(x) // 2]))
    return folds.counted(fold, p.get(op.operand), mask, shape_of(op.result.type)[0])


def only_folded(block: I.Block) -> frozenset[int]:
    """Values of rank 1 that are used by reductions of a single operand, and by nothing else."""
    found: set[int] = set()
    other = {v.number for op in walk(block) for inner in blocks(op) for v in inner.yields}
    for op in walk(block):
        alone = isinstance(op, I.Reduce) and len(op.operands) == 1 and len(shape_of(op.operands[0].type)) == 1
        (found if alone else other).update(v.number for v in operands(op))
    return frozenset(found - other)
