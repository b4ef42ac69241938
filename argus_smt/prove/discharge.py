"""Deciding one duty, cheapest method first: intervals, algebra, solver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from argus_smt.absint.facts import Facts
from argus_smt.absint.values import COORDS
from argus_smt.obligations.obligation import Obligation, Reach
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.model import Model
from argus_smt.smt.simplify import simplify
from argus_smt.smt.solver import Answer, Solver
from argus_smt.smt.term import Term


@dataclass(frozen=True, slots=True)
class Decision:
    """`proved` with the method, or `open`: not proved, perhaps with a model of a failure."""

    status: str
    method: str = ""
    model: Model | None = None
    reason: str = ""


@dataclass(slots=True)
class Prover:
    """Decides the duties of one case. `inputs` adds what the signature states of loaded integers."""

    facts: Facts
    solver: Solver
    contents: dict[str, tuple[Term | None, Term | None, tuple[int, ...]]]
    """Function of an integer tensor → lower and upper bound as terms, and the only values if there are few."""
    _reachable: dict[tuple[Term, ...], str] = field(default_factory=dict)
    _proved: dict[tuple[tuple[Term, ...], Term, tuple[int, ...]], Decision] = field(default_factory=dict)

    def bounds(self, reach: Reach, extra: Sequence[Term] = ()) -> Bounds:
        """Intervals for the lanes of a duty."""
        out = self.facts.bounds.copy()
        for d, n in enumerate(reach.shape):
            out.narrow(COORDS[d], (0, n - 1))
        out.learn((*reach.hypotheses, *extra))
        return out

    def hypotheses(self, reach: Reach, guards: bool, goal: Term = T.TRUE) -> tuple[Term, ...]:
        """What holds for the lanes of a duty: path, mask, if asked the guards, and facts of the loaded integers involved."""
        base = reach.hypotheses
        if guards:
            base += tuple(p for g in sorted(reach.guards, key=lambda g: g.cond.ident) for p in T.conjuncts(g.cond))
        return (*base, *self._loaded((*base, goal)))

    def _loaded(self, terms: Sequence[Term]) -> list[Term]:
        out: list[Term] = []
        seen: set[Term] = set()
        work = [a for t in terms for a in t.apps]
        while work:
            cell = work.pop()
            if cell in seen or cell.data not in self.contents:
                continue
            seen.add(cell)
            lower, upper, values = self.contents[cell.data]
            out += [T.ge(cell, lower)] if lower is not None else []
            out += [T.le(cell, upper)] if upper is not None else []
            out += [T.or_(*(T.eq(cell, v) for v in values))] if values else []
        return out

    def decide(self, ob: Obligation, nonlinear: bool = True) -> Decision:
        """Try to prove a duty; without `nonlinear` only as far as linear arithmetic over monomials goes."""
        key = (ob.reach.hypotheses, ob.goal, ob.reach.shape)
        found = self._proved.get(key)
        if found is None:
            found = self._decide(ob, nonlinear)
            if found.status == "proved":
                self._proved[key] = found
        return found

    def _decide(self, ob: Obligation, nonlinear: bool) -> Decision:
        bounds = self.bounds(ob.reach)
        goal = simplify(ob.goal, bounds)
        if goal is T.TRUE or T.FALSE in ob.reach.hypotheses:
            return Decision("proved", "interval")
        hyps = self.hypotheses(ob.reach, guards=False, goal=goal)
        if ob.dimensions:
            split = self._by_dimensions(ob, hyps, bounds)
            if split is not None:
                return split
        if self._follows(goal, hyps, bounds):
            return Decision("proved", "algebra")
        answer = self.refute(hyps, goal, bounds, ob.code, nonlinear=False)
        if answer.status != "unsat" and ob.reach.guards:
            guarded = self.hypotheses(ob.reach, guards=True, goal=goal)
            answer = self.refute(guarded, goal, bounds, ob.code, nonlinear=False)
            hyps = guarded
        if answer.status == "unknown" and nonlinear:
            answer = self.refute(hyps, goal, bounds, ob.code)
        if answer.status == "unsat":
            return Decision("proved", "solver")
        return Decision("open", model=answer.model, reason=answer.reason)

    def _by_dimensions(self, ob: Obligation, hyps: Sequence[Term], bounds: Bounds) -> Decision | None:
        """The span theorem: each index inside its dimension and no stride negative."""
        method = "algebra"
        if any(bounds.truth(T.ge(d.stride, 0)) is not True for d in ob.dimensions):
            return None
        hard: list[Term] = []
        for goal in dimension_goals(ob):
            goal = simplify(goal, bounds)
            if goal is not T.TRUE and not self._follows(goal, hyps, bounds):
                hard.append(goal)
        for goal in hard:
            method = "solver"
            if self.refute(hyps, goal, bounds, ob.code, nonlinear=False).status != "unsat":
                return None
        return Decision("proved", method)

    def _follows(self, goal: Term, hyps: Sequence[Term], bounds: Bounds) -> bool:
        """Each conjunct of the goal is a hypothesis plus something that the intervals show not to be negative."""
        known = [h.args[0] for h in hyps if h.op == "nonneg"]
        flat = set(hyps)
        return all(part in flat or self._one_follows(part, known, bounds) for part in T.conjuncts(goal))

    @staticmethod
    def _one_follows(part: Term, known: Sequence[Term], bounds: Bounds) -> bool:
        if part.op == "or":
            return any(Prover._one_follows(p, known, bounds) for p in part.args)
        if part.op != "nonneg":
            return False
        target = part.args[0]
        atoms = target.free
        for h in known:
            if h.free & atoms:
                low = bounds.of(target - h)[0]
                if low is not None and low >= 0:
                    return True
        return False

    def refute(
        self, hyps: Sequence[Term], goal: Term, bounds: Bounds, name: str, nonlinear: bool = True
    ) -> Answer:
        """Solver's answer on hypotheses and the goal's negation: `unsat` proves the goal."""
        for part in T.conjuncts(goal):
            answer = self.solver.unsat([*hyps, T.not_(part)], bounds, name, nonlinear)
            if answer.status != "unsat":
                return answer
        return Answer("unsat")

    def reachable(self, reach: Reach) -> str:
        """Whether any lane of any launch gets there: `yes`, `no` or `unknown`."""
        hyps = self.hypotheses(reach, guards=True)
        if hyps not in self._reachable:
            self._reachable[hyps] = self._find_lane(hyps, reach)
        return self._reachable[hyps]

    def _find_lane(self, hyps: tuple[Term, ...], reach: Reach) -> str:
        if T.FALSE in hyps:
            return "no"
        bounds = self.bounds(reach)
        for guess in guesses(hyps, bounds):
            if guess.satisfies(hyps):
                return "yes"
        answer = self.solver.unsat(hyps, bounds, "reach")
        return {"unsat": "no", "sat": "yes"}.get(answer.status, "unknown") if answer.model or answer.status == "unsat" else "unknown"


def dimension_goals(ob: Obligation) -> list[Term]:
    """One conjunct a dimension and side."""
    return [g for d in ob.dimensions for g in (T.ge(d.index, 0), T.lt(d.index, d.extent))]


def guesses(hyps: Sequence[Term], bounds: Bounds) -> list[Model]:
    """Simple assignments to try before asking the solver: small sizes, first program, first lane."""
    names = sorted({v for h in hyps for v in h.free if v.op == "var"}, key=lambda v: v.ident)
    cells = {a for h in hyps for a in h.apps if a.op == "app"}
    out = []
    for size in (1, 2, 16, 64, 4096):
        values = {}
        for v in names:
            lo, hi = bounds.of(v)
            want = 0 if v.data.startswith("$") else size
            values[v.data] = max(lo, want) if lo is not None else want
            if hi is not None:
                values[v.data] = min(values[v.data], hi)
        base = Model(values)
        functions: dict[tuple[str, tuple[int, ...]], int] = {}
        try:
            for a in sorted(cells, key=lambda a: a.ident):
                point = tuple(Model(values, functions).value(x) for x in a.args)
                lo, hi = bounds.of(a)
                functions[a.data, point] = lo if lo is not None and lo > 0 else 0 if hi is None or hi >= 0 else hi
        except ZeroDivisionError:
            out.append(base)
            continue
        out.append(Model(values, functions))
    return out
