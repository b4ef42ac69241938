"""What the steps of a case share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from argus_smt.absint.facts import Facts
from argus_smt.ir.launch import Program
from argus_smt.ir.ops import Op
from argus_smt.prove.discharge import Prover
from argus_smt.prove.domain import Domain
from argus_smt.prove.finding import Finding
from argus_smt.prove.replay import Replay
from argus_smt.smt.model import Model


@dataclass(frozen=True, slots=True)
class Run:
    """A small launch that was executed."""

    model: Model
    replay: Replay


@dataclass(frozen=True, slots=True)
class Fault:
    """What a whole small call was seen to do wrong: `ops` are the operations concerned, `finding` says it.

    `ops` are the two accesses for AR401, AR402 and AR404; the store for AR403; the accesses and then the atomic that does not
    order them for AR406; the reading operation for AR304. For AR411 there are none, and for AR412 the two stores.
    """

    code: str
    ops: tuple[Op, ...]
    storage: int
    finding: Finding


@dataclass(slots=True)
class Context:
    """The case that is being proved; `internal` collects warnings about Argus itself."""

    program: Program
    dom: Domain
    facts: Facts
    prover: Prover
    index: int = 0
    """Which of the program's launches it is of."""
    internal: list[str] = field(default_factory=list)
    assumed: dict[str, None] = field(default_factory=dict)
    """What proofs took for granted beyond the case's conditions, in words."""
    runs: list[Run] | None = None
    """Small launches that were executed to find faults; None before anybody asked."""
    more_runs: Iterator[Run] = field(default_factory=lambda: iter(()))
    """Further ones, made as they are asked for."""
    faults: list[Fault] = field(default_factory=list)
    """What whole calls were seen to do wrong; `more_faults` go on playing, None before anybody asked."""
    more_faults: Iterator[Fault] | None = None
