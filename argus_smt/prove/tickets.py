"""Numbers that only one program finds in a cell: tickets drawn by additions, and claims by compare-and-swap.

Theorem (ticket). If a cell is only changed by adding positive numbers, every two additions find different values.
Theorem (claim). If nothing ever puts c into a cell and a compare-and-swap from c puts something else there, at most one
execution of it finds c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from argus_smt.encodings.instances import PRIME, Other
from argus_smt.prove.cells import CellOp, Cells
from argus_smt.smt import term as T
from argus_smt.smt.term import Term


def unique(every: Sequence[Cells], facts: Sequence[Term], axes: Sequence[Term]) -> list[Term]:
    """What follows for the numbers found by different instances that occur in `facts`; `axes` are the program ids."""
    out: list[Term] = []
    for cells in every:
        if not cells.problem and cells.narrow is None and cells.writers:
            drawing = _positive(cells)
            for op in cells.writers:
                if drawing or _leaves_for_good(cells, op):
                    out += _of_one(op, facts, axes, drawing)
            if drawing:
                out += _of_two(cells, facts)
    return out


def _positive(cells: Cells) -> bool:
    return all(o.effect == "add" and o.value is not None and o.value.data > 0 for o in cells.writers)


def _leaves_for_good(cells: Cells, op: CellOp) -> bool:
    c = op.compare
    if op.effect != "set" or c is None or c.op != "const":
        return False
    return all(o.effect == "set" and o.value is not None and o.value.op == "const" and o.value is not c for o in cells.writers)


def _of_one(op: CellOp, facts: Sequence[Term], axes: Sequence[Term], drawing: bool) -> Iterator[Term]:
    """Two instances of one operation that find the same are one execution."""
    for (m, u), (n, w) in combinations(_found(op, facts), 2):
        if m == n:
            continue
        same = [T.eq(_primed(p, m), _primed(p, n)) for p in axes]
        same += [T.eq(x, y) for x, y in zip(u.args, w.args, strict=True)]
        met = [T.eq(_cell(op, m, u), _cell(op, n, w))]
        if drawing:
            met.append(T.eq(u, w))
        else:
            assert op.compare is not None
            met += [T.eq(u, op.compare), T.eq(w, op.compare)]
        yield T.implies(T.and_(*met), T.and_(*same))


def _of_two(cells: Cells, facts: Sequence[Term]) -> Iterator[Term]:
    """Two operations never draw the same."""
    for a, b in combinations(cells.writers, 2):
        for m, u in _found(a, facts):
            for n, w in _found(b, facts):
                yield T.not_(T.and_(T.eq(_cell(a, m, u), _cell(b, n, w)), T.eq(u, w)))


def _found(op: CellOp, facts: Sequence[Term]) -> list[tuple[int, Term]]:
    """The values that the operation found, by the number of their primes."""
    old = op.access.old
    if old is None or not old.apps:
        return []
    name = str(old.data)
    seen = dict.fromkeys(a for f in facts for a in f.apps if str(a.data).rstrip(PRIME) == name)
    return [(len(str(a.data)) - len(name), a) for a in seen]


def _primed(t: Term, times: int) -> Term:
    other = Other()
    for _ in range(times):
        t = other(t)
    return t


def _cell(op: CellOp, times: int, found: Term) -> Term:
    """The cell of the execution that found a value."""
    counters = [_primed(c, times) for c in op.access.scope.counters]
    return T.substitute(_primed(op.cell, times), dict(zip(counters, found.args, strict=True)))
