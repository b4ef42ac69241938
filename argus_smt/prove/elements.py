"""What the signature states of all loaded integers that a question speaks of, and of those that this leads to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from argus_smt.ir.launch import Storage, cell_name
from argus_smt.prove.stated import Stated, stated
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.saturate import relevant
from argus_smt.smt.solver import Solver
from argus_smt.smt.term import Term

DEPTH = 3
"""So often statements about several elements may lead to further elements."""


@dataclass(slots=True)
class Elements:
    """The integer tensors of a launch, by the functions that stand for them; `storages` by number, `bounds` of their sizes.

    A question may speak of addresses that no lane has read yet, such as the element of the next trip. That is sound since
    the memory outside of a tensor, which no run sees before its first fault, can be thought to hold numbers of the range.
    """

    storages: Mapping[int, Storage] = field(default_factory=dict)
    bounds: Bounds = field(default_factory=Bounds)
    _found: dict[str, Stated | None] = field(default_factory=dict)

    def get(self, name: str) -> Stated | None:
        """What is stated of the function `name`; None if nothing is, or if it stands for no tensor."""
        if name not in self._found:
            ident, _, dtype = name.removeprefix("m").partition(":")
            storage = self.storages.get(int(ident)) if ident.isdecimal() else None
            real = storage is not None and not dtype.endswith("~") and name == cell_name(storage.ident, dtype)
            self._found[name] = self._stated(name, storage, dtype) if real and storage is not None else None
        return self._found[name]

    def _stated(self, name: str, storage: Storage, dtype: str) -> Stated | None:
        found = stated(name, storage, dtype)
        if found is None or found.facts.lower is None or found.facts.upper is None:
            return found
        some = T.and_(*(T.ge(n, 1) for n in found.shape))
        possible = T.or_(T.le(found.facts.lower, found.facts.upper), some)
        return found if self.bounds.truth(possible) is True else replace(found, possible=possible)

    def about(self, terms: Iterable[Term]) -> list[Term]:
        """What is stated of the elements that occur in `terms`, and of those that this leads to."""
        cells: dict[Term, Stated] = {}
        together: list[Term] = []
        work = [a for t in terms for a in t.apps]
        for _ in range(DEPTH):
            self._reach(work, cells)
            order = sorted(cells, key=lambda c: c.ident)
            together = []
            for known in {cells[c].name: cells[c] for c in order}.values():
                if known.ordered:
                    together += known.among([c for c in order if c.data == known.name])
            work = [a for f in together for a in f.apps if a not in cells]
            if not work:
                break
        alone = [f for c in sorted(cells, key=lambda c: c.ident) for f in cells[c].of(c)]
        return [p for f in (*alone, *together) for p in T.conjuncts(f) if p is not T.TRUE]

    def _reach(self, work: list[Term], cells: dict[Term, Stated]) -> None:
        """Add the elements of `work` to `cells`, and those that statements about them lead to."""
        while work:
            cell = work.pop()
            known = self.get(cell.data) if cell.op == "app" and cell not in cells else None
            if known is not None:
                cells[cell] = known
                work += [*known.named(), *(a for f in known.of(cell) for a in f.apps)]


@dataclass(slots=True)
class Asking:
    """The solver as the analysis asks it: what is stated of loaded integers counts as known."""

    solver: Solver
    elements: Elements

    def __call__(self, facts: Sequence[Term], goal: Term, bounds: Bounds) -> bool:
        """Whether facts imply a goal; the elements meant are those that the goal and the facts near it speak of."""
        known = self.elements.about((*relevant(facts, goal, 3), goal))
        return self.solver.implies(relevant([*facts, *known], goal, 3), goal, bounds)
