"""AR406: what a lock, flag or counter hands over is complete when it is handed over, and no signal is lost.

A pair of accesses that only atomics can order is *meant* to be ordered if an idiom would order it, were its atomics
to release and acquire at the scope of the device with all threads at a barrier before. If it is meant to be and is not,
the hand-over is at fault. A signal is lost where a cell that a program polls may be changed, by another one, to a value for
which it polls on; locks and turns, whose cells change hands, are made for that.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from argus_smt.absint.facts import Wait
from argus_smt.absint.uniform import uniform_axes
from argus_smt.encodings.instances import Other
from argus_smt.obligations.pairs import Pair, between_programs
from argus_smt.prove.cells import ACQUIRES, RELEASES, CellOp, Cells
from argus_smt.prove.context import Context
from argus_smt.prove.finding import Finding, Severity, Verdict
from argus_smt.prove.handover import Orders
from argus_smt.prove.meeting import meeting, sizes_of
from argus_smt.prove.races import programs_meet, twins_of
from argus_smt.prove.same_value import SameValue
from argus_smt.smt import term as T
from argus_smt.smt.term import Term


def handover_findings(context: Context) -> Iterator[Finding]:
    """One finding a pair of accesses that atomics are meant to order, and one a storage that programs poll."""
    strict = Orders(context, sizes_of(context))
    used = [c for c in strict.cells if c.writers and any(strict.places.meets(o.access.op) for o in c.ops)]
    if not used:
        yield from _not_followed(strict.cells)
        return
    yield from _handed_over(context, strict)
    yield from _not_followed(strict.cells)
    for cells in used:
        if not cells.problem:
            started = time.monotonic()
            yield replace(_kept(context, strict, cells), time_s=time.monotonic() - started)


def _handed_over(context: Context, strict: Orders) -> Iterator[Finding]:
    args, kernel = context.dom.case.args, context.dom.case.kernel
    same = SameValue(kernel, context.facts, args, uniform_axes(kernel))
    lenient = Orders(context, strict.sizes, lenient=True)
    for pair in between_programs(context.facts, args, context.dom.launch.storages):
        if pair.ordered:
            continue
        started = time.monotonic()
        met = meeting(context, pair, strict.sizes)
        if not programs_meet(context, pair, twins_of(context, pair, met, Other(), strict.sizes), same):
            continue
        idiom = strict.why(pair, twins_of(context, pair, met, Other(), strict.sizes))
        meant = idiom or lenient.why(pair, twins_of(context, pair, met, Other(), strict.sizes))
        if meant and idiom != "ticket":
            yield replace(_of_pair(strict, pair, meant, bool(idiom)), time_s=time.monotonic() - started)


def _of_pair(strict: Orders, pair: Pair, idiom: str, holds: bool) -> Finding:
    span = pair.first.access.op.span
    base = Finding(
        "AR406", Verdict.PROVED, Severity.ERROR, span, f"`{pair.subject}` is handed over complete", method=idiom, site=pair.site
    )
    if holds:
        return base
    at, reason = _missing(strict, pair)
    site = pair.site if at is None or at.access.site in pair.site.split(" | ") else f"{pair.site} | {at.access.site}"
    return replace(
        base, verdict=Verdict.UNKNOWN, span=at.access.op.span if at is not None else span, method="", site=site,
        message=f"`{pair.subject}` may be handed over before all threads are done with it", reason=reason, reason_code="AR901",
    )  # fmt: skip


def _missing(strict: Orders, pair: Pair) -> tuple[CellOp | None, str]:
    """What keeps a hand-over that was meant from being one."""
    known = [c for c in strict.cells if not c.problem and c.writers]
    for cells in known:
        if cells.narrow is not None:
            return cells.narrow, f"the atomic on line {cells.narrow.line} has scope `cta`, which orders no other program"
    for cells in known:
        for op in cells.writers:
            if op.sem not in RELEASES:
                return op, f"the atomic on line {op.line} has sem `{op.sem}` and does not release"
        for op in cells.ops:
            if op.sem not in ACQUIRES and strict.places.meets(op.access.op):
                return op, f"the atomic on line {op.line} has sem `{op.sem}` and does not acquire"
    for cells in known:
        for op in cells.writers:
            for side in (pair.first, pair.second):
                if strict.places.precedes(side.access.op, op.access.op) and not strict.fenced(side.access, op):
                    return op, f"no barrier stands between line {side.access.op.span.line} and the release on line {op.line}"
    return None, "it does not follow that the atomics order the accesses"


def _not_followed(every: Sequence[Cells]) -> Iterator[Finding]:
    """Cells that programs wait for, of which nothing is known."""
    for cells in every:
        polled = [o for o in cells.ops if o.access.scope.counters]
        if cells.problem and polled:
            yield Finding(
                "AR406", Verdict.UNKNOWN, Severity.ERROR, polled[0].access.op.span,
                f"what `{cells.storage.name}` hands over is not followed",
                site=f"{polled[0].access.site} {cells.storage.name}", reason=cells.problem, reason_code="AR901",
            )  # fmt: skip


def _kept(context: Context, orders: Orders, cells: Cells) -> Finding:
    """Whether no change of a cell makes a program that polls it miss what it polls for."""
    name = cells.storage.name
    first = cells.writers[0].access
    base = Finding(
        "AR406", Verdict.PROVED, Severity.ERROR, first.op.span, f"no program misses a value of `{name}` that it waits for",
        method=orders.section_kind(cells) or "solver", site=f"{first.site} {name}",
    )  # fmt: skip
    if orders.section_kind(cells):
        return base
    for wait in context.facts.waits:
        for poll in cells.ops:
            old = poll.access.old
            if old is None or old not in wait.cond.apps:
                continue
            for change in cells.writers:
                if not (_goes_by(orders, wait, old, change) or orders.of_one_program(poll, change)):
                    reason = f"line {change.line} may change the cell while another program polls it on line {poll.line}"
                    return replace(
                        base, verdict=Verdict.UNKNOWN, span=change.access.op.span, method="",
                        message=f"a program may miss a value of `{name}` that it waits for", reason=reason, reason_code="AR901",
                    )  # fmt: skip
    return base


def _goes_by(orders: Orders, wait: Wait, old: Term, change: CellOp) -> bool:
    """Whether a change leaves no program polling on that would have stopped before."""
    value = change.value
    assert value is not None
    if change.effect == "add":
        later = T.substitute(wait.cond, {old: old + value})
        return orders.never_both(wait.scope, T.not_(wait.cond), later)
    if value.free or value.apps:
        return False
    return orders.never_both(wait.scope, T.TRUE, T.substitute(wait.cond, {old: value}))
