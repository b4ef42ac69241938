"""A second instance of a launch: the same terms for another program, other trips and other lanes.

What differs between two executions of one access are its program id, the trip numbers of its loops, its tile coordinates
and every number that is only known roughly; their names get a prime. Sizes, arguments and what the host left in memory
are the same for both, and keep their names.
"""

from __future__ import annotations

from collections.abc import Iterable

from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.term import Term

PRIME = "'"


class Other:
    """Primes terms; one memory for all terms of a pair."""

    def __init__(self) -> None:
        self._memo: dict[Term, Term] = {}

    def __call__(self, t: Term) -> Term:
        """`t` as the other instance has it."""
        found = self._memo.get(t)
        if found is None:
            found = self._memo[t] = self._primed(t)
        return found

    def _primed(self, t: Term) -> Term:
        if t.op in ("var", "bvar"):
            return T.make(t.op, (), t.data + PRIME) if t.data.startswith("$") else t
        args = tuple(self(a) for a in t.args)
        if t.op in ("app", "bapp") and t.data.startswith(("?", "$")):
            return T.make(t.op, args, t.data + PRIME)
        return t if all(x is y for x, y in zip(args, t.args, strict=True)) else T.rebuild(t, args)

    def all(self, terms: Iterable[Term]) -> tuple[Term, ...]:
        """Several terms."""
        return tuple(map(self, terms))

    def bounds(self, own: Bounds, into: Bounds) -> None:
        """Add the intervals of one instance, primed, to those of the pair."""
        for atom, interval in own.env.items():
            into.narrow(self(atom), interval)
        functions = {f"{n}{PRIME}": i for n, i in own.functions.items() if n.startswith(("?", "$"))}
        into.functions = {**into.functions, **functions}
        into.forget()
