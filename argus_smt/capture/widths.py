"""Integer arguments by width: Triton types them by value, so each launch has forms with i32, i64 and the constant 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

from argus_smt.capture.record import Integer
from argus_smt.ir.launch import Condition
from argus_smt.smt import term as T
from argus_smt.smt.ask import Session
from argus_smt.smt.term import Term

I32 = (-(1 << 31), (1 << 31) - 1)


def fits_i32(t: Term) -> Term:
    """`-2**31 <= t < 2**31`."""
    return T.and_(T.ge(t, I32[0]), T.le(t, I32[1]))


def fits_type(t: Term, type_: str) -> Term:
    """Whether an argument has a value of the type that the kernel's author wrote; Triton cuts off others unseen."""
    bits = int(type_[1:]) if type_[1:].isdigit() else 64
    low, high = (0, (1 << bits) - 1) if type_.startswith("u") else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    return T.and_(T.ge(t, low), T.le(t, high))


def type_of_value(value: int) -> str:
    """Triton's type of an integer argument."""
    if I32[0] <= value <= I32[1]:
        return "i32"
    return "i64" if value < 1 << 63 else "u64"


@dataclass(frozen=True, slots=True)
class Group:
    """Parameters that are passed equal terms. `ones` are those that Triton makes constants where the term is 1.

    `fits`: the term needs no more than 32 bits, as far as that is open under the hypotheses.
    """

    term: Term
    fits: Term
    params: tuple[str, ...]
    ones: tuple[str, ...]
    big: bool
    small: bool
    one: bool


@dataclass(slots=True)
class Widths:
    """The integer arguments of one split: `types` of those that are settled, `groups` of those that are not."""

    types: dict[str, str] = field(default_factory=dict)
    groups: list[Group] = field(default_factory=list)
    limits: list[Condition] = field(default_factory=list)
    """What types written by the kernel's author ask of their values."""

    def within(self, but: Group | None = None) -> list[Condition]:
        """All groups (but one) fit 32 bits."""
        return [_case(part) for g in self.groups if g is not but for part in T.conjuncts(g.fits)]

    def several_big(self) -> Term:
        """At least two groups do not fit 32 bits."""
        big = [T.not_(g.fits) for g in self.groups if g.big]
        return T.or_(*(T.and_(a, b) for a, b in combinations(big, 2)))

    def several_ones(self, groups: Sequence[Group]) -> Term:
        """At least two of the groups are 1."""
        return T.or_(*(T.and_(T.eq(a.term, 1), T.eq(b.term, 1)) for a, b in combinations(groups, 2)))


def widths(arguments: Sequence[tuple[str, Integer, Term]], session: Session, hypotheses: Sequence[Term]) -> Widths:
    """Sort the run-time integers `(parameter, argument, term)` of a launch by what their values can be."""
    out = Widths()
    by_term: dict[Term, list[tuple[str, Integer]]] = {}
    for name, a, t in arguments:
        if a.boolean:
            out.types[name] = "u1"
        elif a.fixed:
            out.types[name] = a.fixed
            asked = [p for p in T.conjuncts(fits_type(t, a.fixed)) if session.implied(hypotheses, p) is not True]
            out.limits += [c for c in map(_case, asked) if c not in out.limits]
        elif t.is_const:
            out.types[name] = "constexpr" if t.value == 1 and a.specialize else type_of_value(t.value)
        else:
            by_term.setdefault(t, []).append((name, a))
    for t, params in by_term.items():
        ones = tuple(n for n, a in params if a.specialize)
        one = bool(ones) and session.possible([*hypotheses, T.eq(t, 1)]) is not False
        fits = T.and_(*(p for p in T.conjuncts(fits_i32(t)) if session.implied(hypotheses, p) is not True))
        big = fits is not T.TRUE
        small = session.possible([*hypotheses, fits_i32(t)]) is not False
        out.groups.append(Group(t, fits, tuple(n for n, _ in params), ones, big, small, one))
    return out


def _case(term: Term) -> Condition:
    return Condition(term, "case", str(term))
