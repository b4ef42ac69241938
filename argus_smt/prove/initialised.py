"""AR304: what is read of memory that the host left as it was allocated was written before, by this launch or an earlier one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from argus_smt.absint.facts import Access
from argus_smt.absint.values import COORDS, Target
from argus_smt.encodings.instances import Other
from argus_smt.encodings.span import split
from argus_smt.ir.launch import PointerArg, Storage, cell_name
from argus_smt.ir.ops import AtomicRMW
from argus_smt.ir.types import element
from argus_smt.obligations.obligation import Obligation, Reach
from argus_smt.prove.context import Context
from argus_smt.prove.coverage import Axis, Fixed, Say, covered, dense, inside, pointed, row, search, touched
from argus_smt.prove.discharge import dimension_goals
from argus_smt.prove.finding import Finding, Severity, Verdict
from argus_smt.prove.history import Part, bare, here, parts, restated, stages, writes
from argus_smt.prove.writers import Ground
from argus_smt.smt import term as T
from argus_smt.smt.term import Term


def init_findings(context: Context) -> Iterator[Finding]:
    """One finding for each access that reads such memory."""
    launch = context.program.launches[context.index]
    order = stages(context.program, launch.group)
    now = next(i for i, s in enumerate(order) if context.index in s)
    for access in context.facts.accesses:
        if access.kind == "write":
            continue
        for target in access.pointer.targets:
            if target.member is not None:
                yield from _behind(context, access, target)
                continue
            ident = touched(context.dom, target)
            storage = None if ident is None else bare(context.program, order, now, ident)
            if storage is None or not _bare(context, storage):
                continue
            started = time.monotonic()
            found = _finding(context, access, target, storage, order[:now])
            yield replace(found, time_s=time.monotonic() - started)


def _behind(context: Context, access: Access, target: Target) -> Iterator[Finding]:
    """A read of what a table of outputs points to."""
    storage = pointed(context.dom, target).storage
    table = next(s for s in context.dom.launch.storages if s.ident == storage)
    if table.members is not None and table.members.role == "out":
        yield Finding(
            "AR304", Verdict.UNKNOWN, Severity.ERROR, access.op.span,
            f"reads elements of the tensors that `{table.name}` points to, which nobody may have written", site=access.site,
            reason="writers are not derived for the tensors that a table points to", reason_code="AR901",
        )  # fmt: skip


def _bare(context: Context, storage: Storage) -> bool:
    """Whether some of a storage may hold what nobody wrote."""
    stated = any(d.tensor == storage.name for d in context.program.defined)
    left = storage.contents == "uninit" or storage.contents.startswith("computed part")
    return left or (stated and storage.contents == "input")


def _finding(context: Context, access: Access, target: Target, storage: Storage, before: list[list[int]]) -> Finding:
    name = storage.name
    base = Finding(
        "AR304", Verdict.UNKNOWN, Severity.ERROR, access.op.span, f"reads elements of `{name}` that nobody has written",
        site=access.site,
    )  # fmt: skip
    if storage.contents == "input":
        reason = _undefined(context, access, target, storage)
    else:
        reason = _unwritten(context, access, target, storage, before)
    if reason:
        return replace(base, reason=reason, reason_code="AR901")
    return replace(base, verdict=Verdict.PROVED, message=f"what is read of `{name}` was written before", method="inverse")


# ---------------------------------------------------------------- written by kernels


def _unwritten(context: Context, access: Access, target: Target, storage: Storage, before: list[list[int]]) -> str:
    """Why the elements that an access reads need not be written before it; empty if they are."""
    program = context.program
    if isinstance(access.op, AtomicRMW) and not before and not _earlier(context, access):
        return "the atomic changes what nobody has written"
    writing = [s for s in before if any(writes(program.launches[i], storage.ident) for i in s)]
    reason = "" if writing else "no launch before this one writes it"
    whole = PointerArg(storage.ident, storage.dtype, T.ZERO, storage.shape, storage.strides)
    for stage in reversed(writing):
        known = [p for i in stage for p in parts(context, i)]
        if dense(storage.shape, storage.strides) and _all_empty(covered(p, whole) for p in known):
            return ""
        why = [_reached(context, p, access, target) for p in known]
        if known and not any(why):
            return ""
        reason = reason or next((w for w in why if w), "no case of the launch before goes with this one")
    own = _reached(context, here(context), access, target, _fixed(context, access))
    return "" if not own else reason


def _all_empty(reasons: Iterator[str]) -> bool:
    """Whether there is at least one, and all say nothing against it."""
    found = False
    for r in reasons:
        if r:
            return False
        found = True
    return found


def _earlier(context: Context, access: Access) -> tuple[Access, ...]:
    """Accesses that the program makes before, in the order of its text."""
    known = context.facts.accesses
    return tuple(known[: next(i for i, a in enumerate(known) if a is access)])


def _fixed(context: Context, access: Access) -> Fixed:
    other = Other()
    return Fixed(tuple(a for a in _earlier(context, access) if a.kind == "write"), access.scope.counters, other)


def _reached(context: Context, part: Part, access: Access, target: Target, fixed: Fixed | None = None) -> str:
    """Why no writer was found for what the access reads; empty if there is one. The reader's names get a prime."""
    names = _renamed(context, part)
    if names is None:
        return "the launches are compiled for cases that name sizes differently"
    other = fixed.other if fixed is not None else Other()
    arg = pointed(context.dom, target)
    if access.nbytes != element(arg.dtype).nbytes:
        return "it is read in units other than its elements"
    arg = restated(part.dom, arg)
    given = [p for t in (*access.scope.path, target.cond, access.mask) for p in T.conjuncts(t)]
    facts = [other(T.substitute(p, names)) for p in given]
    for c, n in zip(COORDS, access.shape, strict=False):
        facts += [T.ge(other(c), 0), T.lt(other(c), n)]
    facts += [f for f in part.dom.facts if not any(v.data.startswith("$") for v in f.free)]
    offset = other(T.substitute(target.offset, names))
    changed = "" if fixed is not None else _changed(context, part, (*facts, offset))
    if changed:
        return f"`{changed}`, which the access depends on, may have changed between the launches"

    def read(axes: Sequence[Axis], say: Say) -> tuple[Term, ...] | None:
        """What is known of the element that is read."""
        ground = Ground(part.prover, (*map(say, facts), *say.sizes.meaning), say.bounds)
        at = say(offset)
        dims = split(at, access.nbytes, [x.extent for x in axes], [x.stride for x in axes])
        if dims and all(ground.shows((), g) for g in dimension_goals(dims)):
            tied = [T.eq(d.index, row(axes, d)) for d in dims]
        elif dense(arg.shape, arg.strides):  # then each element in bounds (AR301) has its one index
            tied = [T.eq(at, T.add(T.ZERO, *(x.name * x.stride for x in axes)) * access.nbytes)]
        else:
            return None
        return (*map(say, facts), *inside(axes), *tied)

    return search(part, arg, read, fixed)


