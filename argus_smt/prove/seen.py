"""Findings from a call that was played: each fault with both accesses, and the sizes and contents of the run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from argus_smt.interp.clocks import ACQUIRES, RELEASES
from argus_smt.interp.conflicts import Conflict, Touch
from argus_smt.interp.events import Event
from argus_smt.interp.hazards import duplicates, inside
from argus_smt.ir.launch import Demand, ScalarArg
from argus_smt.ir.ops import AtomicCAS, AtomicRMW, Op
from argus_smt.ir.walk import walk
from argus_smt.prove.context import Context, Fault
from argus_smt.prove.coverage import touched
from argus_smt.prove.finding import Counterexample, Finding, OtherAccess, Related, Severity, Verdict
from argus_smt.prove.history import writes
from argus_smt.prove.play import Play, Scene
from argus_smt.prove.related import around
from argus_smt.smt.model import Model

DOES = {"load": "reads", "store": "stores", "atomic": "updates"}
_BETWEEN = {"write_write": "AR401", "read_write": "AR402", "hand_over": "AR406"}
MESSAGES = {
    "AR401": "two programs write one element of `{}`",
    "AR402": "one program reads what another writes of `{}`",
    "AR403": "two lanes write different values to one element of `{}`",
    "AR404": "two threads of a program meet at one element of `{}` with no barrier between",
    "AR412": "two programs write the same to one element of `{}`",
    "AR304": "reads elements of `{}` that nobody has written",
    "AR411": "an element of `{}` is never written",
}
HELP = {
    "AR401": "give each program elements of its own, or use an atomic",
    "AR402": "let another launch read it, or order the programs by atomics that release and acquire",
    "AR403": "mask all but one of the lanes, or use an atomic",
    "AR404": "put `tl.debug_barrier()` between the two, or keep the value in registers",
    "AR412": "give each program elements of its own",
    "AR304": "fill the tensor before the launch (`torch.zeros`), or mask the lanes that were not written",
    "AR411": "let the grid and the masks cover the whole tensor",
}


def faults_of(context: Context, play: Play) -> Iterator[Fault]:
    """All that is wrong with the launch that the play is about; each kind once for the same operations."""
    scene = play.scene
    if scene.astray is None:
        for c in scene.watch.between():
            yield from _between(context, play, c)
        for c in duplicates(scene.watch):
            if not c.same:
                yield _meeting(context, play, "AR403", c, (c.first.op,))
        for c in inside(scene.watch):
            yield _meeting(context, play, "AR404", c, (c.first.op, c.second.op))
        yield from _waiting(context, play, scene)
    yield from _uninitialised(context, play, scene)
    yield from _uncovered(context, play)


def _between(context: Context, play: Play, c: Conflict) -> Iterator[Fault]:
    code, ops = _BETWEEN[c.kind], (c.first.op, c.second.op)
    if c.kind == "hand_over":
        assert c.guard is not None
        yield _meeting(context, play, code, c, (*ops, c.guard))
        return
    if not c.same:
        yield _meeting(context, play, code, c, ops)
    elif any(d.storage == c.storage and d.group == play.scene.launch.group for d in context.program.demands):
        yield _meeting(context, play, "AR412", c, ops)  # both store the same, which harms nobody


def _meeting(context: Context, play: Play, code: str, c: Conflict, ops: tuple[Op, ...]) -> Fault:
    """Two accesses that meet at one byte."""
    name = _name(play, c.storage)
    guard = c.guard if c.kind == "hand_over" else None
    at = guard if guard is not None else c.first.op
    seen = _counterexample(context, play, c.storage, c.first, c.second)
    message, advice = MESSAGES.get(code, "").format(name), HELP.get(code, "")
    if guard is not None:
        message, advice = _hand_over(guard, name)
    places = [] if guard is None else [Related(c.first.op.span, f"`{name}` is accessed here first")]
    if c.second.op is not at:
        text = "then here" if code == "AR404" else f"the other program {DOES[c.second.kind]} it here"
        places.append(Related(c.second.op.span, text))
    severity = Severity.WARNING if code == "AR412" else Severity.ERROR
    finding = Finding(
        code, Verdict.REFUTED, severity, at.span, message, method="execution", site=_site(context, ops),
        related=(*places, *around(context, at)), help=advice, counterexample=seen,
    )  # fmt: skip
    return Fault(code, ops, c.storage, finding)


def _waiting(context: Context, play: Play, scene: Scene) -> Iterator[Fault]:
    """A program that waits for ever for what another has overwritten since."""
    for program, loop in scene.waits:
        polled = {id(op) for op in walk(loop.before)}
        for storage, noted in scene.watch.noted.items():
            mine = [n for n in noted if n.access.program == program and id(n.access.op) in polled]
            if not mine:
                continue
            last, at = mine[-1], set(mine[-1].at.tolist())
            others = [n for n in noted if n.writes and n.program != last.program and at & set(n.at.tolist())]
            if others:
                first, second = others[-1].touch(0), last.touch(0)
                c = Conflict("hand_over", storage, first.address, first, second, guard=first.op)
                fault = _meeting(context, play, "AR406", c, (first.op, second.op))
                name = _name(play, storage)
                finding = replace(
                    fault.finding, message=f"`{name}` is overwritten while another program still waits for what it held",
                    help="give each waiting program a flag of its own, or let none be reset before all have seen it",
                )  # fmt: skip
                yield replace(fault, finding=finding)
                return


def _hand_over(guard: Op, name: str) -> tuple[str, str]:
    """What is wrong with an atomic that was meant to order accesses to a tensor, and what to do."""
    sem, scope = getattr(guard, "sem", ""), getattr(guard, "scope", "")
    if scope == "cta":
        return f"an atomic of scope `cta` hands over `{name}` between programs", "use scope `gpu`"
    if sem not in ACQUIRES | RELEASES:
        advice = "use sem `acq_rel`, or `release` where the data is written and `acquire` where it is read"
        return f"a relaxed atomic hands over `{name}`", advice
    return f"released before all threads are done with `{name}`", "put `tl.debug_barrier()` before the release"


def _uninitialised(context: Context, play: Play, scene: Scene) -> Iterator[Fault]:
    """Reads of what nobody wrote, before anything goes astray for another reason."""
    done: set[int] = set()
    for event in scene.trace.events[: scene.astray]:
        if event.kind == "uninit_read" and id(event.op) not in done and event.storage is not None:
            done.add(id(event.op))
            name = _name(play, event.storage)
            finding = Finding(
                "AR304", Verdict.REFUTED, Severity.ERROR, event.op.span, MESSAGES["AR304"].format(name), method="execution",
                site=_site(context, (event.op,)), related=around(context, event.op), help=HELP["AR304"],
                counterexample=_counterexample(context, play, event.storage, _touch(event)),
            )  # fmt: skip
            yield Fault("AR304", (event.op,), event.storage, finding)


def _touch(event: Event) -> Touch:
    kind = "atomic" if isinstance(event.op, AtomicRMW | AtomicCAS) else "load"
    assert event.address is not None
    return Touch(event.op, kind, event.program, event.element, event.iteration, event.address, event.size)


def _uncovered(context: Context, play: Play) -> Iterator[Fault]:
    """Elements that somebody looks at and nobody wrote, where this launch is the last that might have."""
    for number, scene in enumerate(play.scenes):
        for demand, indices in scene.unwritten:
            if len(indices) and play.chosen == _last_with(play, demand.storage, number):
                yield _unwritten(context, play, demand, tuple(int(i) for i in indices[0]), len(indices))


def _last_with(play: Play, storage: int, until: int) -> int:
    """The last launch up to one of them that may write a storage; that one if none may."""
    writing = [i for i, s in enumerate(play.scenes[: until + 1]) if writes(s.launch, storage)]
    return writing[-1] if writing else until


def _unwritten(context: Context, play: Play, demand: Demand, index: tuple[int, ...], count: int) -> Fault:
    scene, name = play.scene, _name(play, demand.storage) or f"a tensor of line {demand.span.line}"
    stores = _stores(context, demand.storage)
    places = [Related(demand.span, f"`{name}` is {'returned' if demand.what == 'returned' else 'read'} here")]
    span, near = scene.launch.span, tuple[Related, ...]()
    if stores:
        span, near = stores[-1].span, around(context, stores[-1])
    seen = _counterexample(context, play, demand.storage, None, unwritten=index)
    finding = Finding(
        "AR411", Verdict.REFUTED, Severity.ERROR, span, MESSAGES["AR411"].format(name), method="execution",
        site=f"AR411 {name}", related=(*(p for p in places if p.span.line and demand.what != "out"), *near),
        help=HELP["AR411"], counterexample=seen,
    )  # fmt: skip
    return Fault("AR411", (), demand.storage, finding)


def _stores(context: Context, storage: int) -> list[Op]:
    """The operations of the kernel that may write to a storage."""
    return [
        a.op for a in context.facts.accesses
        if a.kind != "read" and any(touched(context.dom, t) == storage for t in a.pointer.targets)
    ]  # fmt: skip


def _counterexample(
    context: Context, play: Play, storage: int, first: Touch | None, second: Touch | None = None,
    unwritten: tuple[int, ...] | None = None,
) -> Counterexample:  # fmt: skip
    scene, values = play.scene, play.sizes.values
    hidden = {s.name for s in context.program.symbols if s.kind == "summary"}
    other = None
    if second is not None:
        other = OtherAccess(second.op.span, DOES[second.kind], second.program, second.lane, second.iteration)
    return Counterexample(
        {n: v for n, v in values.items() if n not in hidden}, first.program if first else (0, 0, 0), scene.grid,
        first.lane if first else (), first.iteration if first else (), _name(play, storage),
        first.address if first else None, play.stage.memory.region(storage).nbytes, first.size if first else 0,
        _arguments(scene, Model(values)), tuple(play.stage.inputs), replayed=True,
        does=DOES[first.kind] if first else "", other=other, unwritten=unwritten,
    )  # fmt: skip


def _arguments(scene: Scene, model: Model) -> dict[str, str]:
    """Integer arguments and constexprs of the kernel, by name."""
    pairs = zip(scene.case.kernel.params, scene.case.args, strict=True)
    values = {p: str(model.value(a.value)) for p, a in pairs if isinstance(a, ScalarArg) and a.value is not None}
    return values | dict(scene.case.values)


def _name(play: Play, storage: int) -> str:
    return play.stage.memory.region(storage).name


def _site(context: Context, ops: tuple[Op, ...]) -> str:
    """The names of the operations in all cases of a kernel, each once."""
    names = {id(a.op): a.site for a in context.facts.accesses}
    return " | ".join(dict.fromkeys(names.get(id(op), str(op.span)) for op in ops))
