"""Folds paths that launch the same: one is dropped if its expressions equal another's wherever it is taken."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from argus_smt.capture.oracle import Decision
from argus_smt.capture.record import Record
from argus_smt.capture.run import Outcome
from argus_smt.capture.world import Registry
from argus_smt.ir.launch import Condition, Demand
from argus_smt.smt import term as T
from argus_smt.smt.ask import Session
from argus_smt.smt.term import Sort, Term
from argus_smt.source import Span


@dataclass(frozen=True, slots=True)
class Group:
    """Launches of one description, and the paths that end in it."""

    records: tuple[Record, ...]
    paths: tuple[tuple[Decision, ...], ...]
    demands: tuple[Demand, ...] = ()


def merge(outcomes: Sequence[Outcome], session: Session, hypotheses: Sequence[Term]) -> list[Group]:
    """Groups of the outcomes that launch."""
    groups: list[Group] = []
    for o in (o for o in outcomes if o.kind == "launches"):
        for i, g in enumerate(groups):
            both = _union(g, o, session, hypotheses)
            if both is not None:
                groups[i] = Group(both.records, (*g.paths, o.decisions), both.demands)
                break
        else:
            groups.append(Group(o.records, (o.decisions,), o.demands))
    return groups


def _union(g: Group, o: Outcome, session: Session, hypotheses: Sequence[Term]) -> Group | Outcome | None:
    """The one that describes both, if either describes the other's launches too."""
    if len(g.records) != len(o.records) or len(g.demands) != len(o.demands):
        return None
    here = [*hypotheses, o.condition]
    mine: tuple[Record | Demand, ...]
    theirs: tuple[Record | Demand, ...]
    mine, theirs = (*g.records, *g.demands), (*o.records, *o.demands)
    if all(_equal(a, b, session, here) for a, b in zip(mine, theirs, strict=True)):
        return g
    there = [*hypotheses, T.or_(*(T.and_(*(d.term for d in p)) for p in g.paths))]
    if all(_equal(a, b, session, there) for a, b in zip(theirs, mine, strict=True)):
        return o
    return None


def _equal(a: Record | Demand, b: Record | Demand, session: Session, hypotheses: Sequence[Term]) -> bool:
    """Whether two launches or demands agree in everything, integers under the hypotheses."""
    left, right = list(_parts(a)), list(_parts(b))
    if len(left) != len(right):
        return False
    for x, y in zip(left, right, strict=True):
        if not isinstance(x, Term) or not isinstance(y, Term):
            if x != y:
                return False
        elif x is not y:
            same = T.eq(x, y) if x.sort is Sort.INT else T.iff(x, y)
            if x.sort is not y.sort or session.implied(hypotheses, same) is not True:
                return False
    return True


def _parts(value: Any) -> Iterator[Any]:
    """Everything that a launch consists of, flattened; terms stay whole."""
    if isinstance(value, Term | Span):
        yield value
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield type(value).__name__
        for f in dataclasses.fields(value):
            if f.compare:
                yield from _parts(getattr(value, f.name))
    elif isinstance(value, tuple):
        yield len(value)
        for v in value:
            yield from _parts(v)
    else:
        yield value


# ---------------------------------------------------------------- the condition of a group


def path_condition(
    paths: Sequence[Sequence[Decision]], asserts: frozenset[int], registry: Registry, hypotheses: Sequence[Term]
) -> tuple[Condition, ...]:
    """What holds on some of the paths: their common decisions, and the alternative of the rest where it says more.

    Conditions that terms cannot say are left out: the region becomes larger, never smaller. Where some of its points
    may not be on any path, it carries conditions of source `opaque`. Conditions over floats alone, which some floats meet
    whatever the integers are, become one boolean that is named as they are written.
    """
    session, hides = registry.session, registry.floats.hides
    sayable = [tuple(d for d in p if not hides(d.term)) for p in paths]
    terms = [{d.term for d in p} for p in sayable]
    common = set.intersection(*terms)
    out = [_condition(d, asserts) for d in sayable[0] if d.term in common]
    if not _exhaustive([t - common for t in terms], session, [*hypotheses, *common]):
        rest = T.or_(*(T.and_(*(d.term for d in p if d.term not in common)) for p in sayable))
        out.append(Condition(rest, "branch", str(rest)))
    return (*out, *_opaque(paths, registry, [*hypotheses, *(c.term for c in out)]))


def _opaque(paths: Sequence[Sequence[Decision]], registry: Registry, region: Sequence[Term]) -> Iterator[Condition]:
    """What is not followed, unless every point of the region is on a path."""
    floats, session = registry.floats, registry.session
    hidden = [[d for d in p if floats.hides(d.term)] for p in paths]
    if all(floats.exact([d.term for d in p], session) for p in hidden):
        text = " or ".join(dict.fromkeys(str(floats.shown(T.and_(*(d.term for d in p)))) for p in hidden))
        if all(hidden) and not _exhaustive([{d.term for d in p} for p in hidden], session, floats.facts):
            yield Condition(T.bvar(text), "branch", text, hidden[0][0].span)
        return
    on_some_path = T.or_(*(T.and_(*(d.term for d in p)) for p in paths))
    if session.implied([*region, *floats.facts], on_some_path) is True:
        return
    for d in dict.fromkeys(d for p in hidden for d in p):
        yield Condition(T.TRUE, "opaque", f"condition over floats or data at line {d.span.line}", d.span)


def _exhaustive(rests: list[set[Term]], session: Session, hypotheses: Sequence[Term]) -> bool:
    return session.implied(hypotheses, T.or_(*(T.and_(*r) for r in rests))) is True


def _condition(d: Decision, asserts: frozenset[int]) -> Condition:
    source = "assert" if d.span.line in asserts else "check" if d.kind in ("check", "division") else "branch"
    return Condition(d.term, source, str(d.term), d.span)


def with_path(record: Record, path: tuple[Condition, ...]) -> Record:
    """The record under the condition of its group."""
    return replace(record, path=path)
