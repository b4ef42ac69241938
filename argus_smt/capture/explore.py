"""All paths of a launcher: depth first over scripts of decisions, until the preconditions are covered or a limit is met."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from argus_smt.capture.deadline import Deadline
from argus_smt.capture.run import Outcome
from argus_smt.capture.world import Registry
from argus_smt.smt import term as T
from argus_smt.smt.term import Term

MAX_PATHS = 64
COVERAGE_RLIMIT = 4_000_000


@dataclass(frozen=True, slots=True)
class Exploration:
    """The outcomes found. `covered`: whether they provably exhaust the preconditions."""

    outcomes: tuple[Outcome, ...]
    covered: bool
    rest: Term
    reason: str = ""


def explore(
    run: Callable[[tuple[bool, ...]], Outcome], registry: Registry, deadline: Deadline, limit: int = MAX_PATHS
) -> Exploration:
    """Run along every script; `rest` is the region that no path was found for (FALSE if none)."""
    outcomes: list[Outcome] = []
    pending: list[tuple[tuple[bool, ...], tuple[str, ...]]] = [((), ())]
    reason = ""
    while pending:
        script, expected = pending.pop()
        if len(outcomes) >= limit:
            reason = f"more than {limit} paths through the launcher"
            break
        if outcomes and deadline.over:
            reason = deadline.reason
            break
        outcome = run(script)
        prefix = tuple(str(d.term) for d in outcome.decisions[: len(expected)])
        if prefix != expected:
            reason = "the launcher does not behave the same way twice"
            break
        outcomes.append(outcome)
        for i in range(len(script), len(outcome.answers)):
            flipped = (*outcome.answers[:i], not outcome.answers[i])
            taken = [*outcome.decisions[:i]]
            texts = (*(str(d.term) for d in taken), str(T.not_(outcome.decisions[i].term)))
            pending.append((flipped, texts))
    rest = T.and_(*(T.not_(o.condition) for o in outcomes))
    hypotheses = [*registry.domain.hypotheses, *all_facts(registry)]
    covered = registry.session.implied([*hypotheses, rest], T.FALSE, COVERAGE_RLIMIT) is True
    return Exploration(tuple(outcomes), covered, T.FALSE if covered else rest, reason)


def all_facts(registry: Registry) -> list[Term]:
    """Defining facts of all summaries and what host arithmetic relies on."""
    return [*(c.term for cs in registry.facts.values() for c in cs), *registry.assumed, *registry.floats.facts]
