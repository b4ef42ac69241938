"""Deciding one duty, cheapest method first: intervals, algebra, solver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from argus_smt.absint.facts import Facts
from argus_smt.absint.values import COORDS
from argus_smt.encodings.span import Dimension, split
from argus_smt.ir.types import element
from argus_smt.obligations.obligation import Obligation, Reach
from argus_smt.prove.elements import Elements
from argus_smt.smt import term as T
from argus_smt.smt.alternatives import by_alternatives
from argus_smt.smt.interval import Bounds
from argus_smt.smt.model import Model
from argus_smt.smt.saturate import relevant
from argus_smt.smt.simplify import simplify
from argus_smt.smt.solver import Answer, Claims, Solver, range_facts
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
    """Decides the duties of one case. `contents` is what the signature states of loaded integers."""

    facts: Facts
    solver: Solver
    contents: Elements
    display: Mapping[Term, Term] = field(default_factory=dict)
    """Replacements before a term is shown to the user."""
    _reachable: dict[tuple[Term, ...], str] = field(default_factory=dict)
    _decided: dict[tuple[Reach, Term, bool], Decision] = field(default_factory=dict)

    def bounds(self, reach: Reach, extra: Sequence[Term] = ()) -> Bounds:
        """Intervals for the lanes of a duty."""
        out = self.facts.bounds.copy()
        for d, n in enumerate(reach.shape):
            out.narrow(COORDS[d], (0, n - 1))
        out.learn((*reach.hypotheses, *self._lemmas(reach), *extra))
        return out

    def hypotheses(self, reach: Reach, guards: bool, goal: Term = T.TRUE) -> tuple[Term, ...]:
        """What holds for the lanes of a duty: path, mask, if asked the guards, and facts of the loaded integers involved."""
        base = self.given(reach, guards)
        return (*base, *self.loaded((*base, goal)))

    def given(self, reach: Reach, guards: bool) -> tuple[Term, ...]:
        """As `hypotheses`, without the facts of loaded integers."""
        base = reach.hypotheses
        if guards:
            base += tuple(p for g in sorted(reach.guards, key=lambda g: g.cond.ident) for p in T.conjuncts(g.cond))
        return base + self._lemmas(reach)

    def _lemmas(self, reach: Reach) -> tuple[Term, ...]:
        """What the analysis showed on a path that leads here."""
        if not self.facts.lemmas:
            return ()
        held = set(reach.scope.path)
        return tuple(dict.fromkeys(fact for path, fact in self.facts.lemmas if path <= held))

    def loaded(self, terms: Sequence[Term]) -> list[Term]:
        """What the signature states of the elements that occur in `terms`, and of those that this leads to."""
        return self.contents.about(terms)

    def decide(self, ob: Obligation, nonlinear: bool = True) -> Decision:
        """Try to prove a duty; without `nonlinear` only as far as linear arithmetic over monomials goes."""
        key = (ob.reach, ob.goal, nonlinear)
        found = self._decided.get(key)
        if found is None:
            found = self._decided[key] = self._decide(ob, nonlinear)
            if found.status == "proved" and self.solver.claims is not None:
                self._claim(ob, self.solver.claims)
        return found

    def _claim(self, ob: Obligation, claims: Claims) -> None:
        """Note the whole duty, whatever it was proved by, with no more intervals than those of the case."""
        bounds = self.facts.bounds.copy()
        for d, n in enumerate(ob.reach.shape):
            bounds.narrow(COORDS[d], (0, n - 1))
        claims.note((*self.hypotheses(ob.reach, guards=True, goal=ob.goal), T.not_(ob.goal)), bounds)

    def _decide(self, ob: Obligation, nonlinear: bool) -> Decision:
        bounds = self.bounds(ob.reach)
        goal = simplify(ob.goal, bounds)
        if goal is T.TRUE or T.FALSE in ob.reach.hypotheses:
            return Decision("proved", "interval")
        hyps = self.hypotheses(ob.reach, guards=False, goal=goal)
        dims = self.dimensions(ob) if ob.code in ("AR301", "AR302") else ()
        if dims:
            divided = self._by_dimensions(ob, dims, hyps, bounds)
            if divided is not None:
                return divided
        if self._follows(goal, hyps, bounds):
            return Decision("proved", "algebra")
        answer = self.refute(hyps, goal, bounds, nonlinear=False)
        guarded = self.hypotheses(ob.reach, guards=True, goal=goal) if ob.reach.guards else hyps
        if answer.status != "unsat" and guarded is not hyps and not self._fails(answer.model, guarded, goal, bounds):
            answer = self.refute(guarded, goal, bounds, nonlinear=False)
            hyps = guarded
        if answer.status != "unsat" and answer.model is None and by_alternatives(hyps, goal, bounds, self._implied):
            return Decision("proved", "solver")
        if answer.status == "unknown" and nonlinear:
            answer = self.refute(hyps, goal, bounds)
        if answer.status == "unsat":
            return Decision("proved", "solver")
        return Decision("open", model=answer.model, reason=answer.reason)

    def _implied(self, facts: Sequence[Term], goal: Term, bounds: Bounds) -> bool:
        return self.refute(facts, goal, bounds, nonlinear=False).status == "unsat"

    def _fails(self, model: Model | None, hyps: Sequence[Term], goal: Term, bounds: Bounds) -> bool:
        return self._completed(model, [*hyps, T.not_(goal)], bounds) is not None

    def dimensions(self, ob: Obligation) -> tuple[Dimension, ...]:
        """The indices that an access's offset splits into, one a dimension of its view; () if it does not."""
        if ob.view is None or ob.offset is None or ob.nbytes != element(ob.view.dtype).nbytes:
            return ()
        return split(ob.offset, ob.nbytes, ob.view.shape, ob.view.strides)

    def _by_dimensions(self, ob: Obligation, dims: Sequence[Dimension], hyps: Sequence[Term], bounds: Bounds) -> Decision | None:
        """The span theorem: each index inside its dimension and no stride negative."""
        method = "algebra"
        if any(bounds.truth(T.ge(d.stride, 0)) is not True for d in dims):
            return None
        hard: list[Term] = []
        for goal in dimension_goals(dims):
            goal = simplify(goal, bounds)
            if goal is not T.TRUE and not self._follows(goal, hyps, bounds):
                hard.append(goal)
        for goal in hard:
            method = "solver"
            if self.refute(hyps, goal, bounds, nonlinear=False).status != "unsat":
                return None
        return Decision("proved", method)

    def fails_at_extremes(self, ob: Obligation) -> bool:
        """Whether some extreme assignment meets the hypotheses and breaks the goal: then no proof need be tried."""
        bounds = self.bounds(ob.reach)
        hyps = self.hypotheses(ob.reach, guards=True, goal=ob.goal)
        return any(m.satisfies([T.not_(ob.goal), *hyps]) for m in extremes(hyps, ob.goal, bounds))

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

    def refute(self, hyps: Sequence[Term], goal: Term, bounds: Bounds, nonlinear: bool = True) -> Answer:
        """Solver's answer on hypotheses and the goal's negation: `unsat` proves the goal.

        Few facts are tried before many: a proof from some of the hypotheses is a proof from all.
        """
        for part in T.conjuncts(goal):
            answer = self._refute_part(hyps, part, bounds, nonlinear)
            if answer.status != "unsat":
                return answer
        return Answer("unsat")

    def _refute_part(self, hyps: Sequence[Term], part: Term, bounds: Bounds, nonlinear: bool) -> Answer:
        denied = T.not_(part)
        answer = self.solver.lean([*relevant(hyps, part, 1), denied], bounds)
        if answer.status == "unsat":
            return answer
        whole = [*hyps, denied]
        model = self._completed(answer.model, whole, bounds)
        if model is not None:
            return Answer("sat", model)
        answer = self.solver.unsat([*relevant(hyps, part, 3), denied], bounds, nonlinear=False)
        if answer.status == "unsat":
            return answer
        model = self._completed(answer.model, whole, bounds)
        if model is not None:
            return Answer("sat", model)
        return self.solver.unsat(whole, bounds) if nonlinear else Answer("unknown", reason="not linear")

    @staticmethod
    def _completed(model: Model | None, facts: Sequence[Term], bounds: Bounds) -> Model | None:
        """The model with least values for what it leaves open, if it meets all of the facts."""
        if model is None:
            return None
        values = dict(model.variables)
        for v in {v for f in facts for v in f.free if v.op == "var" and v.data not in values}:
            lo, hi = bounds.of(v)
            values[v.data] = lo if lo is not None else 0 if hi is None or hi >= 0 else hi
        whole = Model(values, model.functions)
        return whole if whole.satisfies([*facts, *range_facts(facts, bounds)]) else None

    def reachable(self, reach: Reach, goal: Term = T.TRUE) -> str:
        """Whether any lane of any launch gets there: `yes`, `no` or `unknown`.

        What is stated of the elements that the goal speaks of belongs to it: no launch has elements that cannot be.
        """
        hyps = self.hypotheses(reach, guards=True, goal=goal)
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
        answer = self.solver.unsat(hyps, bounds)
        if answer.status == "unsat":
            return "no"
        return "yes" if answer.model is not None else "unknown"


