"""Abstract values: what the analysis knows of an SSA value, as a function of tile coordinates.

The value of a tile of rank r is a term over the coordinates `$i0` … `$i<r-1>`; program ids are `$p0` to `$p2`,
loop trip numbers `$k<n>`. The `$` keeps them apart from the user's symbols.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from argus_smt.smt import term as T
from argus_smt.smt.term import Term

COORDS = tuple(T.var(f"$i{d}") for d in range(8))
PIDS = tuple(T.var(f"$p{a}") for a in range(3))


@dataclass(frozen=True, slots=True)
class Guard:
    """The `exact` result of the integer operation at `site` fits its width iff `cond`; the value is only right then."""

    site: str
    cond: Term
    exact: Term


Guards = frozenset[Guard]
NO_GUARDS: Guards = frozenset()


@dataclass(frozen=True, slots=True)
class IntV:
    """An integer or boolean tile or scalar; exact where all `guards` hold."""

    term: Term
    guards: Guards = NO_GUARDS


@dataclass(frozen=True, slots=True)
class FloatV:
    """A float tile: nothing is known of its numbers."""


NOWHERE = -1
"""In place of an argument: a pointer to nothing that is known."""


@dataclass(frozen=True, slots=True)
class Target:
    """One thing a pointer may point to, where `cond`: byte `offset` from the start of kernel argument `arg`'s view.

    With a `member`, argument `arg` is a table of addresses, and the offset is from the start of the tensor at that entry.
    Where `arg` is NOWHERE, `reason` says why nothing is known.
    """

    cond: Term
    arg: int
    offset: Term
    member: Term | None = None
    reason: str = ""

    @property
    def root(self) -> int:
        """A number that tells apart what targets are offsets into."""
        return self.arg if self.member is None else (self.member.ident + 1 << 20) + self.arg


@dataclass(frozen=True, slots=True)
class PtrV:
    """A pointer tile; exactly one target's condition holds at each element."""

    targets: tuple[Target, ...]
    guards: Guards = NO_GUARDS


@dataclass(frozen=True, slots=True)
class LostV:
    """A value that the analysis has no hold of; using it as an address is `unknown` for `reason`."""

    reason: str


AbsValue = IntV | FloatV | PtrV | LostV


def map_terms(value: AbsValue, mapping: Mapping[Term, Term], memo: dict[Term, Term] | None = None) -> AbsValue:
    """`value` with variables replaced in all of its terms."""
    memo = {} if memo is None else memo

    def sub(t: Term) -> Term:
        return T.substitute(t, mapping, memo)

    match value:
        case IntV(term, guards):
            return IntV(sub(term), map_guards(guards, mapping, memo))
        case PtrV(targets, guards):
            moved = tuple(
                replace(t, cond=sub(t.cond), offset=sub(t.offset), member=None if t.member is None else sub(t.member))
                for t in targets
            )
            return PtrV(moved, map_guards(guards, mapping, memo))
        case _:
            return value


def map_guards(guards: Guards, mapping: Mapping[Term, Term], memo: dict[Term, Term] | None = None) -> Guards:
    if not guards:
        return guards
    return frozenset(Guard(g.site, T.substitute(g.cond, mapping, memo), T.substitute(g.exact, mapping, memo)) for g in guards)


def under(cond: Term, guards: Guards) -> Guards:
    """Guards that matter only where `cond`."""
    if cond is T.TRUE:
        return guards
    return frozenset(Guard(g.site, T.implies(cond, g.cond), g.exact) for g in guards)


def terms_of(value: AbsValue) -> tuple[Term, ...]:
    """All terms of a value but those of its guards."""
    match value:
        case IntV(term):
            return (term,)
        case PtrV(targets):
            return tuple(t for target in targets for t in (target.cond, target.offset, target.member) if t is not None)
        case _:
            return ()


def guards_of(value: AbsValue) -> Guards:
    return value.guards if isinstance(value, IntV | PtrV) else NO_GUARDS


def choose(cond: Term, a: AbsValue, b: AbsValue, guards: Guards = NO_GUARDS) -> AbsValue:
    """`a` where `cond`, else `b`; `guards` are those of the condition itself."""
    if a == b:
        return a
    both = guards | under(cond, guards_of(a)) | under(T.not_(cond), guards_of(b))
    match a, b:
        case IntV(), IntV():
            return IntV(T.ite(cond, a.term, b.term), both)
        case (PtrV(), PtrV() | LostV()) | (LostV(), PtrV()):
            other = T.not_(cond)
            targets = [replace(t, cond=T.and_(cond, t.cond)) for t in _targets(a)]
            targets += [replace(t, cond=T.and_(other, t.cond)) for t in _targets(b)]
            return PtrV(tuple(t for t in targets if t.cond is not T.FALSE), both)
        case FloatV(), _:
            return a
        case LostV(), _:
            return a
        case _:
            return b


def _targets(value: AbsValue) -> tuple[Target, ...]:
    """Targets of a pointer, or of the lost value in its place."""
    if isinstance(value, LostV):
        return (Target(T.TRUE, NOWHERE, T.ZERO, reason=value.reason),)
    assert isinstance(value, PtrV)
    return value.targets
