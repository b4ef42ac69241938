"""Deciding conjunctions of conditions: linear arithmetic over monomials first, Z3's non-linear engine last."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import z3

from argus_smt.smt import term as T
from argus_smt.smt.factors import factors, signed
from argus_smt.smt.interval import Bounds
from argus_smt.smt.linear import LinearSolver
from argus_smt.smt.lower import Lowering
from argus_smt.smt.model import Model, from_atoms
from argus_smt.smt.saturate import monomials, relevant, remove_mod, saturate
from argus_smt.smt.split import cases
from argus_smt.smt.term import Term


@dataclass(frozen=True, slots=True)
class Answer:
    """`unsat`, `sat` with a model that was checked by evaluation, or `unknown` with the reason."""

    status: str
    model: Model | None = None
    reason: str = ""


class Claims:
    """Conjunctions that were held for impossible, each once: facts, and the intervals that were used as facts too."""

    def __init__(self) -> None:
        self.made: dict[frozenset[Term], tuple[Term, ...]] = {}

    def note(self, facts: Sequence[Term], bounds: Bounds) -> None:
        """Enter one. What holds a false conjunct is impossible whoever looks at it."""
        if T.FALSE not in facts:
            whole = tuple(dict.fromkeys((*facts, *range_facts(facts, bounds))))
            self.made.setdefault(frozenset(whole), whole)


@dataclass(slots=True)
class Solver:
    """One Z3 context for one kernel. `deadline` is a wall-clock time (time.monotonic) after which answers are unknown."""

    rlimit: int = 2_000_000
    deadline: float = float("inf")
    queries: int = 0
    claims: Claims | None = None
    """Where set, what is answered `unsat` is noted, for another solver to be asked."""
    _ctx: Any = field(default_factory=z3.Context)

    def lean(self, facts: Sequence[Term], bounds: Bounds) -> Answer:
        """Linear arithmetic without any help from products or case splits; a model is a candidate only."""
        if T.FALSE in facts:
            return Answer("unsat")
        if time.monotonic() > self.deadline:
            return Answer("unknown", reason="time is up")
        return self._noted(self.linear(saturate(facts, bounds, products=False)), facts, bounds)

    def _noted(self, answer: Answer, facts: Sequence[Term], bounds: Bounds) -> Answer:
        if self.claims is not None and answer.status == "unsat":
            self.claims.note(facts, bounds)
        return answer

    def implies(self, facts: Sequence[Term], goal: Term, bounds: Bounds) -> bool:
        """Whether linear arithmetic over monomials shows the goal; few facts are tried before many."""
        denied = T.not_(goal)
        if self.lean([*relevant(facts, goal, 1), denied], bounds).status == "unsat":
            return True
        near = [*relevant(facts, goal, 3), denied]
        return self.unsat(near, bounds, nonlinear=False).status == "unsat"

    def unsat(self, facts: Sequence[Term], bounds: Bounds, nonlinear: bool = True) -> Answer:
        """Whether the facts contradict each other within the bounds. A `sat` answer comes with a model only if one was found."""
        for leaf in cases(facts, bounds):
            answer = self._leaf(leaf, bounds, nonlinear)
            if answer.model is not None:
                return self._whole(answer.model, facts, bounds)
            if answer.status != "unsat":
                return answer
        return self._noted(Answer("unsat"), facts, bounds)

    def _whole(self, model: Model, facts: Sequence[Term], bounds: Bounds) -> Answer:
        """The model of a case as one of all the facts: a case need not speak of every unknown."""
        full = completed(model, facts, bounds)
        if self._holds(full, facts, bounds):
            return Answer("sat", full)
        return Answer("unknown", reason="the model of a case does not satisfy the question")

    def _leaf(self, facts: Sequence[Term], bounds: Bounds, nonlinear: bool) -> Answer:
        local = bounds.copy()
        local.learn(facts)
        if T.FALSE in facts or any(local.truth(f) is False for f in facts):
            return Answer("unsat")
        if time.monotonic() > self.deadline:
            return Answer("unknown", reason="time is up")
        linear = self.linear(saturate(facts, local))
        if linear.status != "sat":
            if linear.status == "unsat" or not nonlinear:
                return linear
        elif linear.model is not None and self._holds(linear.model, facts, bounds):
            return linear
        elif self._by_factors(facts, local):
            return Answer("unsat")
        if not nonlinear:
            return Answer("unknown", reason="not linear")
        return self.nonlinear(facts, local)

    def _by_factors(self, facts: Sequence[Term], bounds: Bounds) -> bool:
        """Whether the last fact, the denied goal, is impossible for what its two factors are at least."""
        pair = factors(facts[-1]) if facts else None
        if pair is None:
            return False
        for left, right in signed(pair):
            known = [f - low for f in (left, right) if (low := self._least(f, facts[:-1], bounds)) is not None]
            if len(known) == 2:
                more = [T.nonneg(known[0] * known[1]), *map(T.nonneg, known)]
                if self.linear(saturate([*facts, *more], bounds)).status == "unsat":
                    return True
        return False

    def _least(self, of: Term, facts: Sequence[Term], bounds: Bounds) -> int | None:
        """1 or 0 if a sum is shown to be at least that."""
        for low in (1, 0):
            if self.linear(saturate([*facts, T.lt(of, low)], bounds)).status == "unsat":
                return low
        return None

    def linear(self, facts: Sequence[Term]) -> Answer:
        """Linear arithmetic over monomials; `sat` carries a candidate that may break the meaning of a monomial."""
        self.queries += 1
        solver = LinearSolver(self._ctx, self._budget())
        status, values = solver.check(facts)
        if status != "sat" or values is None:
            return Answer(status, reason="solver effort used up" if status == "unknown" else "")
        return Answer("sat", from_atoms(values))

    def nonlinear(self, facts: Sequence[Term], bounds: Bounds) -> Answer:
        """Z3's own non-linear integer arithmetic on the exact formula."""
        self.queries += 1
        lowering = Lowering(self._ctx)
        solver = z3.Solver(ctx=self._ctx)
        solver.set("rlimit", self._budget())
        solver.set("timeout", max(1, int(1000 * min(self.deadline - time.monotonic(), 1e6))))
        exact = [*facts, *range_facts(facts, bounds)]
        solver.add([lowering.term(f) for f in exact])
        solver.add(lowering.side)
        status = str(solver.check())
        if status != "sat":
            return Answer(status, reason=solver.reason_unknown() if status == "unknown" else "")
        model = _read_model(solver.model(), lowering, exact)
        if model is None or not self._holds(model, facts, bounds):
            return Answer("unknown", reason="the solver's model does not satisfy the question")
        return Answer("sat", model)

    def text(self, facts: Sequence[Term]) -> str:
        """The exact question as SMT-LIB 2, with `(check-sat)`."""
        lowering = Lowering(self._ctx)
        solver = z3.Solver(ctx=self._ctx)
        solver.add([lowering.term(f) for f in facts])
        solver.add(lowering.side)
        return str(solver.to_smt2())

    def _budget(self) -> int:
        return self.rlimit

    @staticmethod
    def _holds(model: Model, facts: Sequence[Term], bounds: Bounds) -> bool:
        return model.satisfies([*facts, *range_facts(facts, bounds)])