def extremes(hyps: Sequence[Term], goal: Term, bounds: Bounds) -> Iterator[Model]:
    """Assignments with large sizes, to see at once that a duty of width fails."""
    names = sorted({v for h in (*hyps, goal) for v in h.free if v.op == "var"}, key=lambda v: v.ident)
    base = {v.data: _end(v, bounds, high=v.data.startswith("$i")) for v in names}
    symbols = [v for v in names if v in goal.free and not v.data.startswith("$")][:4]
    sizes = [sorted({_end(v, bounds, high=False), 1024, _end(v, bounds, high=True)}, reverse=True) for v in symbols]
    for chosen in product(*sizes):
        yield Model({**base, **{v.data: n for v, n in zip(symbols, chosen, strict=True)}})


def _end(v: Term, bounds: Bounds, high: bool) -> int:
    """An end of a variable's interval; the other one, or 0, where it has none."""
    lo, hi = bounds.of(v)
    first, second = (hi, lo) if high else (lo, hi)
    return first if first is not None else second if second is not None and not high else (lo or 0)


def dimension_goals(dims: Sequence[Dimension]) -> list[Term]:
    """One conjunct a dimension and side."""
    return [g for d in dims for g in (T.ge(d.index, 0), T.lt(d.index, d.extent))]


def guesses(hyps: Sequence[Term], bounds: Bounds) -> list[Model]:
    """Simple assignments to try before asking the solver: small sizes, first program, first lane."""
    names = sorted({v for h in hyps for v in h.free if v.op == "var"}, key=lambda v: v.ident)
    cells = {a for h in hyps for a in h.apps if a.op == "app"}
    out = []
    for size, least in product((1, 2, 16, 64, 4096), (False, True)):
        values = {}
        for v in names:
            lo, hi = bounds.of(v)
            free = lo is None or lo <= 0  # an argument or stride rather than a size
            want = 0 if v.data.startswith("$") or (least and free) else size
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
