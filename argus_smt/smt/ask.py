"""Small questions about integer conditions, for callers that may not see the solver: implied, possible, which value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import z3

from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.lower import Lowering
from argus_smt.smt.term import Term

RLIMIT = 400_000
"""Default effort of one question in the solver's deterministic units (well under a second)."""
MAX_POINTS = 40


class _Everywhere(dict[str, int]):
    """An assignment that gives every symbol one value."""

    def __init__(self, value: int) -> None:
        super().__init__()
        self.value = value

    def __missing__(self, key: str) -> int:
        return self.value


class Session:
    """Questions that share one solver context; answers are remembered."""

    def __init__(self) -> None:
        self.queries = 0
        self._lowering = Lowering(z3.Context())
        self._answers: dict[tuple[frozenset[Term], Term, int], bool | None] = {}
        self._parts: dict[tuple[frozenset[Term], int], bool | None] = {}
        self._points: list[dict[str, int]] = [_Everywhere(v) for v in (0, 1, 16, 1 << 31, 1 << 33)]

    def implied(self, hypotheses: Sequence[Term], goal: Term, rlimit: int = RLIMIT) -> bool | None:
        """Whether every integer assignment that meets the hypotheses meets `goal`; None if undecided."""
        if goal is T.TRUE or goal in hypotheses:
            return True
        key = (frozenset(hypotheses), goal, rlimit)
        if key not in self._answers:
            self._answers[key] = self._decide(hypotheses, goal, rlimit)
        return self._answers[key]

    def _decide(self, hypotheses: Sequence[Term], goal: Term, rlimit: int) -> bool | None:
        """Intervals first: they settle signs of products, which the solver may not.

        Then the solver, on conditions that share symbols with the goal; the others count only if they contradict.
        """
        bounds = Bounds()
        bounds.learn(hypotheses)
        if bounds.truth(goal) is True:
            return True
        conditions = [*hypotheses, T.not_(goal)]
        sharper = list(_sharper(conditions, bounds))
        if sharper:
            bounds.learn([*conditions, *sharper])
            if bounds.truth(goal) is True or any(bounds.truth(c) is False for c in conditions):
                return True
        answers = [self._part(part, rlimit) for part in _components([*conditions, *sharper])]
        if False in answers:
            return True
        return None if None in answers else False

    def _part(self, conditions: list[Term], rlimit: int) -> bool | None:
        """Whether conditions that hang together are satisfiable; earlier solutions are tried first."""
        key = (frozenset(conditions), rlimit)
        if key not in self._parts:
            tried = any(_holds(conditions, point) for point in reversed(self._points))
            self._parts[key] = True if tried else self._check(conditions, rlimit)
        return self._parts[key]

    def possible(self, conditions: Sequence[Term], rlimit: int = RLIMIT) -> bool | None:
        """Whether some assignment meets all conditions; None if undecided."""
        answer = self.implied(conditions, T.FALSE, rlimit)
        return None if answer is None else not answer

    def values(self, hypotheses: Sequence[Term], term: Term, limit: int, rlimit: int = RLIMIT) -> tuple[int, ...] | None:
        """All values that `term` takes under the hypotheses, ascending; None if more than `limit` or undecided."""
        found: list[int] = []
        for value in self._models(hypotheses, term, rlimit):
            if value is None or len(found) == limit:
                return None
            found.append(value)
        return tuple(sorted(found))

    def _models(self, hypotheses: Sequence[Term], term: Term, rlimit: int) -> Iterator[int | None]:
        """Values one after the other; a None means that the solver gave up."""
        related = _components([*hypotheses, T.eq(term, T.var("?"))])[0][1:]
        solver = self._solver(related, [*related, term], rlimit)
        target = self._lowering.term(term)
        while (answer := self._run(solver)) == z3.sat:
            value = solver.model().eval(target, model_completion=True)
            yield value.as_long()
            solver.add(target != value)
        if answer == z3.unknown:
            yield None

    def _check(self, conditions: Sequence[Term], rlimit: int) -> bool | None:
        if T.FALSE in conditions:
            return False
        solver = self._solver(conditions, conditions, rlimit)
        answer = self._run(solver)
        if answer == z3.sat:
            model = solver.model()
            point = {d.name(): model[d].as_long() for d in model.decls() if z3.is_int_value(model[d])}
            self._points = [*self._points[-MAX_POINTS:], point]
        return None if answer == z3.unknown else bool(answer == z3.sat)

    def _solver(self, conditions: Sequence[Term], mentioned: Sequence[Term], rlimit: int) -> z3.Solver:
        """A solver that holds the conditions and what defines the quotients in `mentioned`."""
        solver = z3.Solver(ctx=self._lowering.ctx)
        solver.set("rlimit", rlimit)
        solver.add([self._lowering.term(c) for c in conditions])
        solver.add(self._lowering.definitions(mentioned))
        return solver

    def _run(self, solver: z3.Solver) -> z3.CheckSatResult:
        self.queries += 1
        return solver.check()


