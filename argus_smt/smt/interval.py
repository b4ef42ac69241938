"""Intervals of integer terms: the cheapest prover. `None` stands for an infinite end."""

from __future__ import annotations

from collections.abc import Iterable

from argus_smt.smt import term as T
from argus_smt.smt.term import Term

End = int | None
Interval = tuple[End, End]
ALL: Interval = (None, None)


def _add(a: Interval, b: Interval) -> Interval:
    return (
        None if a[0] is None or b[0] is None else a[0] + b[0],
        None if a[1] is None or b[1] is None else a[1] + b[1],
    )


def _scale(a: Interval, k: int) -> Interval:
    if k == 0:
        return (0, 0)
    lo, hi = (None if e is None else e * k for e in a)
    return (lo, hi) if k > 0 else (hi, lo)


def _mul(a: Interval, b: Interval) -> Interval:
    if (0, 0) in (a, b):
        return (0, 0)
    if None not in (*a, *b):
        corners = [x * y for x in a for y in b]  # type: ignore[operator]
        return (min(corners), max(corners))
    if a[0] is not None and b[0] is not None and a[0] >= 0 and b[0] >= 0:
        top = None if a[1] is None or b[1] is None else a[1] * b[1]
        return (a[0] * b[0], top)
    if a[1] is not None and a[1] <= 0:
        return _scale(_mul(_scale(a, -1), b), -1)
    if b[1] is not None and b[1] <= 0:
        return _scale(_mul(a, _scale(b, -1)), -1)
    return ALL


def _join(a: Interval, b: Interval) -> Interval:
    return (
        None if a[0] is None or b[0] is None else min(a[0], b[0]),
        None if a[1] is None or b[1] is None else max(a[1], b[1]),
    )


def meet(a: Interval, b: Interval) -> Interval:
    """Intersection; the caller sees an empty one as lower > upper."""
    lows = [e for e in (a[0], b[0]) if e is not None]
    highs = [e for e in (a[1], b[1]) if e is not None]
    return (max(lows) if lows else None, min(highs) if highs else None)


