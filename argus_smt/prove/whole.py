"""Faults of order and coverage by execution: whole small calls are played, and what is seen is real by construction.

The refuting side of AR304, AR401 to AR404, AR406, AR411 and AR412. Nothing here ever proves anything.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from random import Random

from argus_smt.ir.ops import AtomicCAS, AtomicRMW, Op
from argus_smt.ir.walk import walk
from argus_smt.prove.context import Context, Fault
from argus_smt.prove.finding import Finding, Verdict
from argus_smt.prove.play import Player, polls, unplayable
from argus_smt.prove.seen import faults_of
from argus_smt.prove.sizes import Sizes, small_launches

SECONDS = 2.5
"""Time of all plays of one case, of the processor: a busy machine finds no less."""
MAX_PLAYS = 40
FIRST = 10
"""So many of the smallest launches, and half as many others, are played in every way before all others."""


def find(context: Context, code: str, *ops: Op, storage: int | None = None) -> Finding | None:
    """A refutation of one duty: of a code, at certain operations (in any order), or for a storage.

    For AR406 any of the operations concerned will do. None where no play shows it; that says nothing.
    """
    wanted = {id(op) for op in ops}
    for fault in faults(context, (code,)):
        mine = {id(op) for op in fault.ops}
        if (not ops or (wanted <= mine if code == "AR406" else wanted == mine)) and storage in (None, fault.storage):
            return fault.finding
    return None


def faults(context: Context, codes: Collection[str]) -> Iterator[Fault]:
    """What plays of the case show of some codes, each fault once; plays are made as needed, and kept."""
    if context.more_faults is None:
        context.more_faults = _played(context)
    done = 0
    while True:
        if done == len(context.faults):
            fresh = next(context.more_faults, None)
            if fresh is None:
                return
            context.faults.append(fresh)
        if context.faults[done].code in codes:
            yield context.faults[done]
        done += 1


def refuting(context: Context, findings: Iterable[Finding], codes: Collection[str]) -> Iterator[Finding]:
    """Findings of a proving side, with those that are unknown refuted where a play shows the fault.

    Plays are only made where something is unknown. What they show beyond the findings comes after them; where that is of
    a duty that was proved, Argus itself is at fault, and says so.
    """
    told: dict[tuple[str, frozenset[str]], Verdict] = {}
    if not findings:
        yield from (fault.finding for fault in faults(context, codes))
        return
    for found in findings:
        place = (found.code, _places(found))
        if found.verdict is Verdict.UNKNOWN and found.code in codes:
            seen = next((f for f in faults(context, (found.code,)) if _places(f.finding) == place[1]), None)
            found = found if seen is None else replace(seen.finding, site=found.site)
        told[place] = found.verdict
        yield found
    for fault in context.faults:
        place = (fault.code, _places(fault.finding))
        if fault.code in codes and told.get(place) is not Verdict.REFUTED:
            if told.get(place) is Verdict.PROVED:
                context.internal.append(f"{fault.finding.span}: {fault.code} was proved, but a run of the launch fails")
            told[place] = Verdict.REFUTED
            yield fault.finding


def stuck(context: Context) -> bool:
    """Whether programs wait for ever in all small calls that were played: what is proved of runs that end is then empty.

    Only asked of kernels with loops that wait for other programs.
    """
    if not polls(context.dom.case) or unplayable(context):
        return False
    player, waited = Player(context, time.process_time() + SECONDS), False
    for sizes, order, seed in _programme(context)[:FIRST]:
        play = player.play(sizes, order, seed)
        if play is None:
            continue
        if not play.scene.waits:
            return False
        waited = True
    return waited


def _places(finding: Finding) -> frozenset[str]:
    """The operations that a finding is about, by their names."""
    return frozenset(finding.site.split(" | "))


def _played(context: Context) -> Iterator[Fault]:
    """Plays of small calls, until the time is used up."""
    if unplayable(context):
        return
    player = Player(context, time.process_time() + SECONDS)
    known: set[tuple[str, tuple[int, ...], int]] = set()
    for sizes, order, seed in _programme(context)[:MAX_PLAYS]:
        started = time.process_time()
        if started > player.deadline:
            return
        play = player.play(sizes, order, seed)
        if play is None:
            continue
        for fault in faults_of(context, play):
            key = (fault.code, tuple(sorted(id(op) for op in fault.ops)), fault.storage)
            if key not in known:
                known.add(key)
                paused = time.process_time()
                yield fault
                player.deadline += time.process_time() - paused


def _programme(context: Context) -> list[tuple[Sizes, str, int]]:
    """What to play: some launches in every way in which they may differ, then the others."""
    sizes = small_launches(context, Random(1))
    atomics = any(isinstance(op, AtomicRMW | AtomicCAS) for op in walk(context.dom.case.kernel.body))
    contents = any(s.contents == "input" and s.facts is not None for s in context.dom.launch.storages)
    ways = [("forward", 1)]
    ways += [("reverse", 2), ("shuffled", 3)] if atomics else [("forward", 2), ("forward", 3)] if contents else []
    rest = sizes[FIRST:-1]
    Random(2).shuffle(rest)
    rest = [*sizes[FIRST:][-1:], *rest]  # what only shows on larger tensors is not left to the end
    some, more = rest[: FIRST // 2], rest[FIRST // 2 :]
    first = [(s, order, seed) for order, seed in ways for s in (*sizes[:FIRST], *some)]
    return first + [(s, ways[i % len(ways)][0], 4 + i) for i, s in enumerate(more)]
