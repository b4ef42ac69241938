"""From a file and a signature to the `Program` that the prover reads."""

from __future__ import annotations

import ast
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version

from argus_smt.capture.call import parse_signature
from argus_smt.capture.cases import CaseMaker, Cases
from argus_smt.capture.classes import questions
from argus_smt.capture.compiled import Compiler
from argus_smt.capture.computed import outdated
from argus_smt.capture.constants import Splitter
from argus_smt.capture.deadline import LIMIT_S, Deadline
from argus_smt.capture.domain import Domain, bounds, build_domain
from argus_smt.capture.effects import written_params
from argus_smt.capture.explore import Exploration, explore
from argus_smt.capture.merge import Group, merge, path_condition, with_path
from argus_smt.capture.module import Loader
from argus_smt.capture.oracle import Decision, forget_environments
from argus_smt.capture.record import Record, pointer_of
from argus_smt.capture.regions import Regions
from argus_smt.capture.run import Body, Outcome, kernel_body, launcher_body, run_once
from argus_smt.capture.signature import Signature
from argus_smt.capture.trial import try_contracts
from argus_smt.capture.verdict import check_compiled, check_domain, check_outcomes
from argus_smt.capture.world import Registry
from argus_smt.ir.launch import Condition, Demand, Launch, NotCovered, Program, Storage, Symbol
from argus_smt.smt import term as T
from argus_smt.smt.ask import Session
from argus_smt.smt.term import Term
from argus_smt.source import Span


def capture(loader: Loader, text: str, kernel: bool = False, wide: bool = False, limit_s: float = LIMIT_S) -> Program:
    """All that the launcher (or kernel) of the signature `text` does; `wide` with cases for 64-bit arguments.

    After `limit_s` seconds the rest is left out.
    Raises SignatureError, and CaptureError where the launcher cannot be run as the signature says.
    """
    try:
        return _capture(loader, parse_signature(text), kernel, wide, limit_s)
    finally:
        forget_environments()


def _capture(loader: Loader, signature: Signature, kernel: bool, wide: bool, limit_s: float) -> Program:
    domain = build_domain(signature)
    registry = Registry(Session(), domain)
    check_domain(domain, registry.session)
    domain = replace(domain, notes=(*domain.notes, *try_contracts(loader, domain)))
    deadline = Deadline(limit_s)
    body = kernel_body(signature) if kernel else launcher_body(signature)
    start = time.perf_counter()
    found = _explore(loader, registry, body, deadline)
    check_outcomes(found, signature, loader)
    launcher_s = time.perf_counter() - start
    program = _Assembly(loader, signature, domain, registry, found, launcher_s, wide, deadline).program()
    check_compiled(program)
    return program


def _explore(loader: Loader, registry: Registry, body: Body, deadline: Deadline) -> Exploration:
    def run(script: tuple[bool, ...]) -> Outcome:
        return run_once(loader, registry, script, body)

    return explore(run, registry, deadline)


