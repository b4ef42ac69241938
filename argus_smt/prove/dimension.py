"""AR307: an index that stays inside the storage but leaves the row or column that it is for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from argus_smt.interp.events import Access
from argus_smt.ir.launch import extent_bytes, members_of
from argus_smt.ir.types import element
from argus_smt.obligations.obligation import Obligation
from argus_smt.prove import replay
from argus_smt.prove.context import Context
from argus_smt.prove.discharge import dimension_goals
from argus_smt.prove.finding import Counterexample, Finding, Severity, Verdict
from argus_smt.prove.related import related
from argus_smt.prove.scene import member_region
from argus_smt.prove.witness import Search
from argus_smt.prove.wording import message
from argus_smt.smt import term as T
from argus_smt.smt.model import Model
from argus_smt.smt.simplify import simplify


def dimension_finding(context: Context, ob: Obligation, access: Finding) -> Finding | None:
    """The note for an access that is in bounds; None where it has no dimensions of its own or is not in bounds."""
    dims = context.prover.dimensions(ob)
    used = [d for d in dims if d.index is not T.ZERO]
    if access.verdict is not Verdict.PROVED or len(used) < 2:
        return None
    duty = replace(ob, code="AR307", goal=T.and_(*dimension_goals(dims)))
    base = Finding(
        "AR307", Verdict.PROVED, Severity.NOTE, ob.op.span, message(duty, failing=False), method=access.method, site=ob.site
    )
    if access.unreachable:
        return replace(base, unreachable=True)
    decision = context.prover.decide(duty)
    if decision.status == "proved":
        return replace(base, method=decision.method)
    return _refute(context, duty, base)


def _refute(context: Context, duty: Obligation, base: Finding) -> Finding:
    prover = context.prover
    bounds = prover.bounds(duty.reach)
    hyps = prover.hypotheses(duty.reach, guards=True, goal=duty.goal)
    for goal in T.conjuncts(duty.goal):
        if simplify(goal, bounds) is T.TRUE:
            continue
        model, _ = Search(prover.solver, (*hyps, T.not_(goal)), bounds).smallest(None)
        if model is None:
            continue
        found = _replayed(context, duty, model)
        if found is not None:
            return replace(
                base, verdict=Verdict.REFUTED, method="solver", message=message(duty, failing=True),
                counterexample=found, related=related(context, duty, model),
                help="if the row above or below is meant, nothing is wrong; else mask the index by its own extent",
            )  # fmt: skip
    reason = "neither proved nor refuted within the solver's limits"
    return replace(base, verdict=Verdict.UNKNOWN, method="solver", reason=reason, reason_code="AR902")


def _replayed(context: Context, duty: Obligation, model: Model) -> Counterexample | None:
    """The run in which a live lane forms the address that the model predicts, or None."""
    arg = duty.view
    assert duty.offset is not None
    assert arg is not None
    start = model.value(arg.offset)
    storage = arg.storage if duty.member is None else member_region(members_of(arg.storage), model.value(duty.member))
    wanted = start + model.value(duty.offset)
    lanes: list[tuple[tuple[int, ...], tuple[int, ...]]] = []

    def seen(access: Access) -> None:
        if access.op is duty.op and access.storage == storage and not lanes:
            hits = np.argwhere((access.offsets == wanted) & access.active)
            if len(hits):
                lanes.append((tuple(int(i) for i in hits[0]), access.iteration))

    run = replay.run(context.dom, context.facts, model, seen)
    if run.trace is None or not lanes:
        return None
    names = {s.ident: s.name for s in context.dom.launch.storages} | {r.storage: r.name for r in run.tensors}
    end = extent_bytes(arg.shape, arg.strides, element(arg.dtype).nbytes)
    return Counterexample(
        shape=context.dom.symbols(context.program, model), program_id=run.program, grid=run.grid,
        element=lanes[0][0], iteration=lanes[0][1], storage=names[storage], address=wanted - start,
        extent=model.value(end), access_bytes=duty.nbytes,
        values=replay.argument_values(context.dom, model), inputs=run.inputs, replayed=True,
    )  # fmt: skip