def completed(model: Model, facts: Sequence[Term], bounds: Bounds) -> Model:
    """The model with a value for each unknown of the facts that it leaves open: the least of its interval, if there is one."""
    values, functions = dict(model.variables), dict(model.functions)
    out = Model(values, functions)
    for t in sorted({t for f in facts for t in f.free | f.apps}, key=lambda t: t.ident):
        lo, hi = bounds.of(t)
        least = lo if lo is not None else 0 if hi is None or hi >= 0 else hi
        try:
            if t.op in ("var", "bvar"):
                values.setdefault(t.data, least)
            else:
                functions.setdefault((t.data, tuple(out.value(a) for a in t.args)), least)
        except ZeroDivisionError:
            continue
    return out


def range_facts(facts: Sequence[Term], bounds: Bounds) -> list[Term]:
    """Intervals of the variables and applications in the facts, as facts."""
    out: list[Term] = []
    seen: set[Term] = set()
    for f in facts:
        for t in f.free | f.apps:
            if t in seen or t.sort is T.Sort.BOOL:
                continue
            seen.add(t)
            lo, hi = bounds.ends(t)
            if lo is not None:
                out.append(T.ge(t, lo))
            if hi is not None:
                out.append(T.le(t, hi))
    return out


def _read_model(found: Any, lowering: Lowering, facts: Sequence[Term]) -> Model | None:
    values: dict[Term, int] = {}
    for f in facts:
        for t in f.free | f.apps:
            if t not in values:
                value = found.eval(lowering.term(t), model_completion=True)
                if t.sort is T.Sort.BOOL:
                    values[t] = int(z3.is_true(value))
                elif z3.is_int_value(value):
                    values[t] = value.as_long()
                else:
                    return None
    return from_atoms(values)


def is_linear(facts: Sequence[Term]) -> bool:
    """Whether no product of unknowns occurs, quotients and remainders included."""
    memo: dict[Term, Term] = {}
    return not monomials(remove_mod(f, memo) for f in facts)
