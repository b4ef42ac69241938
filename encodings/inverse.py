"""Theorem: an index map that is a mixed-radix sum of digits is inverted by dividing with remainder, largest digit first.

For `index = Σ c_j·d_j` and a wanted value t, `t = c_1·q_1 + r_1` with `0 <= r_1 < c_1`, then r_1 by c_2, and so on, gives
d_j = q_j. The quotient and the remainder of one term, `u = x // n` and `v = x % n`, give x = u·n + v. What comes out are
values for program ids, tile coordinates and trip numbers that *may* be the ones that are looked for: nothing is concluded
from here. Whoever uses a candidate puts it into every condition and proves that, so a wrong guess proves nothing wrong.

Quotients are fresh names rather than divisions: `Digit` says what they stand for, and when they exist.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cmp_to_key

from argus_smt.encodings.digits import Candidate, Definition, Find, Names
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.term import Term

MAX_CANDIDATES = 12
MAX_STEPS = 120


@dataclass(frozen=True, slots=True)
class Problem:
    """Find values of `unknowns` with `index == target` for each of the equations; `tops` are exclusive upper ends.

    `side` are further equations, tried where the others leave unknowns open; `find` and `locate` look values up in tables.
    """

    equations: tuple[tuple[Term, Term], ...]
    unknowns: tuple[Term, ...]
    tops: Mapping[Term, Term]
    bounds: Bounds
    names: Names
    side: tuple[tuple[Term, Term], ...] = ()
    find: Find = lambda cell, value, names: None
    locate: Find = lambda cell, value, names: None


def candidates(problem: Problem) -> Iterator[Candidate]:
    """Candidates, likely ones first."""
    count = 0
    seen: set[tuple[Term, ...]] = set()
    only = {u: T.ZERO for u in problem.unknowns if problem.tops.get(u) is T.ONE}
    for found in _State(problem, problem.equations, only).solve():
        values = tuple(found.values[u] for u in problem.unknowns)
        if values not in seen:
            seen.add(values)
            yield found
            count += 1
        if count == MAX_CANDIDATES:
            return


@dataclass(slots=True)
class _State:
    problem: Problem
    pending: tuple[tuple[Term, Term], ...]
    values: dict[Term, Term] = field(default_factory=dict)
    """Of unknowns, and of quotients, remainders and loaded integers that depend on them."""
    done: frozenset[Term] = frozenset()
    """Compound terms whose value was already used to say what they are made of."""
    definitions: tuple[Definition, ...] = ()
    branches: dict[Term, Term] = field(default_factory=dict)
    conditions: tuple[Term, ...] = ()
    extra: dict[Term, Term] = field(default_factory=dict)
    """Remainders by a divisor that are still to be found, and the divisor."""
    side_used: bool = False
    steps: int = 0

    # ------------------------------------------------------------ terms

    def open(self, t: Term) -> bool:
        """Whether a term depends on unknowns, or on what a run alone decides."""
        return any(u in t.free for u in (*self.problem.unknowns, *self.extra)) or runs(t)

    def known(self, t: Term, memo: dict[Term, Term] | None = None) -> Term:
        """`t` with all that has a value replaced by it."""
        memo = {} if memo is None else memo
        if t in self.values:
            return self.values[t]
        if t in self.branches:
            return self.known(self.branches[t], memo)
        if not t.args or not self.open(t):
            return t
        if t not in memo:
            args = tuple(self.known(a, memo) for a in t.args)
            out = t if all(x is y for x, y in zip(args, t.args, strict=True)) else T.rebuild(t, args)
            memo[t] = self.values.get(out, out)
        return memo[t]

    # ------------------------------------------------------------ steps

    def solve(self) -> Iterator[Candidate]:
        """All ways from here."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            return
        for step in (self._whole, self._equation, self._turned, self._half):
            ways = step()
            if ways is not None:
                for way in ways:
                    yield from way.solve()
                return
        if not self.side_used and self.problem.side and any(u not in self.values for u in self.problem.unknowns):
            yield from self._with(pending=self.problem.side, side_used=True).solve()
            return
        yield from self._fill()

    def _with(self, **changes: object) -> _State:
        copy = replace(self, values=dict(self.values), branches=dict(self.branches), extra=dict(self.extra))
        for name, value in changes.items():
            setattr(copy, name, value)
        return copy

    def _whole(self) -> list[_State] | None:
        """A quotient and remainder of one term are known, or a loaded integer is: so is what they are made of."""
        return self._compound(complete=True)

    def _half(self) -> list[_State] | None:
        """Only one of a quotient and a remainder is needed: the other may be 0."""
        return self._compound(complete=False)

    def _compound(self, complete: bool) -> list[_State] | None:
        for atom, value in sorted(self.values.items(), key=lambda item: self._awaited(item[0])):
            if atom in self.done or not atom.args:
                continue
            if atom.op == "app":
                found = self.problem.find(atom, value, self.problem.names)
                if found is None:
                    continue
                way = self._with(done=self.done | {atom}, definitions=(*self.definitions, found))
                way.pending = (*self.pending, (atom.args[0], found.place))
                return [way]
            if atom.op not in ("div", "mod"):
                continue
            base, by = atom.args
            divisor = self.known(by)
            partner = self._partner(atom)
            if self.open(divisor) or (complete and partner is None):
                continue
            way = self._with(done=self.done | {atom} | ({partner} if partner is not None else set()))
            other = T.ZERO if partner is None else self.values[partner]
            if partner is None and atom.op == "div" and any(self._turns(a, divisor) for a in self.values):
                other = T.var(f"$y{len(self.extra)}")
                way.extra[other] = divisor
            u, v = (value, other) if atom.op == "div" else (other, value)
            way.pending = (*self.pending, (base, u * divisor + v))
            return [way]
        return None

    def _turned(self) -> list[_State] | None:
        """`(known + y) % n` has a value v: then y is `(v - known) % n`, as in an order that is turned by some places."""
        for atom, value in self.values.items():
            if atom.op != "mod" or atom in self.done:
                continue
            base, by = (self.known(a) for a in atom.args)
            free = [y for y, n in self.extra.items() if y not in self.values and y in base.free and n is by]
            if len(free) != 1 or self.open(base - free[0]):
                continue
            digit = self.problem.names.split(value - (base - free[0]), by)
            way = self._with(done=self.done | {atom}, definitions=(*self.definitions, digit))
            way.values |= {free[0]: digit.remainder, T.div(*atom.args): -digit.quotient}
            way.done |= {T.div(*atom.args)}
            return [way]
        return None

    def _turns(self, atom: Term, divisor: Term) -> bool:
        """Whether a remainder by the divisor has a value that may settle that of another quotient."""
        return atom.op == "mod" and atom not in self.done and self.known(atom.args[1]) is divisor

    def _awaited(self, atom: Term) -> bool:
        """Whether what completes a quotient or remainder is still to come, since another value tells of it."""
        if atom.op not in ("div", "mod"):
            return False
        if atom.op == "div":
            partner = T.mod(*atom.args)
            return any(a.op in ("div", "mod") and a.args[0] is partner and a not in self.done for a in self.values)
        by = self.known(atom.args[1])
        if any(a.op == "div" and a not in self.done and self.known(a.args[1]) is by for a in self.values):
            return True
        partner = T.div(*atom.args)
        return any(a is not atom and a.op in ("div", "mod") and a.args[0] is partner for a in self.values if a not in self.done)

    def _partner(self, atom: Term) -> Term | None:
        """The remainder that belongs to a quotient, or the other way round, if it has a value."""
        base, by = atom.args
        found = (T.mod if atom.op == "div" else T.div)(base, by)
        if found in self.values:
            return found
        if atom.op == "mod" and base.op == "div":  # a quotient of a quotient is one by the product
            outer = T.div(base.args[0], base.args[1] * by)
            if outer in self.values:
                return outer
        op, whole = ("mod" if atom.op == "div" else "div"), (self.known(base), self.known(by))
        for other in self.values:
            if other.op == op and tuple(map(self.known, other.args)) == whole:
                return other
        return None

    def _equation(self) -> list[_State] | None:
        """One equation that can be solved now."""
        for i, (index, target) in enumerate(self.pending):
            rest = (*self.pending[:i], *self.pending[i + 1 :])
            left = self.known(index)
            if not self.open(left):
                return [self._with(pending=rest)]
            ways = self._with(pending=rest)._digits(left, target)
            if ways:
                return ways
        return None

    def _digits(self, index: Term, target: Term) -> list[_State]:
        found = self._linear(index)
        if found is None:
            return []
        coefficients, rest = found
        atoms = list(coefficients)
        for atom in atoms:
            if atom.op in ("min", "max", "ite"):
                again = (*self.pending, (index, target))
                return [w._with(pending=again) for w in self._branch(atom)]
        for cell in (a for a in atoms if a.op == "app"):
            way = self._located(cell, coefficients, target - rest)
            if way is not None:
                way.pending = (*way.pending, (index, target))
                return [way]
        return [self._peeled(coefficients, target - rest)]

    def _located(self, cell: Term, coefficients: Mapping[Term, Term], target: Term) -> _State | None:
        """A loaded integer that other digits are added to: the start of the part that the target lies in."""
        c = coefficients[cell]
        if not any(_weight(other) >= _weight(c) for a, other in coefficients.items() if a is not cell):
            return None
        wanted = T.quotient(target, c)
        found = self.problem.locate(cell, wanted, self.problem.names) if wanted is not None else None
        if found is None:
            return None
        way = self._with(definitions=(*self.definitions, found), done=self.done | {cell})
        way.values[cell] = T.app(cell.data, found.place)
        way.pending = (*self.pending, (cell.args[0], found.place))
        return way

    def _linear(self, index: Term) -> tuple[dict[Term, Term], Term] | None:
        """Coefficients of the open atoms, and the rest; None for products of them, and for what nothing can choose."""
        coefficients: dict[Term, Term] = {}
        rest = T.ZERO
        for mono, c in T.poly(index).items():
            opens = [a for a in mono if self.open(a)]
            if not opens:
                rest = rest + T.from_poly({mono: c})
                continue
            if len(opens) > 1 or not _solvable(opens[0]):
                return None
            others = list(mono)
            others.remove(opens[0])
            coefficients[opens[0]] = coefficients.get(opens[0], T.ZERO) + T.from_poly({tuple(others): c})
        return coefficients, rest

    def _branch(self, atom: Term) -> list[_State]:
        """One way for each value that an extreme or a choice may have."""
        out = []
        if atom.op == "ite":
            ways = [(atom.args[1], atom.args[0]), (atom.args[2], T.not_(atom.args[0]))]
        else:
            a, b = atom.args
            less = T.le(a, b)
            first, second = (a, b) if atom.op == "min" else (b, a)
            ways = [(first, less), (second, T.not_(less))]
        for value, condition in ways:
            way = self._with(conditions=(*self.conditions, condition))
            way.branches[atom] = value
            out.append(way)
        return out

    def _peeled(self, coefficients: dict[Term, Term], target: Term) -> _State:
        """Digit after digit, the largest first; digits with negative coefficients are counted from their other end."""
        bounds = self.problem.bounds

        def larger(a: tuple[Term, Term], b: tuple[Term, Term]) -> int:
            gap = _size(a[1], bounds) - _size(b[1], bounds)
            truth = bounds.truth(T.gt(gap, 0))
            if truth:
                return -1
            if bounds.truth(T.lt(gap, 0)):
                return 1
            return (_weight(a[1]) < _weight(b[1])) - (_weight(a[1]) > _weight(b[1]))

        digits = sorted(coefficients.items(), key=cmp_to_key(larger))
        if _negative(digits[0][1], bounds):
            digits, target = [(a, -c) for a, c in digits], -target
        way = self._with()
        flipped: dict[Term, Term] = {}
        for i, (atom, c) in enumerate(digits):
            if _negative(c, bounds):
                top = way._top(atom)
                if top is not None:
                    flipped[atom] = top - 1
                    digits[i] = (atom, -c)
                    target = target - c * (top - 1)
        for atom, c in digits:
            exact = target if c is T.ONE else T.quotient(target, c)
            if exact is not None:
                value, target = exact, T.ZERO
            else:
                digit = self.problem.names.split(target, c)
                way.definitions = (*way.definitions, digit)
                value, target = digit.quotient, digit.remainder
            way.values[atom] = flipped[atom] - value if atom in flipped else value
        return way

    def _top(self, atom: Term) -> Term | None:
        if atom.op == "mod":
            by = self.known(atom.args[1])
            return None if self.open(by) else by
        return self.problem.tops.get(atom)

    def _fill(self) -> Iterator[Candidate]:
        """Unknowns that nothing depends on are 0, or the last that they can be."""
        free = [u for u in self.problem.unknowns if u not in self.values]
        last = {u: self.problem.tops[u] - 1 for u in free if u in self.problem.tops}
        for ends in ({}, last) if last else ({},):
            found = {u: self.known(v) for u, v in self.values.items()}
            values = {u: found.get(u, ends.get(u, T.ZERO)) for u in self.problem.unknowns}
            claims = {a: v for a, v in found.items() if a.args}
            yield Candidate(values, claims, self.definitions, dict(self.branches), self.conditions)


def runs(t: Term) -> bool:
    """Whether a term speaks of what only a run decides: numbers known roughly, and the trip in which a loop ends."""
    return any(a.data.startswith(("?", "$")) for a in t.apps) or any(v.data.startswith("$x") for v in t.free)


def _solvable(atom: Term) -> bool:
    """Whether giving the atom a value can say something of the unknowns in it."""
    if atom.op == "app":
        return not atom.data.startswith(("?", "$")) and len(atom.args) == 1
    return atom.op in ("div", "mod", "min", "max", "ite") or (atom.op == "var" and not atom.data.startswith("$x"))


def _negative(c: Term, bounds: Bounds) -> bool:
    truth = bounds.truth(T.ge(c, 0))
    return truth is False or (truth is None and all(k < 0 for k in T.poly(c).values()))


def _size(c: Term, bounds: Bounds) -> Term:
    return -c if _negative(c, bounds) else c


def _weight(c: Term) -> tuple[int, int, int]:
    """Products of more sizes are larger, then larger numbers, then more summands."""
    p = T.poly(c)
    degree = max((len(m) for m in p), default=0)
    return degree, max((abs(k) for m, k in p.items() if len(m) == degree), default=0), len(p)
