"""Fresh names for quotients, remainders and elements of tables, and candidates that are made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from argus_smt.smt import term as T
from argus_smt.smt.term import Term


@dataclass(frozen=True, slots=True)
class Digit:
    """Fresh names with `total == quotient * by + remainder` and `0 <= remainder < by`; they exist where `by >= 1`."""

    total: Term
    by: Term
    quotient: Term
    remainder: Term

    @property
    def facts(self) -> tuple[Term, ...]:
        """What holds of the names where they exist."""
        whole = self.quotient * self.by + self.remainder
        return T.eq(self.total, whole), T.ge(self.remainder, 0), T.lt(self.remainder, self.by)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A fresh name with `facts`, which exists where `needs` holds: the element of a table at `place` has what is wanted."""

    name: Term
    place: Term
    needs: Term
    facts: tuple[Term, ...]


Definition = Digit | Chosen


@dataclass(frozen=True, slots=True)
class Candidate:
    """Values for the unknowns, over the targets and the names in `definitions`, each of which rests on those before it.

    `claims` are what quotients and remainders of unknowns are thought to be. `branches` says which argument of an extreme
    or a choice was taken to be its value: right where `conditions` hold.
    """

    values: Mapping[Term, Term]
    claims: Mapping[Term, Term]
    definitions: tuple[Definition, ...]
    branches: Mapping[Term, Term]
    conditions: tuple[Term, ...]


Find = Callable[[Term, Term, "Names"], "Chosen | None"]
"""Of a loaded integer and a value: an element that has it, or from which it can be reached by adding what follows."""


@dataclass(slots=True)
class Names:
    """Fresh names, the same ones for the same division."""

    _known: dict[tuple[Term, Term], Digit] = field(default_factory=dict)
    _count: int = 0

    def split(self, total: Term, by: Term) -> Digit:
        found = self._known.get((total, by))
        if found is None:
            n = len(self._known)
            found = self._known[total, by] = Digit(total, by, T.var(f"$q{n}"), T.var(f"$r{n}"))
        return found

    def fresh(self) -> Term:
        """A name for an element of a table."""
        self._count += 1
        return T.var(f"$n{self._count}")
