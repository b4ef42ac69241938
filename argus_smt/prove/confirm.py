"""From a duty that was not proved to a finding: find a small model, replay it, and only then call it refuted."""

from __future__ import annotations

from dataclasses import replace

from argus_smt.absint.members import addressable
from argus_smt.interp.events import Access
from argus_smt.ir.launch import ScalarArg
from argus_smt.ir.ops import Op
from argus_smt.obligations.obligation import Obligation
from argus_smt.prove import execution, replay
from argus_smt.prove.context import Context
from argus_smt.prove.discharge import Decision
from argus_smt.prove.finding import Finding, Severity, Verdict
from argus_smt.prove.readings import objections, open_numbers
from argus_smt.prove.related import related
from argus_smt.prove.scene import followed
from argus_smt.prove.suggest import suggest
from argus_smt.prove.witness import Search
from argus_smt.prove.wording import help_text, message
from argus_smt.smt import term as T
from argus_smt.smt.model import Model
from argus_smt.smt.term import Term

TABLE_BITS = 40
"""Bits of the size of a tensor behind a table in a counterexample: many of them must find room."""


def confirm(context: Context, ob: Obligation, decision: Decision) -> Finding:
    """REFUTED with a replayed counterexample, or UNKNOWN with the reason."""
    base = Finding(ob.code, Verdict.UNKNOWN, Severity.ERROR, ob.op.span, message(ob, failing=True), method="solver", site=ob.site)
    prover = context.prover
    bounds = prover.bounds(ob.reach)
    hyps = prover.hypotheses(ob.reach, guards=True, goal=ob.goal)
    approximations, unreal = ledger(context, (*hyps, ob.goal))
    doubts = approximations
    reason = decision.reason
    if approximations and not unreal:  # models that lean on them seldom replay
        simple = executed(context, base, ob.op, ob)
        if simple is not None:
            return simple
    parts = sorted(T.conjuncts(ob.goal), key=lambda p: p.ident)
    for part, sizes in ((p, s) for s in ((), _replayable(context)) for p in parts):
        if sizes and "makes no launch" not in reason:
            break  # smaller tensors would make no difference
        facts = (*hyps, *sizes, T.not_(part))
        model, why = Search(prover.solver, facts, bounds, seconds=_patience(context, ob)).smallest(None)
        if model is None:
            reason = why if why != "unsat" else reason
            continue
        run, astray = rerun(context, model, ob)
        if run.trace is None and astray:
            doubts = tuple(dict.fromkeys((*doubts, *astray)))
        event = replay.event_of(run, ob.code, ob.op)
        if event is None:
            reason = run.reason or "the counterexample does not fail when it is replayed"
            if replay.too_long(run):
                reason = "the counterexample takes more steps than a replay is given"
            elif not doubts and not ob.lost:
                context.internal.append(f"{ob.op.span}: {ob.code}: {reason}")
            continue
        unreal = unreal or (astray if approximations else ())
        if unreal:
            return replace(base, reason_code="AR904", reason="; ".join(unreal), approximations=unreal)
        seen = replay.counterexample(context.program, context.dom, run, model, event)
        advice = "" if _known(context, ob) else suggest(context, ob)
        _REFUTED.add(_name(context, ob))
        return replace(
            base, verdict=Verdict.REFUTED, counterexample=seen, related=related(context, ob, model),
            help=help_text(ob, bool(ob.reach.where)), suggestion=advice,
        )  # fmt: skip
    found = executed(context, base, ob.op, ob)
    if found is None and ob.lost:
        return replace(base, message=f"cannot be analysed: {ob.lost}", reason=ob.lost, reason_code="AR901")
    return found or _undecided(base, reason, doubts)


def _replayable(context: Context) -> tuple[Term, ...]:
    """What a replay needs of the sizes, those of tensors behind tables among them."""
    storages = {s.ident: s for s in context.dom.launch.storages}
    targets = [t for a in context.facts.accesses for t in a.pointer.targets]
    behind = addressable(context.dom.case.args, storages, targets, bits=TABLE_BITS)
    return (*context.dom.replayable, *(T.implies(T.and_(*premises), fact) for premises, fact in behind))


