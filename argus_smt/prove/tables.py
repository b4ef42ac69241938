"""Which element of an index tensor holds a value: what a signature states of all elements, turned round.

Two statements promise that there is such an element. `covering [a, b]` says that every integer of the range occurs; so do
`distinct` values of a range that is as large as the tensor. And of any numbers f[0] … f[n] with f[0] <= v < f[n] there is
a j with f[j] <= v < f[j + 1]: the last j with f[j] <= v. So the parts of a partition by prefix sums hold every element.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from argus_smt.encodings.digits import Chosen, Names
from argus_smt.prove.elements import Elements
from argus_smt.prove.stated import Stated
from argus_smt.smt import term as T
from argus_smt.smt.term import Term


@dataclass(frozen=True, slots=True)
class Tables:
    """The index tensors of a kernel, by what is stated of the function that stands for each."""

    contents: Elements
    missing: dict[str, None] = field(default_factory=dict)
    """Functions of tensors of which it is not stated that every value occurs, though it matters."""

    def find(self, cell: Term, value: Term, names: Names) -> Chosen | None:
        """The element that holds `value`."""
        stated = self._vector(cell)
        covered = None if stated is None else _covered(stated)
        if stated is None or covered is None:
            self.missing.setdefault(str(cell.data))
            return None
        j = names.fresh()
        place = j * stated.item
        facts = (T.ge(j, 0), T.lt(j, stated.shape[0]), T.eq(T.app(cell.data, place), value))
        return Chosen(j, place, T.and_(T.ge(value, covered[0]), T.le(value, covered[1])), facts)

    def locate(self, cell: Term, value: Term, names: Names) -> Chosen | None:
        """The element that begins the part in which `value` lies."""
        stated = self._vector(cell)
        if stated is None:
            return None
        last = stated.shape[0] - 1
        j = names.fresh()
        here, after = (T.app(cell.data, (j + i) * stated.item) for i in (0, 1))
        first, end = (T.app(cell.data, i * stated.item) for i in (T.ZERO, last))
        facts = (T.ge(j, 0), T.lt(j, last), T.le(here, value), T.lt(value, after))
        return Chosen(j, j * stated.item, T.and_(T.ge(last, 1), T.le(first, value), T.lt(value, end)), facts)

    def _vector(self, cell: Term) -> Stated | None:
        """The statements about a signed, dense tensor of one dimension."""
        stated = self.contents.get(cell.data)
        if stated is None or stated.unsigned or len(stated.shape) != 1 or stated.strides != (T.ONE,) or len(cell.args) != 1:
            return None
        return stated


def _covered(stated: Stated) -> tuple[Term, Term] | None:
    """A range of which every integer occurs."""
    f = stated.facts
    if f.covering is not None:
        return f.covering
    if f.distinct and f.lower is not None and f.upper is not None and f.upper - f.lower + 1 is stated.shape[0]:
        return f.lower, f.upper
    return None
