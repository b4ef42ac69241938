"""What a signature states of an integer tensor, said of the elements that a question speaks of.

Statements about order hold of elements only, so each is made under the condition that the addresses are elements: an
address outside of the tensor gains no facts. Quantifiers are instantiated at the points that occur, and at the single
elements that the signature names (`cu[B] == R`), since bounds come from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from argus_smt.encodings.span import Dimension, split
from argus_smt.ir.launch import INDEX, Facts, Storage
from argus_smt.ir.types import element
from argus_smt.smt import term as T
from argus_smt.smt.term import Term

MAX_POINTS = 14
"""Points of one tensor that are compared with each other; the facts of further ones are left out."""


@dataclass(frozen=True, slots=True)
class Stated:
    """Statements about one integer tensor, whose elements the kernel reads as the signed function `name` of the byte."""

    name: str
    facts: Facts
    shape: tuple[Term, ...]
    strides: tuple[Term, ...]
    item: int
    unsigned: int = 0
    """Width in bits of an unsigned type, else 0."""
    possible: Term = T.TRUE
    """Where some number is in the stated range, or has to be since there are elements; elsewhere nothing is said of it."""

    @property
    def ordered(self) -> bool:
        """Whether anything is stated but the range of the elements."""
        f = self.facts
        bound = f.distinct or f.distinct_except is not None or self._least_step is not None
        return bool(bound or f.elements or f.running is not None)

    @property
    def _least_step(self) -> Term | None:
        """Least difference of neighbours along the last dimension, if one is stated."""
        if self.facts.steps is not None:
            low = self.facts.steps[0]
            return T.maximum(low, T.ZERO) if self.facts.nondecreasing else low
        return T.ZERO if self.facts.nondecreasing else None

    def number(self, cell: Term) -> Term:
        """The element as the signature means it, from the signed number that the kernel reads."""
        return T.ite(T.ge(cell, 0), cell, cell + (1 << self.unsigned)) if self.unsigned else cell

    def of(self, cell: Term) -> list[Term]:
        """The range of one element, and its value where that is known."""
        x = self.number(cell)
        f = self.facts
        out = [T.ge(x, f.lower)] if f.lower is not None else []
        out += [T.le(x, f.upper)] if f.upper is not None else []
        out += [T.or_(*(T.eq(x, v) for v in f.values))] if f.values else []
        return [*(T.implies(self.possible, p) for p in out), *self._value(cell)]

    def _value(self, cell: Term) -> list[Term]:
        """The element as the host computed it."""
        if not self.facts.exact:
            return []
        split_up = self._place(cell)
        ways = [split_up] if [d.axes for d in split_up] == [(d,) for d in range(len(self.shape))] else []
        ways += [self._decoded(cell)] if len(self.shape) > 1 else []
        return [f for at in ways if at for f in self._value_at(cell, at)]

    def _value_at(self, cell: Term, at: Sequence[Dimension]) -> list[Term]:
        indices = {INDEX[i]: d.index for i, d in enumerate(at)}
        if self.facts.element is not None:
            return [T.implies(_inside(at), T.eq(cell, T.substitute(self.facts.element, indices)))]
        assert self.facts.running is not None
        first = T.substitute(self.facts.running, {INDEX[0]: T.ZERO})
        return [T.implies(T.and_(_inside(at), T.eq(at[0].index, 0)), T.eq(cell, first))]

    def named(self) -> list[Term]:
        """The cells of the single elements that the signature speaks of."""
        return [T.app(self.name, self._byte(at)) for at, _ in self.facts.elements]

    def _byte(self, at: Sequence[Term]) -> Term:
        return T.add(T.ZERO, *(i * s for i, s in zip(at, self.strides, strict=True))) * self.item

    def _decoded(self, cell: Term) -> tuple[Dimension, ...]:
        """The index of an element of a contiguous tensor, by division; () for other tensors."""
        place = T.quotient(cell.args[0], T.const(self.item))
        whole, out = T.ONE, []
        for d in range(len(self.shape) - 1, -1, -1):
            if place is None or self.strides[d] is not whole:
                return ()
            rest = T.div(place, whole)
            out.append(Dimension(rest if d == 0 else T.mod(rest, self.shape[d]), self.shape[d], whole, (d,)))
            whole = whole * self.shape[d]
        return tuple(reversed(out))

    def among(self, cells: Sequence[Term]) -> list[Term]:
        """What holds of these elements together: single elements, order, steps, difference."""
        out: list[Term] = []
        for at, value in self.facts.elements:
            inside = T.and_(*(p for i, n in zip(at, self.shape, strict=True) for p in (T.ge(i, 0), T.lt(i, n))))
            for cell in cells:
                same = T.eq(cell.args[0], self._byte(at))
                if same is not T.FALSE:
                    out.append(T.implies(T.and_(inside, same), T.eq(self.number(cell), value)))
        points = [(c, self._place(c)) for c in cells[:MAX_POINTS]]
        for i, (a, at_a) in enumerate(points):
            for b, at_b in points[i + 1 :]:
                if at_a and at_b:
                    out += self._pair(a, at_a, b, at_b)
        return out

    def _place(self, cell: Term) -> tuple[Dimension, ...]:
        """The index of a cell, one a dimension or group of dimensions; () if the address does not split into one."""
        return split(cell.args[0], self.item, self.shape, self.strides)

    def _pair(self, a: Term, at_a: Sequence[Dimension], b: Term, at_b: Sequence[Dimension]) -> list[Term]:
        x, y = self.number(a), self.number(b)
        out = []
        if self.facts.distinct or self.facts.distinct_except is not None:
            differ = [T.ne(x, y)]
            differ += [] if self.facts.distinct_except is None else [T.eq(x, self.facts.distinct_except)]
            inside = T.and_(_inside(at_a), _inside(at_b))
            out.append(T.implies(T.and_(inside, T.ne(a.args[0], b.args[0])), T.or_(*differ)))
        if self._least_step is not None:
            away = self._away(a, b)
            if away is not None:
                out += self._along(at_a, away, y - x)
                out += self._along(at_b, -away, x - y)
        if self.facts.running is not None and len(at_a) == len(at_b) == 1:
            for p, q, rise in ((at_a[0], at_b[0], y - x), (at_b[0], at_a[0], x - y)):
                summand = T.substitute(self.facts.running, {INDEX[0]: q.index})
                inside = T.and_(_inside((p,)), _inside((q,)), T.eq(q.index, p.index + 1))
                out.append(T.implies(inside, T.eq(rise, summand)))
        return list(dict.fromkeys(out))

    def _away(self, a: Term, b: Term) -> Term | None:
        """Places along the last dimension from one element to another, if both are in one row."""
        step = self.strides[-1] * self.item if self.strides else T.ZERO
        return None if step is T.ZERO else T.quotient(b.args[0] - a.args[0], step)

    def _along(self, at: Sequence[Dimension], away: Term, rise: Term) -> list[Term]:
        """What is stated of an element at index `at` and the one `away` places on, which is in the same row if there is room."""
        last = at[-1]
        if last.axes != (len(self.shape) - 1,):
            return []
        there = last.index + away
        row = T.and_(_inside(at), T.ge(there, 0), T.lt(there, last.extent))
        return [*self._ordered(T.and_(row, T.ge(away, 0)), away, rise), *self._ordered(T.and_(row, T.le(away, 0)), -away, -rise)]

    def _ordered(self, when: Term, away: Term, rise: Term) -> list[Term]:
        """`rise` of the elements over `away` places to the right."""
        least = self._least_step
        if when is T.FALSE or least is None:
            return []
        out = [T.implies(when, T.ge(rise, least * away))]
        if self.facts.steps is not None:
            out.append(T.implies(when, T.le(rise, self.facts.steps[1] * away)))
        return out


def _inside(at: Sequence[Dimension]) -> Term:
    """Every index lies in its dimension."""
    return T.and_(*(p for d in at for p in (T.ge(d.index, 0), T.lt(d.index, d.extent))))


def stated(name: str, storage: Storage, dtype: str) -> Stated | None:
    """Statements about the function `name`, which reads `storage` as `dtype`; None if there are none of it so read."""
    if storage.facts is None or element(storage.dtype).name != dtype:
        return None
    scalar = element(dtype)
    unsigned = scalar.bits if storage.dtype.startswith("u") else 0
    return Stated(name, storage.facts, storage.shape, storage.strides, scalar.nbytes, unsigned)
