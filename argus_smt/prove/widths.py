"""Verdicts on integer width (AR303): proved outright, proved up to a limit, or refuted by a replayed wrap."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from argus_smt.absint.members import addressable
from argus_smt.interp.events import Event
from argus_smt.ir.ops import Broadcast, ExpandDims, Op, Reshape, Splat, Trans
from argus_smt.ir.walk import operands, results, walk
from argus_smt.obligations.obligation import Obligation
from argus_smt.obligations.overflow import Overflow
from argus_smt.obligations.overflow import of as overflows
from argus_smt.prove import replay
from argus_smt.prove.confirm import ledger, rerun
from argus_smt.prove.context import Context
from argus_smt.prove.discharge import guesses
from argus_smt.prove.finding import Finding, Related, Severity, Verdict
from argus_smt.prove.limits import Limit, find, is_local, prune
from argus_smt.prove.source import lines_of
from argus_smt.prove.witness import Search
from argus_smt.prove.wording import help_text, message, operation, source_text
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.model import Model
from argus_smt.smt.term import Term

SECONDS = 10.0
"""Processor time after which the search for wraps of one case is given up; each costs several models."""


@dataclass(frozen=True, slots=True)
class Widths:
    """Findings, and the limits under which every other proof of the case holds."""

    findings: tuple[Finding, ...]
    limits: tuple[str, ...]


def wrap_findings(context: Context, mode: str) -> Widths:
    """Decide all duties of width; `mode` is `warn` (limits) or `error` (a wrap that matters is refuted)."""
    findings: list[Finding] = []
    limits: list[Limit] = []
    until = time.process_time() + SECONDS
    storages = {s.ident: s for s in context.dom.launch.storages}
    targets = [t for a in context.facts.accesses for t in a.pointer.targets]
    behind = addressable(context.dom.case.args, storages, targets)
    for item in overflows(context.facts):
        started = time.monotonic()
        if item.wrap.bits == 64:
            item = _in_address_space(item, context, behind)
        made, limit = _one(context, item, mode, until)
        limits += [limit] if limit is not None else []
        spent = time.monotonic() - started
        findings += [replace(f, time_s=spent if i == 0 else 0.0) for i, f in enumerate(made)]
    if mode == "warn" and not _leaves_launch(context, limits):
        return wrap_findings(context, "error")
    kept = prune(limits, context.dom.facts, context.prover)
    return Widths(tuple(findings), tuple(x.text for x in kept))


def _leaves_launch(context: Context, limits: Sequence[Limit]) -> bool:
    """Whether some launch of the case stays within all limits: else they are no limits but faults."""
    facts = (*context.dom.facts, *(x.term for x in limits if x.term is not None))
    bounds = context.prover.facts.bounds
    if not limits or any(m.satisfies(facts) for m in guesses(facts, bounds)):
        return True
    return context.prover.solver.unsat(facts, bounds).status == "sat"


def _in_address_space(item: Overflow, context: Context, behind: Sequence[tuple[tuple[Term, ...], Term]]) -> Overflow:
    """The duties of a 64-bit result, which may lean on every tensor being smaller than the address space.

    `behind`: what that says of tensors that tables point to, each under premises.
    """

    def known(duty: Obligation) -> Obligation:
        held, bounds = set(duty.reach.hypotheses), context.prover.bounds(duty.reach)
        facts = list(context.dom.extents)
        for premises, fact in behind:
            facts.append(T.implies(T.and_(*(p for p in premises if p not in held and bounds.truth(p) is not True)), fact))
        return replace(duty, reach=replace(duty.reach, where=(*duty.reach.where, *facts)))

    return replace(item, at_operation=known(item.at_operation), at_uses=tuple(known(u) for u in item.at_uses))


def _one(context: Context, item: Overflow, mode: str, until: float) -> tuple[list[Finding], Limit | None]:
    own = item.at_operation
    base = Finding(
        "AR303", Verdict.PROVED, Severity.ERROR if mode == "error" or item.wrap.bits < 32 else Severity.WARNING,
        own.op.span, message(own, failing=False), site=own.site,
    )  # fmt: skip
    if not context.prover.fails_at_extremes(own):
        decision = context.prover.decide(own, nonlinear=False)
        if decision.status == "proved":
            return [replace(base, method=decision.method)], None
    if mode == "warn" and not is_local(item.wrap.term):
        open_uses = [own]
    else:
        open_uses = [u for u in item.at_uses if not _holds(context, u)]
    if not open_uses:
        return [replace(base, method="solver")], None
    text = source_text(lines_of(own.op.span.file), own.op.span) or operation(own.op)
    limit = find(item, open_uses, context.prover, text)
    if mode == "warn" and item.wrap.bits >= 32 and (limit.term is not None or _wraps_nowhere(context, open_uses)):
        words = f"`{text}` does not wrap while {limit.text}"
        return [replace(base, method="solver", message=words, limit=limit.text)], limit
    if item.wrap.bits == 64 and all(context.prover.decide(u).status == "proved" for u in open_uses):
        return [replace(base, method="solver")], None  # products of sizes and strides: not linear, yet mostly decided at once
    return _refuted(context, item, open_uses, replace(base, severity=Severity.ERROR), limit, until), None


def _wraps_nowhere(context: Context, uses: Sequence[Obligation]) -> bool:
    """Whether in some launch, with sizes of a few guesses, no live lane wraps: a limit on lanes must leave a launch."""
    facts = context.dom.facts
    launches = [g for g in guesses(facts, context.prover.facts.bounds) if g.satisfies(facts)]
    if not launches:
        found = context.prover.solver.unsat(facts, context.prover.facts.bounds).model
        launches = [found] if found is not None else []
    for guess in launches:
        sizes = {T.var(n): T.const(v) for n, v in guess.variables.items() if not n.startswith("$")}
        if all(_fits_at(context, use, sizes) for use in uses):
            return True
    return False


def _fits_at(context: Context, use: Obligation, sizes: Mapping[Term, Term]) -> bool:
    prover = context.prover
    memo: dict[Term, Term] = {}
    hyps = [T.substitute(h, sizes, memo) for h in prover.hypotheses(use.reach, guards=True, goal=use.goal)]
    base = prover.bounds(use.reach)
    bounds = Bounds({k: v for k, v in base.env.items() if k not in sizes}, base.functions)
    bounds.learn(hyps)
    goal = T.substitute(use.goal, sizes, memo)
    return goal is T.TRUE or prover.refute(hyps, goal, bounds, nonlinear=False).status == "unsat"


def _holds(context: Context, use: Obligation) -> bool:
    if context.prover.fails_at_extremes(use):
        return False
    return context.prover.decide(use, nonlinear=False).status == "proved"


def _refuted(
    context: Context, item: Overflow, uses: list[Obligation], base: Finding, limit: Limit, until: float
) -> list[Finding]:
    """A replayed wrap that a live lane depends on, with the accesses that go wrong by it; else unknown."""
    reason = "no wrap was found within the solver's limits"
    for use in uses:
        if time.process_time() > until:
            reason = "no wrap was found in the time that the search for wraps is given"
            break
        for model in _models(context, item, use):
            run, astray = rerun(context, model)
            event = replay.event_of(run, "AR303", use.op)
            if event is None or not replay.wrap_matters(run, use.op):
                reason = run.reason or "no address, mask or branch depends on a wrap when it is replayed"
                continue
            approximations, unreal = ledger(context, (*use.reach.hypotheses, use.goal))
            unreal = unreal or (astray if approximations else ())
            if unreal:
                return [replace(base, verdict=Verdict.UNKNOWN, reason_code="AR904",
                                reason="; ".join(unreal), approximations=approximations)]  # fmt: skip
            if _read_unsigned(context, use.op):
                return [replace(base, verdict=Verdict.UNKNOWN, reason_code="AR901",
                                reason="the result is read as an unsigned number, whose range is another")]  # fmt: skip
            seen = replay.counterexample(context.program, context.dom, run, model, event)
            found = replace(
                base, verdict=Verdict.REFUTED, method="solver", message=message(use, failing=True),
                counterexample=seen, help=help_text(use, False), limit=limit.text,
            )  # fmt: skip
            return [found, *_consequences(context, run, model, item)]
    return [replace(base, verdict=Verdict.UNKNOWN, reason=reason, reason_code="AR903")]


def _models(context: Context, item: Overflow, use: Obligation) -> list[Model]:
    """Small models of a wrap; first those that land on the negative side, where an address shows it."""
    prover = context.prover
    bounds = prover.bounds(use.reach)
    hyps = (*prover.hypotheses(use.reach, guards=True, goal=use.goal), *context.dom.replayable)
    out = []
    half = 1 << (item.wrap.bits - 1)
    wrapped = T.not_(use.goal)
    assert use.offset is not None
    first = [T.and_(wrapped, T.ge(use.offset, half), T.lt(use.offset, 2 * half))]
    for negated in (*first, wrapped):
        model, _ = Search(prover.solver, (*hyps, *T.conjuncts(negated)), bounds).smallest(None)
        if model is not None:
            out.append(model)
            break
    return out


def _consequences(context: Context, run: replay.Replay, model: Model, item: Overflow) -> list[Finding]:
    """Accesses that leave their tensor in the same run because of the wrap."""
    assert run.trace is not None
    out: dict[str, Finding] = {}
    for event in run.trace.events:
        code = {"oob_read": "AR301", "oob_write": "AR302"}.get(event.kind)
        if code is None or event.source is None:
            continue
        site = _site(context, event)
        if site is None or site in out:
            continue
        seen = replay.counterexample(context.program, context.dom, run, model, event)
        names = {s.ident: s.name for s in context.dom.launch.storages}
        name = names.get(event.storage, "the tensor") if event.storage is not None else "the tensor"
        verb = "reads" if code == "AR301" else "writes"
        out[site] = Finding(
            code, Verdict.REFUTED, Severity.ERROR, event.span, f"access {verb} outside of `{name}` after a wrap",
            method="solver", site=site, counterexample=seen,
            related=(Related(item.wrap.op.span, f"this {item.wrap.bits}-bit result wraps"),),
            help="convert one operand to int64 before the operation: `x.to(tl.int64)`",
        )  # fmt: skip
    return list(out.values())


def _site(context: Context, event: Event) -> str | None:
    for access in context.facts.accesses:
        if access.op is event.op:
            return access.site
    return None


_UNSIGNED = ("zext", "uitofp", "udiv", "urem", "mulhi_u", "lshr", "umin", "umax", "ult", "ule", "ugt", "uge")


def _read_unsigned(context: Context, op: Op) -> bool:
    """Whether an operation reads the result of `op` as an unsigned number: then a signed wrap need not be one."""
    mine = set(results(op))
    for user in walk(context.dom.case.kernel.body):
        if not mine.intersection(operands(user)):
            continue
        name = getattr(user, "kind", None) or getattr(user, "fn", None) or getattr(user, "pred", "")
        if name in _UNSIGNED:
            return True
        if isinstance(user, Splat | Broadcast | ExpandDims | Reshape | Trans):
            mine |= set(results(user))
    return False
