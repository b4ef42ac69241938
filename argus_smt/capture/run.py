"""One run of a launcher along one script of decisions, and what came of it."""

from __future__ import annotations

import contextlib
import random
import re
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argus_smt.capture import absent, hosts, packages
from argus_smt.capture.arguments import arguments, call_with
from argus_smt.capture.contracts import contracts
from argus_smt.capture.failure import CaptureError, PathEnd
from argus_smt.capture.intercept import Recorder
from argus_smt.capture.keys import misses
from argus_smt.capture.ledger import Ledger
from argus_smt.capture.methods import found_in
from argus_smt.capture.module import Loader, describe, failing_span
from argus_smt.capture.oracle import Decision
from argus_smt.capture.record import Record
from argus_smt.capture.signature import Signature
from argus_smt.capture.state import State
from argus_smt.capture.watch import Watch, raised_by_statement
from argus_smt.capture.world import Registry, World
from argus_smt.ir.launch import Demand
from argus_smt.smt import term as T
from argus_smt.smt.term import Term
from argus_smt.source import NOWHERE, Span

_TORCH_NAME = re.compile(r"\b(?:u|zuf)\d+\b")
ALARM_S = 20
"""Wall-clock seconds that one run of the launcher may take."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """`kind`: launches | nothing | rejects | unknown | pin. `answers` is the whole script that the run followed."""

    kind: str
    decisions: tuple[Decision, ...]
    answers: tuple[bool, ...]
    records: tuple[Record, ...] = ()
    reason: str = ""
    span: Span = NOWHERE
    demands: tuple[Demand, ...] = ()

    @property
    def condition(self) -> Term:
        return T.and_(*(d.term for d in self.decisions))


Body = Callable[[World, Recorder, dict[str, Any]], None]


def run_once(loader: Loader, registry: Registry, script: tuple[bool, ...], body: Body) -> Outcome:
    """Load the module afresh, run `body` on its names under the oracle, and classify how it ended."""
    world = World(registry, script, loader.path)
    ledger = Ledger(world)
    recorder = Recorder(world, ledger, loader.path)
    watch = Watch(world.oracle)
    kind, reason, span = "launches", "", NOWHERE
    failure: BaseException | None = None
    state = random.getstate()
    try:
        with alarm(world), loader.importable(), hosts.machine(registry.tell):
            module = loader.load()
            before = State(loader.own())
            with hosts.symbolic(world), world.fake, ledger, recorder.listening(), watch.watching(), absent.launching():
                body(world, recorder, module.__dict__)
            for name in before.changed():
                registry.told.setdefault(f"the launcher is called on a freshly imported module: it leaves `{name}` changed")
    except PathEnd as end:
        kind, reason, span = end.kind, end.reason, end.span
    except CaptureError:
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        failure = error
        kind, reason, span = _failure(error, world, loader.path)
    if random.getstate() != state:
        world.oracle.dead = world.oracle.dead or PathEnd("the launcher depends on random numbers")
    for text in absent.State.told:
        registry.told.setdefault(text)
    for name in packages.unrun(Path(loader.path)):
        registry.told.setdefault(f"the `__init__` of the package `{name}`, which is not run, changes nothing outside of itself")
    use = absent.State.used
    dead = world.oracle.dead or (PathEnd(use.reason, use.span) if use is not None else None) or watch.verdict(failure)
    if dead is not None:
        kind, reason, span = dead.kind, dead.reason, dead.span
    elif kind == "rejects" and recorder.records:
        kind = "launches"  # what it launched before it raised counts
    if kind == "launches" and not recorder.records:
        kind = "nothing"
    ledger.settle(recorder.records)
    return Outcome(
        kind, tuple(world.oracle.decisions), tuple(world.oracle.answers), tuple(recorder.records), reason, span,
        tuple(ledger.demands) if recorder.records else (),
    )  # fmt: skip


def _failure(error: BaseException, world: World, path: str) -> tuple[str, str, Span]:
    """Whether an exception means that the launcher rejects its arguments, or that nothing is known."""
    span = failing_span(error, path)
    what = f"the launcher raises {_TORCH_NAME.sub(lambda m: world.user_name(m[0]), describe(error))}"
    refused = error is world.oracle.refused or world.oracle.follows_failed_check
    if refused or misses(error, world.oracle.missed) or raised_by_statement(error, error.__traceback__):
        return "rejects", what, span
    return "unknown", what, span


@contextlib.contextmanager
def alarm(world: World, seconds: int = ALARM_S) -> Iterator[None]:
    """End the path after `seconds`; user code may loop for ever on symbols."""

    def ring(*_: Any) -> None:
        world.oracle.stop(PathEnd(f"the launcher did not end within {seconds} s", world.oracle.asker()[0]))

    old = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, old)


# ---------------------------------------------------------------- bodies


def launcher_body(signature: Signature) -> Body:
    """Call the launcher with fake arguments; helpers with a contract return what it says."""

    def body(world: World, recorder: Recorder, names: dict[str, Any]) -> None:
        values = arguments(world, signature)
        recorder.ledger.adopt_inputs()
        with contracts(world, recorder.ledger, names):
            recorder.ledger.returned(call_with(found_in(names, signature.name), values))

    return body


def kernel_body(signature: Signature) -> Body:
    """Launch the kernel itself on the grid of its signature."""

    def body(world: World, recorder: Recorder, names: dict[str, Any]) -> None:
        values = arguments(world, signature)
        recorder.ledger.adopt_inputs()
        grid = tuple(map(world.integer, world.registry.domain.grid or ()))
        names[signature.name].run(grid=grid, warmup=False, **values)
        recorder.ledger.returned(None)

    return body