def executed(context: Context, base: Finding, op: Op, ob: Obligation | None = None) -> Finding | None:
    """REFUTED if the operation fails in a small launch that is simply run."""
    hit = execution.find(context, base.code, op)
    if hit is None:
        return None
    seen = replay.counterexample(context.program, context.dom, hit.run, hit.model, hit.event)
    found = replace(base, verdict=Verdict.REFUTED, method="execution", counterexample=seen)
    if ob is None:
        return found
    return replace(found, related=related(context, ob, hit.model), help=help_text(ob, bool(ob.reach.where)))


_REFUTED: set[tuple[str, str, str, str]] = set()
"""Duties that this process has refuted in some case: in further cases a rougher counterexample will do."""


def _name(context: Context, ob: Obligation) -> tuple[str, str, str, str]:
    return context.program.file, context.program.call, ob.site, ob.code


def _known(context: Context, ob: Obligation) -> bool:
    return _name(context, ob) in _REFUTED


def _patience(context: Context, ob: Obligation) -> float:
    return 0.3 if _known(context, ob) else 4.0


def rerun(context: Context, model: Model, ob: Obligation | None = None) -> tuple[replay.Replay, tuple[str, ...]]:
    """The replay of a model, and what it touched of memory whose contents are not those of a real launch.

    There is no run where what happens in it, up to the fault of `ob`, depends on a number that is not followed; then that
    number is named instead.
    """
    touched: set[int] = set()

    def seen(access: Access) -> None:
        touched.add(access.storage)

    left_open = open_numbers(context)
    run = replay.run(context.dom, context.facts, model, seen, left_open=left_open)
    fault = replay.event_of(run, ob.code, ob.op) if ob is not None else None
    against = objections(context, model, run, fault, left_open) if left_open else ()
    if against:
        return replace(run, trace=None, reason="; ".join(against)), against
    storages = {s.ident: s for s in context.dom.launch.storages}
    numbers = tuple(
        f"the value of the float argument `{param}` is not followed"
        for param, arg in zip(context.dom.case.kernel.params, context.dom.case.args, strict=True)
        if isinstance(arg, ScalarArg) and arg.value is None and arg.number is None
    )
    return run, numbers + tuple(
        f"contents of `{s.name}` ({s.contents}) are not followed"
        for s in context.dom.launch.storages
        if s.ident in touched and not followed(s, storages)
    )


def unfollowed(context: Context, left_open: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Why no run of this case need be a run of the launcher: numbers and branches that were not followed.

    Numbers that replays leave open do not count.
    """
    launch, case = context.dom.launch, context.dom.case
    terms = [*launch.grid, *(c.term for c in (*launch.path, *case.condition))]
    for arg in case.args:
        if isinstance(arg, ScalarArg):
            terms += [arg.value] if arg.value is not None else []
        else:
            terms += [arg.offset, *arg.shape, *arg.strides]
    names = {v.data for t in terms for v in t.free}
    unfollowed_symbols = [s for s in context.program.symbols if s.kind == "unfollowed" and s.name in names - left_open]
    numbers = [f"{s.about or s.name} is not followed" for s in unfollowed_symbols]
    branches = [f"{c.text or 'a condition of the launcher'} is not followed" for c in launch.path if c.source == "opaque"]
    return (*numbers, *branches)


def ledger(context: Context, terms: tuple[Term, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Approximations that occur in `terms`: all of them, and those that no replay can vouch for."""
    names = {a.data for t in terms for a in t.apps}
    soft = tuple(sorted({context.facts.ledger[n] for n in names if n in context.facts.ledger}))
    hard = tuple(sorted({context.facts.unreal[n] for n in names if n in context.facts.unreal}))
    hard += unfollowed(context, open_numbers(context))
    return soft + hard, hard


def _undecided(base: Finding, reason: str, approximations: tuple[str, ...]) -> Finding:
    if approximations:
        return replace(
            base, reason_code="AR904", approximations=approximations,
            reason="not proved, and a counterexample would lean on: " + "; ".join(approximations),
        )  # fmt: skip
    code = "AR903" if "replay" in reason or "model" in reason else "AR902"
    return replace(base, reason_code=code, reason=reason or "neither proved nor refuted within the solver's limits")
