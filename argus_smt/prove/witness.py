"""Small models of a failing duty: sizes first, then program, trip and lane, each as small as it can be."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.model import Model
from argus_smt.smt.solver import Answer, Solver
from argus_smt.smt.term import Term

LADDER = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 24, 32, 33, 48, 64, 65, 96, 128, 129, 256, 512, 1024, 4096, 1 << 16)
SMALL_RLIMIT = 300_000


@dataclass(slots=True)
class Search:
    """Minimisation of a model of `facts`: fixes one unknown after the other to the least value that leaves a model."""

    solver: Solver
    facts: tuple[Term, ...]
    bounds: Bounds
    seconds: float = 4.0
    _started: float = field(default_factory=time.monotonic)

    def smallest(self, first: Model | None) -> tuple[Model | None, str]:
        """A small model, and the reason if there is none: `unsat`, or what the solver said."""
        found = first
        if found is None:
            answer = self._first()
            if answer.model is None:
                return None, answer.reason or answer.status
            found = answer.model
        fixed: dict[Term, Term] = {}
        for name in self._unknowns():
            current = found.value(name)
            for value in self._lower(name, current):
                if time.monotonic() - self._started > self.seconds:
                    return found, ""
                smaller = self._try({**fixed, name: T.const(value)})
                if smaller is not None:
                    found, current = smaller, value
                    break
            fixed[name] = T.const(current)
        return found, ""

    def _first(self) -> Answer:
        """A first model: under small caps for the sizes where that works, else any."""
        sizes = [v for v in self._unknowns() if not v.data.startswith("$")]
        for cap in (4, 20, 70, 1100):
            capped = [T.le(v, cap) for v in sizes if (self.bounds.of(v)[0] or 0) <= cap]
            answer = self._ask([*self.facts, *capped], self.bounds)
            if answer.model is not None:
                return answer
        return self.solver.unsat(self.facts, self.bounds)

    def _unknowns(self) -> list[Term]:
        names = {v for f in self.facts for v in f.free if v.op == "var"}
        return sorted(names, key=lambda v: (_rank(v.data), v.ident))

    def _lower(self, name: Term, current: int) -> Iterator[int]:
        low = self.bounds.of(name)[0]
        for value in LADDER:
            if value >= current:
                return
            if low is None or value >= low:
                yield value

    def _try(self, fixed: dict[Term, Term]) -> Model | None:
        memo: dict[Term, Term] = {}
        facts = [p for f in self.facts for p in T.conjuncts(T.substitute(f, fixed, memo))]
        if T.FALSE in facts:
            return None
        bounds = Bounds({k: v for k, v in self.bounds.env.items() if k not in fixed}, self.bounds.functions)
        bounds.learn(facts)
        model = self._ask(facts, bounds).model
        if model is None:
            return None
        return Model({**model.variables, **{k.data: v.value for k, v in fixed.items()}}, model.functions)

    def _ask(self, facts: Sequence[Term], bounds: Bounds) -> Answer:
        rlimit, self.solver.rlimit = self.solver.rlimit, SMALL_RLIMIT
        try:
            return self.solver.unsat(facts, bounds)
        finally:
            self.solver.rlimit = rlimit


def _rank(name: str) -> int:
    """Sizes, then program ids, trips, coordinates."""
    if not name.startswith("$"):
        return 0
    return {"$p": 1, "$k": 2, "$x": 2}.get(name[:2], 3)
