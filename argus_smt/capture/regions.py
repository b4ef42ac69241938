"""Shorter descriptions of where paths lead: decisions that do not matter for it are taken out again."""

from __future__ import annotations

from collections.abc import Sequence

from argus_smt.capture.oracle import Decision
from argus_smt.smt import term as T
from argus_smt.smt.ask import Session
from argus_smt.smt.term import Term

Path = tuple[Decision, ...]
QUERIES = 60
"""So many questions to the solver may go into one description."""
RLIMIT = 100_000
_TORCH = ("framework", "check")


class Regions:
    """The paths of an exploration that exhaust the preconditions: a point that is on none of the others is on the rest."""

    def __init__(self, paths: Sequence[Path], session: Session, hypotheses: Sequence[Term]) -> None:
        self.session, self.hypotheses = session, list(hypotheses)
        self.paths = tuple(paths)
        self.left = 0

    def describe(self, wanted: Sequence[Path]) -> tuple[Path, ...]:
        """Conjunctions of decisions; one of them holds exactly where one of the `wanted` paths is taken."""
        self.left = QUERIES
        mine = {_terms(p) for p in wanted}
        others = [p for p in map(_terms, self.paths) if p not in mine]
        found: dict[frozenset[Term], Path] = {}
        for path in wanted:
            short = self._shorten(path, others)
            found.setdefault(_terms(short), short)
        return self._needed(list(found.values()))

    def _shorten(self, path: Path, others: Sequence[frozenset[Term]]) -> Path:
        """Without the decisions that no other path needs to be told apart by; torch's own go first."""
        kept = list(path)
        for d in sorted(path, key=lambda d: d.kind not in _TORCH):
            without = [k for k in kept if k is not d]
            if all(self._apart(_terms(tuple(without)), o) for o in others):
                kept = without
        return tuple(kept)

    def _apart(self, a: frozenset[Term], b: frozenset[Term]) -> bool:
        """Whether no point meets both."""
        if any(T.not_(t) in a for t in b):
            return True
        return self._ask([*self.hypotheses, *a, *b], T.FALSE)

    def _needed(self, cubes: list[Path]) -> tuple[Path, ...]:
        """Without those that another one includes."""
        for cube in sorted(cubes, key=len, reverse=True):
            rest = [c for c in cubes if c is not cube]
            if any(_terms(c) <= _terms(cube) for c in rest) or any(
                self._ask([*self.hypotheses, *_terms(cube)], T.and_(*_terms(c))) for c in rest
            ):
                cubes = rest
        return tuple(cubes)

    def _ask(self, hypotheses: Sequence[Term], goal: Term) -> bool:
        if self.left <= 0:
            return False
        self.left -= 1
        return self.session.implied(hypotheses, goal, RLIMIT) is True


def _terms(path: Path) -> frozenset[Term]:
    return frozenset(d.term for d in path)