class _Assembly:
    """Puts the parts of one program together."""

    def __init__(
        self,
        loader: Loader,
        signature: Signature,
        domain: Domain,
        registry: Registry,
        found: Exploration,
        seconds: float,
        wide: bool,
        deadline: Deadline,
    ) -> None:
        self.loader, self.signature, self.domain, self.registry = loader, signature, domain, registry
        self.found, self.launcher_s, self.wide = found, seconds, wide
        self.session = registry.session
        self.deadline = deadline
        self.compiler = Compiler()
        self.asserts = frozenset(
            line
            for n in ast.walk(ast.parse(loader.text))
            if isinstance(n, ast.Assert)
            for line in range(n.lineno, (n.end_lineno or n.lineno) + 1)
        )

    def program(self) -> Program:
        preconditions = self._preconditions()
        hypotheses = [*bounds(self._symbols()), *(c.term for c in preconditions)]
        self.paths = Regions([o.decisions for o in self.found.outcomes], self.session, hypotheses)
        not_covered = self._regions()
        launches: list[Launch] = []
        demands: list[Demand] = []
        for number, group in enumerate(merge(self.found.outcomes, self.session, hypotheses)):
            made, ends = self._launches(group, number, hypotheses, not_covered)
            launches += made
            demands += (replace(d, group=number, after=ends[d.after]) for d in group.demands)
        return Program(
            self.loader.path, self.signature.name, self.signature.text, self._symbols(), preconditions,
            tuple(launches), tuple(not_covered), (*self.domain.notes, *self.registry.told), _versions(),
            (("launcher", self.launcher_s), ("compile", self.compiler.seconds)),
            self.registry.floats.shown(
                T.or_(*(o.condition for o in self.found.outcomes if o.kind in ("launches", "nothing")))
            ),
            self.domain.defined, tuple(Counter(o.kind for o in self.found.outcomes).items()), self.found.covered, tuple(demands),
        )  # fmt: skip

    def _symbols(self) -> tuple[Symbol, ...]:
        return (*self.domain.symbols, *self.registry.symbols.values())

    def _preconditions(self) -> tuple[Condition, ...]:
        """Those of the call that say more than the bounds of the symbols, and what summaries and the host rely on."""
        known = bounds(self.domain.symbols)
        stated = [
            c for c in self.domain.preconditions
            if c.source == "call" or self.session.implied(known, c.term) is not True
        ]  # fmt: skip
        facts = [c for cs in self.registry.facts.values() for c in cs]
        return (*stated, *facts, *(Condition(t, "default", text) for t, text in self.registry.assumed.items()))

    def _regions(self) -> list[NotCovered]:
        """Regions of the paths that do not launch, and what no path was found for; those of one reason together."""
        out: list[NotCovered] = []
        shown = self.registry.floats.shown
        for what, span in questions(self.loader.path, self.loader.text):
            reason = f"{what} asks for the class of a value, and symbolic sizes answer for themselves"
            out.append(NotCovered(T.TRUE, reason, span))
        groups: dict[tuple[bool, str, Span], list[tuple[Decision, ...]]] = {}
        for o in self.found.outcomes:
            if o.kind in ("rejects", "unknown", "pin"):
                groups.setdefault((o.kind == "rejects", o.reason, o.span), []).append(o.decisions)
        for (rejected, reason, span), paths in groups.items():
            where = T.or_(*(T.and_(*(d.term for d in p)) for p in self._describe(paths)))
            out.append(NotCovered(shown(where), reason, span, rejected))
        if not self.found.covered:
            reason = self.found.reason or "no path through the launcher was found for it"
            out.append(NotCovered(shown(self.found.rest), reason))
        return out

    def _describe(self, paths: Sequence[tuple[Decision, ...]]) -> Sequence[tuple[Decision, ...]]:
        """Short conditions that hold where the paths are taken; nothing is left out unless all paths are known."""
        return self.paths.describe(paths) if self.found.covered else paths

    def _launches(
        self, group: Group, number: int, hypotheses: Sequence[Term], not_covered: list[NotCovered]
    ) -> tuple[list[Launch], list[int]]:
        """The launches of a path, and how many of them there are after each of its records."""
        path = path_condition(self._describe(group.paths), self.asserts, self.registry, hypotheses)
        maker = CaseMaker(self.session, self.compiler, Splitter(self.session, self.registry.facts), self.wide, self.deadline)
        written: dict[int, int] = {}
        pending: list[tuple[Record, Cases]] = []  # alternatives of one tuned launch do not see each other's writes
        twins: list[Record] = []
        alike: Counter[int] = Counter()
        out: list[Launch] = []
        ends = [0]
        for record in group.records:
            ends.append(len(out))
            if pending and not _alternative(record, [*twins, *(r for r, _ in pending)]):
                for earlier, made in pending:
                    _note_writes(earlier, made, written)
                pending, twins = [], []
            twin = next((k for k, (earlier, _) in enumerate(pending) if self.compiler.alike(record, earlier)), None)
            if twin is not None:
                alike[len(out) - len(pending) + twin] += 1
                twins.append(record)
                continue
            cases = maker.cases(with_path(record, path), hypotheses)
            not_covered += cases.left_out
            storages = tuple(_after(s, written) for s in record.storages)
            out.append(
                Launch(
                    record.kernel, record.kernel_span, record.span, path, record.grid, storages,
                    tuple(cases.cases), tuple(cases.refusals), record.config, record.arg_spans,
                    tuple(cases.limits), record.tuning, number,
                )
            )  # fmt: skip
            pending.append((record, cases))
            ends[-1] = len(out)
        return [replace(made, config=made.config + _and_more(alike[k])) for k, made in enumerate(out)], ends


def _and_more(n: int) -> str:
    """How many configurations a launch stands for that only differ in what has no part in its meaning."""
    return f" (and {n} that differ in options of the compiler alone)" if n else ""


def _alternative(record: Record, earlier: list[Record]) -> bool:
    """Whether a launch is another configuration of the tuned launch before it."""
    last = earlier[-1]
    same = record.config and (record.kernel, record.span) == (last.kernel, last.span)
    return bool(same) and all(record.config != r.config for r in earlier)


def _note_writes(record: Record, cases: Cases, written: dict[int, int]) -> None:
    """Remember which storages the launch may have changed, and how often the host had written into each by then."""
    rewritten = {s.ident: s.rewritten for s in record.storages}
    params: set[str] = set()
    for case in cases.cases:
        params |= written_params(case.kernel)
    for name, a in record.arguments:
        pointer = pointer_of(a)
        if pointer is not None and (name in params or not cases.cases):
            written[pointer.arg.storage] = rewritten[pointer.arg.storage]


def _after(s: Storage, written: Mapping[int, int]) -> Storage:
    """The storage as launches before this one, which wrote some storages, may have left it.

    What the host has written since then stands: all of it, or an unknown part.
    """
    if written.get(s.ident) == s.rewritten:
        return replace(s, contents="kernel", facts=None, members=None)
    for ident in written:
        s = outdated(s, ident)
    return s


def _versions() -> tuple[tuple[str, str], ...]:
    return tuple((name, version(name)) for name in ("torch", "triton"))