class Bounds:
    """Interval of each atom, and from them of every term.

    `env` bounds single atoms, `functions` every application of an unknown function by its name; others are unbounded.
    """

    def __init__(self, env: dict[Term, Interval] | None = None, functions: dict[str, Interval] | None = None) -> None:
        self.env: dict[Term, Interval] = dict(env or {})
        self.functions: dict[str, Interval] = functions if functions is not None else {}
        self._memo: dict[Term, Interval] = {}

    def copy(self) -> Bounds:
        """An independent copy; the table of functions stays shared."""
        return Bounds(self.env, self.functions)

    def forget(self) -> None:
        """Drop what was computed, after `env` was replaced."""
        self._memo.clear()

    def narrow(self, atom: Term, interval: Interval) -> None:
        """Add that `atom` lies in `interval`."""
        met = meet(self.env.get(atom, ALL), interval)
        if met != self.env.get(atom, ALL):
            self.env[atom] = met
            self._memo.clear()

    def learn(self, facts: Iterable[Term]) -> None:
        """Narrow atoms by the facts that bound a single one: `0 <= c * x + d` and `x == d`."""
        for fact in facts:
            for part in T.conjuncts(fact):
                self._learn(part)

    def _learn(self, fact: Term) -> None:
        if fact.op not in ("nonneg", "zero"):
            return
        p = T.poly(fact.args[0])
        monos = [m for m in p if m]
        if len(monos) != 1 or len(monos[0]) != 1:
            return
        atom, coef, offset = monos[0][0], p[monos[0]], p.get((), 0)
        if fact.op == "zero":
            if offset % coef == 0:
                self.narrow(atom, (-offset // coef, -offset // coef))
        elif coef > 0:  # x >= -d/c
            self.narrow(atom, (-(offset // coef), None))
        else:  # x <= d/-c
            self.narrow(atom, (None, offset // -coef))

    def of(self, t: Term) -> Interval:
        """An interval that holds every value of `t`."""
        found = self._memo.get(t)
        if found is None:
            lo, hi = self.ends(t)
            if lo is not None and hi is not None and lo > hi:
                hi = lo  # no value at all: any interval holds, but an empty one would upset the arithmetic on ends
            found = self._memo[t] = (lo, hi)
        return found

    def ends(self, t: Term) -> Interval:
        """As `of`, but with lower > upper where what is known of `t` contradicts itself."""
        return meet(self._compute(t), self.env.get(t, ALL))

    def _compute(self, t: Term) -> Interval:
        match t.op:
            case "const":
                return (t.data, t.data)
            case "add":
                out: Interval = (t.data[0], t.data[0])
                for mono, coef in zip(t.args, t.data[1:], strict=True):
                    out = _add(out, _scale(self.of(mono), coef))
                return out
            case "mul":
                return self._product(t)
            case "div":
                return self._div(t)
            case "mod":
                return self._mod(t)
            case "min" | "max":
                return self._extreme(t)
            case "ite":
                known = self.truth(t.args[0])
                if known is not None:
                    return self.of(t.args[1 if known else 2])
                return _join(self.of(t.args[1]), self.of(t.args[2]))
            case "app":
                return self.functions.get(t.data, ALL)
            case _:
                return ALL

    def _product(self, t: Term) -> Interval:
        out: Interval = (1, 1)
        rest = list(t.args)
        while rest:
            atom = rest.pop()
            if atom in rest:  # a square is never negative
                rest.remove(atom)
                square = _mul(self.of(atom), self.of(atom))
                out = _mul(out, meet(square, (0, None)))
            else:
                out = _mul(out, self.of(atom))
        return out

    def _div(self, t: Term) -> Interval:
        (alo, ahi), (blo, bhi) = self.of(t.args[0]), self.of(t.args[1])
        if blo is None or blo <= 0:
            return ALL
        lo = None if alo is None else (alo // blo if alo < 0 else 0 if bhi is None else alo // bhi)
        hi = None if ahi is None else (ahi // blo if ahi >= 0 else -1 if bhi is None else ahi // bhi)
        return (lo, hi)

    def _mod(self, t: Term) -> Interval:
        (alo, ahi), (blo, bhi) = self.of(t.args[0]), self.of(t.args[1])
        if blo is None or blo <= 0:
            return ALL
        top = None if bhi is None else bhi - 1
        if alo is not None and alo >= 0:
            if ahi is not None and ahi < blo:
                return (alo, ahi)
            top = ahi if top is None else top if ahi is None else min(top, ahi)
        return (0, top)

    def _extreme(self, t: Term) -> Interval:
        a, b = self.of(t.args[0]), self.of(t.args[1])
        pick = min if t.op == "min" else max
        side = 1 if t.op == "min" else 0  # the end where one finite operand suffices
        ends: list[End] = []
        for i in (0, 1):
            known = [e for e in (a[i], b[i]) if e is not None]
            ends.append(pick(known) if len(known) == 2 or (known and i == side) else None)
        return (ends[0], ends[1])

    def truth(self, t: Term) -> bool | None:
        """Truth value of a boolean term if the intervals decide it."""
        match t.op:
            case "true" | "false":
                return t.op == "true"
            case "nonneg":
                lo, hi = self.of(t.args[0])
                return True if lo is not None and lo >= 0 else False if hi is not None and hi < 0 else None
            case "zero":
                lo, hi = self.of(t.args[0])
                if (lo, hi) == (0, 0):
                    return True
                return False if (lo is not None and lo > 0) or (hi is not None and hi < 0) else None
            case "not":
                inner = self.truth(t.args[0])
                return None if inner is None else not inner
            case "and" | "or":
                return self._junction(t)
            case "bite":
                known = self.truth(t.args[0])
                return None if known is None else self.truth(t.args[1 if known else 2])
            case _:
                return None

    def _junction(self, t: Term) -> bool | None:
        absorbing = t.op == "or"
        values = [self.truth(a) for a in t.args]
        if absorbing in values:
            return absorbing
        return None if None in values else not absorbing
