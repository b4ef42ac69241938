"""Whether two instances of one launch must be the same one: equalities between them are followed to the program id.

If two accesses meet, the indices that they are made from are equal, one by one. Those are rarely program ids: a program id is
taken apart by quotients and remainders first, in grouped order, remapped for dies, or counted on by a persistent loop. So
each subterm of one instance that has a twin in the other is asked for: does it follow that the two are equal? If so, the
twin is replaced, which makes terms over it equal too, products and quotients by symbols among them, where linear arithmetic
alone would know nothing. Innermost terms come first. Every step is a consequence; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from argus_smt.encodings.instances import Other
from argus_smt.prove.discharge import Prover
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.saturate import definitions
from argus_smt.smt.simplify import simplify
from argus_smt.smt.term import Term

MAX_TRIES = 300
EFFORTS = (60_000, 600_000)
"""Limits of the solver: what follows mostly follows at once, so all is asked cheaply before anything is asked at length."""


@dataclass(slots=True)
class Twins:
    """Facts of two instances, from which twins are shown to be equal and unified as they are."""

    prover: Prover
    other: Other
    facts: list[Term]
    bounds: Bounds
    _mapping: dict[Term, Term] = field(default_factory=dict)
    _tried: set[tuple[Term, Term, int]] = field(default_factory=set)

    def equal(self, a: Term, b: Term) -> bool:
        """Whether `a == b` follows; what is found on the way is kept for later questions."""
        for effort in EFFORTS:
            while True:
                if self.contradictory or self._follows(a, b, effort):
                    return True
                if not self._unify_one((a, b), effort):
                    break
        return False

    @property
    def contradictory(self) -> bool:
        """Whether the facts turned out to hold of no two instances."""
        return T.FALSE in self.facts

    def nonlinear(self, a: Term, b: Term) -> bool:
        """Whether `a == b` follows, asked of the solver at full strength."""
        return self.prover.refute(self.facts, T.eq(self._settled(a), self._settled(b)), self.bounds).status == "unsat"

    def _follows(self, a: Term, b: Term, effort: int) -> bool:
        a, b = self._settled(a), self._settled(b)
        if a is b:
            return True
        sides = (T.le(a, b), T.ge(a, b)) if a.sort is T.Sort.INT else (T.iff(a, b),)
        solver = self.prover.solver
        whole, solver.rlimit = solver.rlimit, min(effort, solver.rlimit)
        try:
            return all(self.prover.refute(self.facts, s, self.bounds, nonlinear=False).status == "unsat" for s in sides)
        finally:
            solver.rlimit = whole

    def _settled(self, t: Term) -> Term:
        """`t` after all replacements."""
        before = None
        while before is not t:
            before, t = t, simplify(_replaced(t, self._mapping), self.bounds)
        return t

    def _unify_one(self, goals: Sequence[Term], effort: int) -> bool:
        """Find one more pair of twins that must be equal, and replace one by the other."""
        known = len(self._mapping) + effort
        for own, twin in list(self._candidates(goals)):
            if len(self._tried) > MAX_TRIES:
                return False
            if (own, twin, known) not in self._tried:
                self._tried.add((own, twin, known))
                if self._follows(own, twin, effort):
                    self._replace(twin, own)
                    return True
        return False

    def _replace(self, twin: Term, own: Term) -> None:
        """Write `own` for `twin`, whose meaning is kept as facts about `own`."""
        meaning = definitions(twin, self.bounds)
        if twin.op == "mod":
            meaning = [T.eq(twin, twin.args[0] - twin.args[1] * T.div(*twin.args))]
        self._mapping[twin] = own
        self.bounds.narrow(own, self.bounds.of(twin))
        facts = dict.fromkeys(p for f in (*self.facts, *meaning) for p in T.conjuncts(self._settled(f)))
        facts.pop(T.TRUE, None)
        self.facts = list(facts)

    def _candidates(self, goals: Sequence[Term]) -> Iterator[tuple[Term, Term]]:
        """Pairs (t, t') of the facts' and goals' subterms, innermost first."""
        present: dict[Term, None] = {}
        for t in (*map(self._settled, goals), *self.facts):
            _collect(t, present)
        for t in sorted(present, key=_height):
            twin = self._settled(self.other(t))
            if twin is not t and twin in present:
                yield t, twin


def _collect(t: Term, into: dict[Term, None]) -> None:
    work = [t]
    seen: set[Term] = set()
    while work:
        at = work.pop()
        if at in seen:
            continue
        seen.add(at)
        if at.op in ("var", "div", "mod", "app", "min", "max", "ite"):
            into[at] = None
        work += at.args


_HEIGHTS: dict[Term, int] = {}


def _height(t: Term) -> int:
    """Height of a term."""
    found = _HEIGHTS.get(t)
    if found is None:
        found = _HEIGHTS[t] = 1 + max((_height(a) for a in t.args), default=0)
    return found


def _replaced(t: Term, mapping: dict[Term, Term]) -> Term:
    memo: dict[Term, Term] = {}

    def go(u: Term) -> Term:
        if u in mapping:
            return mapping[u]
        if not u.args:
            return u
        found = memo.get(u)
        if found is None:
            args = tuple(go(a) for a in u.args)
            found = u if all(x is y for x, y in zip(args, u.args, strict=True)) else T.rebuild(u, args)
            memo[u] = found
        return found

    return go(t)
