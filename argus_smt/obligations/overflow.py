"""Duties of integer width (AR303): no result that reaches an unmasked address, a mask or a branch leaves its width.

The duty is first put at the operation itself, for all of its elements. Where it fails there, it is put at each use, for
the lanes that are live there: an offset that wraps in a masked lane harms nobody.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from argus_smt.absint.facts import Facts, Wrap
from argus_smt.absint.values import Guard, Guards
from argus_smt.obligations.obligation import Obligation, Reach
from argus_smt.smt import term as T


@dataclass(frozen=True, slots=True)
class Overflow:
    """A wrap that may matter: the duty at the operation, and the duties at its uses, which together imply as much."""

    wrap: Wrap
    at_operation: Obligation
    at_uses: tuple[Obligation, ...]


def of(facts: Facts) -> Iterator[Overflow]:
    """Wraps whose result reaches an address, mask, branch, divisor or promise."""
    uses: dict[str, list[Obligation]] = {}
    order = {site: i for i, site in enumerate(facts.wraps)}
    for where, guards, reach in _uses(facts):
        for g in guards:
            wrap = facts.wraps.get(g.site)
            if wrap is not None:
                others = _earlier(guards, g, order)
                live = Reach(reach.scope, reach.shape, where, others)
                uses.setdefault(g.site, []).append(
                    Obligation("AR303", g.site, wrap.op, live, g.cond, f"{wrap.bits}-bit result", offset=g.exact)
                )
    for site, wrap in facts.wraps.items():
        if site in uses:
            reach = Reach(wrap.scope, wrap.shape, (), wrap.guards | wrap.scope.guards)
            own = Obligation("AR303", site, wrap.op, reach, wrap.cond, f"{wrap.bits}-bit result", offset=wrap.term)
            yield Overflow(wrap, own, tuple(dict.fromkeys(uses[site])))


def _earlier(guards: Iterable[Guard], one: Guard, order: Mapping[str, int]) -> Guards:
    """Guards that may be taken for granted: those of operations before this one, so that no two lean on each other."""
    here = order[one.site]
    return frozenset(g for g in guards if order.get(g.site, here) < here)


def _uses(facts: Facts) -> Iterator[tuple[tuple[T.Term, ...], Guards, Reach]]:
    for access in facts.accesses:
        reach = Reach(access.scope, access.shape, (), frozenset())
        mask = T.conjuncts(access.mask)
        yield mask, access.pointer.guards, reach
        yield (), access.mask_guards, reach
        yield (), access.scope.guards, reach
    for guards, scope, shape in facts.relied:
        yield (), guards, Reach(scope, shape, (), frozenset())
    for a in facts.arithmetic:
        yield (), a.guards, Reach(a.scope, a.shape, (), frozenset())
    for p in facts.promises:
        yield T.conjuncts(p.where), p.guards, Reach(p.scope, p.shape, (), frozenset())
