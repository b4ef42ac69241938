"""Whether some lane of some program writes a given element: a candidate is put into every condition, and each is proved.

What a writer must meet is listed in the order in which its program runs: ids inside the grid, trips and branches as they
come, the mask, and the address. Conditions that do not follow are left over: the element is written where they hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from argus_smt.absint.values import COORDS, PIDS
from argus_smt.encodings.digits import Candidate, Digit, Names
from argus_smt.encodings.inverse import Problem, candidates, runs
from argus_smt.prove.discharge import Prover
from argus_smt.prove.tables import Tables
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.simplify import simplify
from argus_smt.smt.term import Term


@dataclass(frozen=True, slots=True)
class Writer:
    """A store as it stands in its kernel. `index` are (term, element) pairs that give a candidate, `address` the exact one.

    `conditions` in order; those in `given` are no conditions but follow from what happens before.
    """

    site: str
    shape: tuple[int, ...]
    counters: tuple[Term, ...]
    grid: tuple[Term, ...]
    conditions: tuple[Term, ...]
    given: frozenset[Term]
    index: tuple[tuple[Term, Term], ...]
    address: tuple[Term, Term]

    @property
    def unknowns(self) -> tuple[Term, ...]:
        """What a writer of an element is to be found in."""
        return (*(PIDS if self.grid else ()), *self.counters, *COORDS[: len(self.shape)])


@dataclass(slots=True)
class Ground:
    """What holds of the element that a writer is looked for: facts, growing by what was shown, and their intervals."""

    prover: Prover
    facts: tuple[Term, ...]
    start: Bounds
    _shown: dict[tuple[tuple[Term, ...], Term], bool] = field(default_factory=dict)

    def bounds(self, facts: Sequence[Term]) -> Bounds:
        """Intervals under the facts."""
        out = self.start.copy()
        out.learn(facts)
        return out

    def shows(self, more: Sequence[Term], goal: Term) -> bool:
        """Whether the goal follows."""
        if goal is T.TRUE:
            return True
        key = (tuple(more), goal)
        found = self._shown.get(key)
        if found is None:
            found = self._shown[key] = self._decide(more, goal)
        return found

    def _decide(self, more: Sequence[Term], goal: Term) -> bool:
        facts = [p for f in (*self.facts, *more) for p in T.conjuncts(f)]
        facts += self.prover.loaded((*facts, goal))
        bounds = self.bounds(facts)
        goal = simplify(goal, bounds)
        if goal is T.TRUE or goal in facts:
            return True
        if goal is T.FALSE:
            return self.prover.refute(facts, T.FALSE, bounds, nonlinear=False).status == "unsat"
        if self.prover.refute(facts, goal, bounds, nonlinear=False).status == "unsat":
            return True
        return self.prover.refute(facts, goal, bounds).status == "unsat"


@dataclass(slots=True)
class Trial:
    """One candidate of one writer, verified: `left` are the conditions that remain, `facts` what its names mean.

    `failed`: no condition on the element would help.
    """

    ground: Ground
    writer: Writer
    candidate: Candidate
    before: tuple[Term, ...]
    facts: list[Term] = field(default_factory=list)
    defined: tuple[Term, ...] = ()
    """Those of the facts that hold whether the conditions do or not."""
    left: list[Term] = field(default_factory=list)
    failed: str = ""
    _claims: dict[tuple[str, Term, Term], Term] = field(default_factory=dict)
    _memo: dict[Term, Term] = field(default_factory=dict)
    _gone: dict[Term, Term] = field(default_factory=dict)
    """Elements written as what their digits make of them."""

    @property
    def known(self) -> tuple[Term, ...]:
        return (*self.before, *self.facts, *self.left)

    def run(self, patience: int) -> None:
        """Verify everything; more than `patience` conditions left over are a failure."""
        self._define()
        for atom, value in sorted(self.candidate.claims.items(), key=lambda item: _depth(item[0])):
            if atom.op in ("div", "mod"):
                base, by = (self.settle(a) for a in atom.args)
                self._claims.setdefault((atom.op, base, by), self._written(value))
        for condition in (*self.candidate.conditions, *self._conditions()):
            self._require(self.settle(condition))
            if self.failed or len(self.left) > patience:
                self.failed = self.failed or "too many conditions are left"
                return

    def _define(self) -> None:
        """Names of the candidate, in order: each must exist. What needs a condition that is left holds under it alone."""
        defined: list[Term] = []
        for d in self.candidate.definitions:
            needs = self._written(T.ge(d.by, 1) if isinstance(d, Digit) else d.needs)
            if not self.ground.shows(self.known, needs):
                self.left.append(needs)
            facts = [needs]
            if isinstance(d, Digit) and self.ground.shows((*self.known, needs), T.ge(self._written(d.total), 0)):
                facts.append(T.ge(d.quotient, 0))
            if isinstance(d, Digit) and d.total.op == "var" and d.total not in d.by.free and not self.left:
                whole = d.quotient * d.by + d.remainder
                self._gone = {k: T.substitute(v, {d.total: whole}) for k, v in self._gone.items()} | {d.total: whole}
                facts.append(T.eq(d.total, whole))
            facts += [self._written(f) for f in d.facts]
            self.facts += facts
            defined += [T.implies(T.and_(*self.left), f) for f in facts]
        self.defined = tuple(f for f in defined if f is not T.TRUE)

    def _written(self, t: Term) -> Term:
        """`t` over the digits of the elements."""
        return T.substitute(t, self._gone) if self._gone else t

    def _conditions(self) -> Iterator[Term]:
        w = self.writer
        for pid, n in zip(PIDS, w.grid, strict=False):
            yield T.and_(T.ge(pid, 0), T.lt(pid, n))
        for i, size in zip(COORDS, w.shape, strict=False):
            yield T.and_(T.ge(i, 0), T.lt(i, size))
        for c in w.conditions:
            if c in w.given:
                self.facts.append(self.settle(c))
            else:
                yield c
        yield from self._earlier_trips()
        yield T.eq(*w.address)

    def _earlier_trips(self) -> Iterator[Term]:
        """A `while` loop comes to a trip only if its condition held in all before."""
        for counter in (c for c in self.writer.counters if ":While" in str(c.data)):
            j = T.var(f"{counter.data} before")
            last = self.settle(counter)
            if last is T.ZERO:
                continue
            inner = set(self.writer.counters[self.writer.counters.index(counter) + 1 :])
            for c in self.writer.conditions:
                if counter in c.free and c not in self.writer.given and not inner & c.free:
                    yield T.or_(T.lt(j, 0), T.ge(j, last), T.substitute(c, {counter: j}))

    def _require(self, goal: Term) -> None:
        for part in T.conjuncts(goal):
            if part is T.FALSE or (runs(part) and not self.ground.shows(self.known, part)):
                self.failed = f"`{part}` is not known to hold" if part is not T.FALSE else "a condition never holds"
                return
            if not self.ground.shows(self.known, part):
                self.left.append(part)

    # ------------------------------------------------------------ values

    def settle(self, t: Term) -> Term:
        """`t` at the candidate; quotients and remainders are replaced by what they are claimed to be, if that follows."""
        if t in self._memo:
            return self._memo[t]
        value = self.candidate.values.get(t)
        if value is not None:
            out = self._written(value)
        elif t in self.candidate.branches:
            out = self.settle(self.candidate.branches[t])
        elif not t.args:
            out = self._written(t)
        else:
            args = tuple(self.settle(a) for a in t.args)
            out = self._claimed(t.op, *args) if t.op in ("div", "mod") else self._rebuilt(t, args)
        self._memo[t] = out
        return out

    def _rebuilt(self, t: Term, args: tuple[Term, ...]) -> Term:
        return t if all(x is y for x, y in zip(args, t.args, strict=True)) else T.rebuild(t, args)

    def _claimed(self, op: str, base: Term, by: Term) -> Term:
        claim = self._claims.get((op, base, by))
        if claim is not None:
            rest = base - claim * by if op == "div" else claim
            if (op == "div" or self._multiple(base, claim, by)) and self._below(rest, by):
                return claim
        out = (T.div if op == "div" else T.mod)(base, by)
        if out.op == op and _small(out.args[0]) and self._below(*out.args):
            return T.ZERO if op == "div" else out.args[0]
        if out.op == "add":  # what did not divide may be less than the divisor
            return T.add(*(self._term(m, c) for m, c in T.poly(out).items()))
        return out

    def _multiple(self, base: Term, rest: Term, by: Term) -> bool:
        """Whether `base - rest` is a multiple of a divisor: on its face, or by the quotient that is claimed."""
        if T.quotient(base - rest, by) is not None:
            return True
        quotient = self._claims.get(("div", base, by))
        return quotient is not None and self.ground.shows(self.known, T.eq(base, quotient * by + rest))

    def _term(self, mono: tuple[Term, ...], coefficient: int) -> Term:
        if len(mono) == 1 and mono[0].op in ("div", "mod") and _small(mono[0].args[0]) and self._below(*mono[0].args):
            return T.scale(T.ZERO if mono[0].op == "div" else mono[0].args[0], coefficient)
        return T.from_poly({mono: coefficient})

    def _below(self, t: Term, by: Term) -> bool:
        known = self.known
        return self.ground.shows(known, T.ge(t, 0)) and self.ground.shows(known, T.lt(t, by))


def _depth(t: Term) -> int:
    """How deep quotients and remainders are nested: what is claimed of the inner ones comes first."""
    return max(map(_depth, t.args), default=0) + (t.op in ("div", "mod"))


def _small(t: Term) -> bool:
    """Whether a dividend speaks of names of digits, so that it may be a remainder already."""
    return any(str(v.data).startswith(("$q", "$r", "$n", "$e")) for v in t.free)


# ---------------------------------------------------------------- several writers


@dataclass(slots=True)
class Search:
    """Looks for writers until the element is written in every case. `reason` is why it gave up, from the last try."""

    ground: Ground
    writers: Sequence[Writer]
    tables: Tables
    names: Names = field(default_factory=Names)
    reason: str = ""
    budget: int = 40
    patience: int = 3
    _shared: dict[str, dict[Term, Term]] = field(default_factory=dict)

    def covered(self, before: tuple[Term, ...] = (), tried: frozenset[tuple[int, int]] = frozenset()) -> bool:
        """Whether some writer writes the element wherever `before` holds."""
        for i, writer in enumerate(self.writers):
            for j, trial in self._trials(i, writer, before, tried):
                if trial.failed:
                    self.reason = self.reason or trial.failed
                    continue
                if not trial.left:
                    return True
                if self._rest(trial, tried | {(i, j)}, before):
                    return True
        return False

    def _trials(
        self, i: int, writer: Writer, before: tuple[Term, ...], tried: frozenset[tuple[int, int]]
    ) -> Iterator[tuple[int, Trial]]:
        bounds = self.ground.bounds((*self.ground.facts, *before))
        tops = dict(zip(PIDS, writer.grid, strict=False))
        tops |= {c: T.const(n) for c, n in zip(COORDS, writer.shape, strict=False)}
        side = tuple((c.args[0], T.ZERO) for c in writer.conditions if c.op == "zero" and c not in writer.given)
        problem = Problem(writer.index, writer.unknowns, tops, bounds, self.names, side, self.tables.find, self.tables.locate)
        for j, candidate in enumerate(candidates(problem)):
            if (i, j) in tried:
                continue
            self.budget -= 1
            if self.budget < 0:
                self.reason = self.reason or "too many cases"
                return
            trial = Trial(self.ground, writer, candidate, before)
            trial.run(self.patience)
            yield j, trial

    def _rest(self, trial: Trial, tried: frozenset[tuple[int, int]], before: tuple[Term, ...]) -> bool:
        """Whether others write the element where the conditions that are left do not hold."""
        if len(tried) > 4:
            return False
        held: tuple[Term, ...] = ()
        for condition in trial.left:
            here = (*before, *trial.defined, *held, T.not_(condition))
            if not self.covered(here, tried):
                self.reason = self.reason or f"it does not follow that {condition}"
                return False
            held += (condition,)
        return True