def _changed(context: Context, part: Part, terms: Sequence[Term]) -> str:
    """An index tensor in the terms that may hold something else when the other launch runs."""
    mine, theirs = ({s.ident: s for s in p.dom.launch.storages} for p in (here(context), part))
    for name in sorted({a.data for t in terms for a in t.apps if not a.data.startswith(("?", "$"))}):
        ident = name.removeprefix("m").partition(":")[0]
        found = mine.get(int(ident)) if ident.isdecimal() else None
        now, then = (None if found is None else s.get(found.ident) for s in (mine, theirs))
        if now is None or then is None or now.contents == "kernel" or now.contents != then.contents:
            return found.name if found is not None else name
    return ""


def _renamed(context: Context, part: Part) -> dict[Term, Term] | None:
    """How terms of the case at hand are said in the names of a part; None if they cannot be."""
    mine, theirs = context.dom.restore, part.dom.restore
    if all(theirs.get(k, k) is T.substitute(v, theirs) for k, v in mine.items()):
        return dict(theirs)
    return None


# ---------------------------------------------------------------- initialised as the signature says


def _undefined(context: Context, access: Access, target: Target, storage: Storage) -> str:
    """Why an access may read elements that the signature does not call initialised; empty if it reads none."""
    arg = pointed(context.dom, target)
    dims = split(target.offset + arg.offset, access.nbytes, storage.shape, storage.strides)
    if [d.axes for d in dims] != [(i,) for i in range(len(storage.shape))]:
        return "its address does not split into an index for each dimension"
    cells = _cells(context)
    where = tuple(p for t in (access.mask, target.cond) for p in T.conjuncts(t))
    reach = Reach(access.scope, access.shape, where, access.pointer.guards | access.mask_guards | access.scope.guards)
    for d in context.program.defined:
        if d.tensor != storage.name:
            continue
        memo: dict[Term, Term] = {}
        bound = {T.var(n): dim.index for n, dim in zip(d.index, dims, strict=True)}
        goal = cells(T.substitute(T.substitute(d.condition, context.dom.restore, memo), bound))
        made = Obligation("AR304", access.site, access.op, reach, goal, storage.name, nbytes=access.nbytes)
        if context.prover.decide(made).status != "proved":
            return f"it does not follow that {d.text or d.condition}"
    return ""


def _cells(context: Context) -> Callable[[Term], Term]:
    """Elements of tensors by name as the cells that the kernel reads."""
    by_name = {s.name: s for s in context.dom.launch.storages}

    def cells(t: Term) -> Term:
        if not t.args:
            return t
        args = tuple(map(cells, t.args))
        s = by_name.get(t.data) if t.op == "app" else None
        if s is not None:
            place = T.add(T.ZERO, *(i * stride for i, stride in zip(args, s.strides, strict=True)))
            return T.app(cell_name(s.ident, element(s.dtype).name), place * element(s.dtype).nbytes)
        return T.rebuild(t, args)

    return cells
