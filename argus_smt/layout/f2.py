"""Linear algebra over F2: a vector is an integer whose bits are its coordinates, a matrix the tuple of its columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Echelon:
    """Independent columns seen so far, each reduced, with the combination of given columns that it is."""

    rows: list[tuple[int, int]] = field(default_factory=list)
    """(vector, combination of the columns given), each with a leading bit of its own."""

    def reduce(self, vector: int) -> tuple[int, int]:
        """(what is left of the vector, the combination of columns that was taken off)."""
        taken = 0
        for row, combination in self.rows:
            if vector ^ row < vector:
                vector, taken = vector ^ row, taken ^ combination
        return vector, taken

    def add(self, vector: int, combination: int) -> bool:
        """Take a column in; false if it depends on those before it."""
        left, taken = self.reduce(vector)
        if left:
            self.rows.append((left, taken ^ combination))
            self.rows.sort(reverse=True)
        return left != 0


def echelon(columns: Iterable[int]) -> Echelon:
    """The echelon form of a matrix; a column's combination is the bit of its index."""
    form = Echelon()
    for i, column in enumerate(columns):
        form.add(column, 1 << i)
    return form


def rank(columns: Iterable[int]) -> int:
    """Dimension of the span of the columns."""
    return len(echelon(columns).rows)


def dependent(columns: Iterable[int]) -> int:
    """The columns that depend on earlier ones, as bits."""
    form, mask = Echelon(), 0
    for i, column in enumerate(columns):
        mask |= 0 if form.add(column, 1 << i) else 1 << i
    return mask


def product(columns: Sequence[int], vector: int) -> int:
    """The matrix times a vector."""
    result, i = 0, 0
    while vector >> i:
        if vector >> i & 1:
            result ^= columns[i]
        i += 1
    return result


def solve(columns: Iterable[int], wanted: Iterable[int]) -> tuple[int, ...] | None:
    """For each wanted vector a combination of the columns that makes it, dependent columns unused; None if one has none."""
    form = echelon(columns)
    found = [form.reduce(vector) for vector in wanted]
    return None if any(left for left, _ in found) else tuple(taken for _, taken in found)


def kernel(columns: Iterable[int]) -> tuple[int, ...]:
    """A basis of the vectors that the matrix sends to zero, one for each dependent column."""
    form, found = Echelon(), []
    for i, column in enumerate(columns):
        left, taken = form.reduce(column)
        if left:
            form.add(column, 1 << i)
        else:
            found.append(taken | 1 << i)
    return tuple(found)
