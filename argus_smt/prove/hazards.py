"""AR404: inside a program, no two threads touch one element without a barrier between them.

Triton says nothing of which thread holds which lane of a tile, and puts no barrier between accesses to global memory. What is
assumed: accesses of equally shaped tiles of elements of one size give each lane to the same thread; a single element is stored
by one thread and loaded by all, and a program's threads have loaded it before it is stored next. So two accesses are in order
if a barrier stands between them in every run, or if lanes that meet have equal coordinates.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from argus_smt.absint.values import COORDS
from argus_smt.encodings.instances import Other
from argus_smt.encodings.sizes import NamedSizes
from argus_smt.ir.ops import Load, Op
from argus_smt.ir.place import Places
from argus_smt.obligations.pairs import Pair, inside_programs
from argus_smt.obligations.pairs import apart as uncompared
from argus_smt.prove.context import Context
from argus_smt.prove.finding import Finding, Severity, Verdict
from argus_smt.prove.meeting import meeting, sizes_of
from argus_smt.prove.races import twins_of
from argus_smt.smt import term as T
from argus_smt.smt.term import Term

ASSUMED = "accesses of equally shaped tiles of one element size give each lane to the same thread"


def hazard_findings(context: Context) -> Iterator[Finding]:
    """One finding a pair of accesses of one program that some threads may make in either order."""
    places, sizes = Places(context.dom.case.kernel), sizes_of(context)
    for pair in inside_programs(context.facts, context.dom.case.args, context.dom.launch.storages):
        started = time.monotonic()
        found = _decide(context, pair, places, sizes)
        if found is not None:
            yield replace(found, time_s=time.monotonic() - started)
    for access, reason in uncompared(context.facts):
        yield Finding(
            "AR404", Verdict.UNKNOWN, Severity.ERROR, access.op.span, f"cannot be analysed: {reason}",
            site=access.site, reason=reason, reason_code="AR901",
        )  # fmt: skip


def _decide(context: Context, pair: Pair, places: Places, sizes: NamedSizes) -> Finding | None:
    """None where the two never run in one program."""
    a, b = pair.first.access.op, pair.second.access.op
    looped = places.in_one_loop(a, b)
    if not looped and places.fork(a, b) is None:
        return None
    holding = f"threads of a program that touch one element of `{pair.subject}` do so in order"
    base = Finding("AR404", Verdict.PROVED, Severity.ERROR, b.span, holding, method="barrier", site=pair.site)
    apart = _apart(places, a, b)
    later = places.barrier_around(a, b) and places.barrier_around(b, a)
    if apart and (later or not looped):
        return base
    context.assumed[ASSUMED] = None
    single = not (pair.first.access.shape or pair.second.access.shape)
    if single and pair.first.access.nbytes == pair.second.access.nbytes and not _read_back(places, a, b):
        return replace(base, method="thread")
    reason = _threads_meet(context, pair, sizes, _common(pair) if later else ())
    if not reason:
        return replace(base, method="solver")
    failing = f"threads of a program touch one element of `{pair.subject}` with no barrier between"
    return replace(base, verdict=Verdict.UNKNOWN, message=failing, method="", reason=reason, reason_code="AR901")


def _apart(places: Places, a: Op, b: Op) -> bool:
    """Whether the two are kept apart within a trip: by a barrier, or since they stand in different branches, or are one."""
    if a is b or places.fork(a, b) is None:
        return True
    first, second = (a, b) if places.precedes(a, b) else (b, a)
    return places.barrier_between(first, second)


def _read_back(places: Places, a: Op, b: Op) -> bool:
    """Whether of two accesses of a single element a load may come after a store with no barrier between."""
    if isinstance(a, Load) == isinstance(b, Load):
        return False
    load, store = (a, b) if isinstance(a, Load) else (b, a)
    if places.in_one_loop(load, store) and not places.barrier_around(store, load):
        return True
    return places.precedes(store, load) and not places.barrier_between(store, load)


def _common(pair: Pair) -> tuple[Term, ...]:
    """Trip numbers of the loops around both."""
    theirs = pair.second.access.scope.counters
    return tuple(c for c in pair.first.access.scope.counters if c in theirs)


def _threads_meet(context: Context, pair: Pair, sizes: NamedSizes, kept: Sequence[Term]) -> str:
    """Why lanes of two threads may meet; empty if they cannot. Trips `kept` are the same for both."""
    a, b = pair.first.access, pair.second.access
    moving = [c for s in (a, b) for c in s.scope.counters if c not in kept]
    other = _OtherTrip(moving)
    twins = twins_of(context, pair, meeting(context, pair, sizes), other, sizes)
    if not a.shape or a.shape != b.shape or a.nbytes != b.nbytes:
        apart = twins.contradictory or context.prover.refute(twins.facts, T.FALSE, twins.bounds).status == "unsat"
        there = f"line {a.op.span.line}"
        return "" if apart else f"another thread than that of {there} may touch the element, with no barrier between"
    lanes = COORDS[: len(a.shape)]
    left = [d for d, n in enumerate(a.shape) if n > 1 and not twins.equal(lanes[d], other(lanes[d]))]
    left = [d for d in left if not twins.nonlinear(lanes[d], other(lanes[d]))]
    if not left:
        return ""
    what = "reads" if isinstance(b.op, Load) else "writes"
    there = f"line {a.op.span.line}"
    return f"another lane than that of {there} {what} the element, with no barrier between (axis {', '.join(map(str, left))})"


class _OtherTrip(Other):
    """Primes tile coordinates and trip numbers: two executions inside one program."""

    def __init__(self, counters: Sequence[Term]) -> None:
        super().__init__()
        self._mapping = {v: T.var(f"{v.data}'") for v in (*COORDS, *counters)}

    def __call__(self, t: Term) -> Term:
        return T.substitute(t, self._mapping, self._memo)
