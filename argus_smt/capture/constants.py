"""Splits a launch by the values of its symbolic constexprs, each value under the condition that selects it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from argus_smt.capture.record import Argument, Descriptor, Integer, Record
from argus_smt.ir.launch import Condition
from argus_smt.smt import term as T
from argus_smt.smt.ask import Session
from argus_smt.smt.term import Term

TILE_CAP = 1 << 20
"""Triton refuses tiles of more elements."""
MAX_VALUES = 64
COMMON = (64, 128, 16, 32, 1, 8, 256, 4, 2, 512, 1024)
"""Values of a constexpr to try first where only a few are."""
FEW = {1: MAX_VALUES, 2: 4}
"""So many values of each constexpr are tried where several are open together; else 2."""
SOME = 4
"""So few values are all tried in any case."""


@dataclass(frozen=True, slots=True)
class Split:
    """One choice of all symbolic constexprs. `mapping` replaces symbols that the choice fixes.

    `rest` is not empty where this stands for the values beyond the limit: a region without a kernel, and why.
    """

    values: tuple[tuple[Term, int], ...]
    conditions: tuple[Condition, ...]
    hypotheses: tuple[Term, ...]
    mapping: Mapping[Term, Term] = field(default_factory=dict)
    rest: str = ""


class Splitter:
    """Enumerates splits under the hypotheses of a path. `facts` define summary symbols."""

    def __init__(self, session: Session, facts: Mapping[str, Sequence[Condition]]) -> None:
        self.session, self.facts = session, facts
        self.few = MAX_VALUES

    def splits(self, record: Record, hypotheses: Sequence[Term]) -> Iterator[Split]:
        """All choices, most frequent kinds first, and the regions that are left out."""
        terms: list[Term] = []
        for t in (t for _, a in record.arguments for t in _compiled_in(a)):
            if not t.is_const and t not in terms:
                terms.append(t)
        open_ = [t for t in terms if not self._is_summary(t) and self.session.values(hypotheses, t, MAX_VALUES) is None]
        self.few = FEW.get(max(1, len(open_)), 2)
        # Summaries first: what is computed from them becomes a constant, or at least simpler. Last where few are tried.
        terms.sort(key=lambda t: (self._is_summary(t) == (len(open_) > 1), t.op != "var"))
        yield from self._choose(terms, Split((), (), tuple(hypotheses)))

    def _is_summary(self, t: Term) -> bool:
        return t.op == "var" and t.data in self.facts

    def _choose(self, terms: list[Term], so_far: Split) -> Iterator[Split]:
        if not terms:
            yield so_far
            return
        original, rest = terms[0], terms[1:]
        t = T.substitute(original, so_far.mapping)
        if t.is_const:
            yield from self._choose(rest, self._fix(so_far, original, t, t.value, False))
            return
        values, left_over = self._values(t, so_far.hypotheses)
        for v in values:
            yield from self._choose(rest, self._fix(so_far, original, t, v, True))
        if left_over is not None:
            condition, reason = left_over
            if self.session.possible([*so_far.hypotheses, condition]) is not False:
                yield Split(
                    so_far.values, (*so_far.conditions, Condition(condition, "case", str(condition))),
                    (*so_far.hypotheses, condition), so_far.mapping, reason,
                )  # fmt: skip

    def _fix(self, s: Split, original: Term, t: Term, value: int, new: bool) -> Split:
        """`s` with `t` equal to `value`."""
        if not new:
            return Split((*s.values, (original, value)), s.conditions, s.hypotheses, s.mapping, s.rest)
        condition = equals(t, value)
        conditions = [*s.conditions, Condition(condition, "case", f"{original} == {value}")]
        hypotheses: tuple[Term, ...] = (*s.hypotheses, condition)
        mapping = dict(s.mapping)
        if t.op == "var":
            mapping[t] = T.const(value)
            for fact in self.facts.get(t.data, ()):
                for part in T.conjuncts(T.substitute(fact.term, mapping)):
                    conditions.append(Condition(part, "case", str(part)))
            memo: dict[Term, Term] = {}
            hypotheses = tuple(h for h in (T.substitute(h, mapping, memo) for h in s.hypotheses) if h is not T.TRUE)
        return Split((*s.values, (original, value)), tuple(conditions), hypotheses, mapping)

    def _values(self, t: Term, hypotheses: Sequence[Term]) -> tuple[list[int], tuple[Term, str] | None]:
        """Values to try, and the region beyond them with its reason."""
        powers = [1 << k for k in range(TILE_CAP.bit_length())]
        if self._is_summary(t):
            return self._possible(t, powers, hypotheses), (T.gt(t, TILE_CAP), f"{t} above Triton's tile cap of 2**20")
        exact = self.session.values(hypotheses, t, MAX_VALUES)
        if exact is not None and (self.few == MAX_VALUES or len(exact) <= SOME):
            return list(exact), None
        if self.few < MAX_VALUES:
            found = (self._possible(t, COMMON, hypotheses) or list(exact or ()))[: self.few]
        else:
            found = self._possible(t, powers, hypotheses)
            small = self._possible(t, [v for v in range(MAX_VALUES) if v not in found], hypotheses)
            found += small[: MAX_VALUES - len(found)]
        condition = T.and_(*(T.ne(t, v) for v in found))
        names = sorted(str(v) for v in t.free)
        pins = " and ".join(f"{n} == {found[0] if t.op == 'var' and found else 64}" for n in names)
        tried = ", ".join(map(str, sorted(found))) if len(found) <= SOME else "powers of two and small ones"
        why = f"more than {self.few} values of the constexpr {t}; tried are {tried or 'none'}; state one, as in `where {pins}`"
        return found, (condition, why)

    def _possible(self, t: Term, values: Sequence[int], hypotheses: Sequence[Term]) -> list[int]:
        return [v for v in values if self.session.possible([*hypotheses, T.eq(t, v)]) is not False]


def _compiled_in(a: Argument) -> tuple[Term, ...]:
    """Integers of an argument on which the compiled kernel depends: a constexpr, or the block of a descriptor."""
    if isinstance(a, Descriptor):
        return a.block
    return (a.term,) if isinstance(a, Integer) and a.constexpr else ()


def equals(t: Term, value: int) -> Term:
    """`t == value`, simplified for choices between constants."""
    if t.op == "ite" and t.args[1].is_const and t.args[2].is_const:
        c, a, b = t.args
        return T.or_(*([c] if a.value == value else []), *([T.not_(c)] if b.value == value else []))
    return T.eq(t, value)