def _holds(conditions: Sequence[Term], point: dict[str, int]) -> bool:
    """Whether an assignment meets all conditions; False where it leaves some symbol or function open."""

    def read(t: Term, args: tuple[int, ...]) -> int:
        if t.op != "var":
            raise KeyError(t.data)
        return point[t.data]

    memo: dict[Term, int] = {}
    try:
        return all(T.evaluate(c, read, memo) for c in conditions)
    except (KeyError, ZeroDivisionError):
        return False


def _sharper(conditions: Sequence[Term], bounds: Bounds) -> Iterator[Term]:
    """What follows where a quantity differs from the end of its interval: `n >= 1` and `n != 1` give `n >= 2`."""
    for c in conditions:
        if c.op == "not" and c.args[0].op == "zero":
            p = c.args[0].args[0]
            if bounds.truth(T.ge(p, 0)) is True:
                yield T.ge(p, 1)
            elif bounds.truth(T.le(p, 0)) is True:
                yield T.le(p, -1)
    for atom in {a for c in conditions for a in _atoms(c)}:
        yield from _factors(atom, bounds)


def _atoms(t: Term) -> Iterator[Term]:
    """Inequalities that a condition is made of."""
    if t.op == "nonneg":
        yield t
    elif t.op in ("and", "or", "not"):
        for part in t.args:
            yield from _atoms(part)


def _factors(atom: Term, bounds: Bounds) -> Iterator[Term]:
    """Factors of at least 1 are no larger than a product that has an end: `a * b <= 1` gives `a <= 1`."""
    parts = T.poly(atom.args[0])
    (product,) = [m for m in parts if m] if len(parts) - (() in parts) == 1 else [()]
    if len(product) < 2 or parts[product] >= 0 or any(bounds.truth(T.ge(f, 1)) is not True for f in product):
        return
    most = T.const(parts.get((), 0) // -parts[product])
    for factor in dict.fromkeys(product):
        yield T.implies(atom, T.le(factor, most))


def _components(conditions: Sequence[Term]) -> list[list[Term]]:
    """Conditions grouped so that groups share no symbol and no unknown function; the last one's group comes first."""
    groups: list[tuple[set[object], list[Term]]] = []
    for c in conditions:
        symbols: set[object] = {*c.free, *((a.op, a.data) for a in c.apps)}
        members = [c]
        apart = []
        for s, m in groups:
            if s & symbols:
                symbols |= s
                members += m
            else:
                apart.append((s, m))
        groups = [(symbols, members), *apart]
    return [m for _, m in groups]


_SHARED: list[Session] = []


def implied(hypotheses: Sequence[Term], goal: Term, rlimit: int = RLIMIT) -> bool | None:
    """`Session.implied` on a session of the process."""
    if not _SHARED:
        _SHARED.append(Session())
    return _SHARED[0].implied(hypotheses, goal, rlimit)
