"""AR401 and AR402: no two programs touch one byte while one writes it. AR403: no two lanes of a store, with different values."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from argus_smt.absint.uniform import uniform_axes
from argus_smt.absint.values import COORDS, PIDS
from argus_smt.encodings.instances import Other
from argus_smt.encodings.sizes import NamedSizes
from argus_smt.obligations.pairs import Pair, apart, between_lanes, between_programs
from argus_smt.prove.context import Context
from argus_smt.prove.finding import Finding, Severity, Verdict
from argus_smt.prove.handover import Orders
from argus_smt.prove.meeting import Meeting, meeting, reach_of, sizes_of
from argus_smt.prove.same_value import SameValue
from argus_smt.prove.twins import Twins
from argus_smt.smt import term as T
from argus_smt.smt.nested import nested_quotients
from argus_smt.smt.term import Term

WORDS = {
    "AR401": ("two programs write one element of `{}`", "no two programs write one element of `{}`"),
    "AR402": ("one program reads what another writes of `{}`", "no program reads what another writes of `{}`"),
    "AR403": ("two lanes write one element of `{}`", "no two lanes write different values to one element of `{}`"),
}  # fmt: skip


def race_findings(context: Context) -> Iterator[Finding]:
    """One finding a pair of accesses, one a store of several lanes, and one an access of which nothing is known."""
    storages, args = context.dom.launch.storages, context.dom.case.args
    kernel = context.dom.case.kernel
    same, sizes = SameValue(kernel, context.facts, args, uniform_axes(kernel)), sizes_of(context)
    orders = Orders(context, sizes)
    for pair in (*between_programs(context.facts, args, storages), *between_lanes(context.facts, args, storages)):
        started = time.monotonic()
        found = _decide(context, pair, sizes, same, orders)
        yield replace(found, time_s=time.monotonic() - started)
    yield from _lost(context)


def _decide(context: Context, pair: Pair, sizes: NamedSizes, same: SameValue, orders: Orders) -> Finding:
    failing, holding = (w.format(pair.subject) for w in WORDS[pair.code])
    span = pair.first.access.op.span
    base = Finding(pair.code, Verdict.UNKNOWN, Severity.ERROR, span, failing, method="solver", site=pair.site)
    if pair.ordered:
        return replace(
            base, verdict=Verdict.PROVED, message=f"accesses of several programs to `{pair.subject}` are atomic", method="atomic"
        )
    met = meeting(context, pair, sizes)
    other = _OtherLane() if pair.code == "AR403" else Other()
    twins = twins_of(context, pair, met, other, sizes)
    reason = (_lanes_meet if pair.code == "AR403" else programs_meet)(context, pair, twins, same)
    if reason and pair.code != "AR403":
        idiom = orders.why(pair, twins_of(context, pair, met, Other(), sizes))
        if idiom:
            ordered = f"programs that touch one element of `{pair.subject}` do so in order"
            base, holding, reason = replace(base, method=idiom), holding if idiom == "ticket" else ordered, ""
    if reason:
        return replace(base, reason=reason, reason_code="AR901")
    if met.assumed:
        context.assumed[met.assumed] = None
    return replace(base, verdict=Verdict.PROVED, message=holding)


def programs_meet(context: Context, pair: Pair, twins: Twins, same: SameValue) -> str:
    """Why two programs may touch one byte; empty if they cannot, or if both write the same there."""
    grid = context.dom.launch.grid
    bounds = context.facts.bounds
    axes = [(p, n) for p, n in zip(PIDS, grid, strict=True) if bounds.truth(T.le(n, 1)) is not True]
    if not axes:
        return ""
    other = twins.other
    open_axes = [p for p, _ in axes if not twins.equal(p, other(p))]
    open_axes = [p for p in open_axes if not twins.nonlinear(p, other(p))] if not twins.contradictory else []
    if not open_axes or same.holds(pair, twins):
        return ""
    return f"it does not follow that accesses that meet are of one program (axis {', '.join(str(p.data)[2:] for p in open_axes)})"


def _lanes_meet(context: Context, pair: Pair, twins: Twins, same: SameValue) -> str:
    """Why two lanes of one execution may write different values to one byte; empty if they cannot."""
    access = pair.first.access
    lanes = COORDS[: len(access.shape)]
    other = twins.other
    left = [d for d, n in enumerate(access.shape) if n > 1 and not twins.equal(lanes[d], other(lanes[d]))]
    left = [d for d in left if not twins.nonlinear(lanes[d], other(lanes[d]))]
    if same.along(access, set(left)) or same.holds(pair, twins):
        return ""
    return f"it does not follow that lanes that meet are one lane (axis {', '.join(map(str, left))})"


class _OtherLane(Other):
    """Primes nothing but the tile coordinates: two lanes of one execution."""

    def __call__(self, t: Term) -> Term:
        mapping = {c: T.var(f"{c.data}'") for c in COORDS}
        return T.substitute(t, mapping, self._memo)


def twins_of(context: Context, pair: Pair, met: Meeting, other: Other, sizes: NamedSizes) -> Twins:
    """All that is known of two instances that touch one byte."""
    prover = context.prover
    first, second = reach_of(pair.first), reach_of(pair.second)
    bounds = prover.bounds(first)
    other.bounds(prover.bounds(second), bounds)
    together = [T.eq(a, other(b)) for a, b in met.equal]
    for a, b, n, m in met.near:
        gap = other(b) - a
        together += [T.gt(gap, -m), T.lt(gap, n)]
    facts = [*prover.given(first, guards=True), *other.all(prover.given(second, guards=True))]
    facts += prover.loaded((*facts, *map(sizes.old, together)))
    facts = [*map(sizes.new, facts), *sizes.meaning, *together]
    flat = [p for f in facts for p in T.conjuncts(f)]
    flat += nested_quotients(flat)
    sizes.learn(bounds)
    bounds.learn(flat)
    return Twins(prover, other, list(dict.fromkeys(f for f in flat if f is not T.TRUE)), bounds)


def _lost(context: Context) -> Iterator[Finding]:
    """Accesses through addresses of which nothing is known may meet anything."""
    lost = [(x.kind, x.site, x.op, x.reason) for x in context.facts.lost if x.kind in ("write", "atomic", "read")]
    lost += [(a.kind, a.site, a.op, reason) for a, reason in apart(context.facts)]
    for kind, site, op, reason in lost:
        code = "AR402" if kind == "read" else "AR401"
        yield Finding(
            code, Verdict.UNKNOWN, Severity.ERROR, op.span, f"cannot be analysed: {reason}",
            site=site, reason=reason, reason_code="AR901",
        )  # fmt: skip
