"""AR411: every element of an output is written, for every shape: the writer of an element is derived from its index."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from argus_smt.absint.facts import Access
from argus_smt.absint.values import NOWHERE, PIDS, Target
from argus_smt.encodings.sizes import NamedSizes, named_sizes
from argus_smt.encodings.span import Dimension, split
from argus_smt.ir.launch import INDEX, Demand, Members, PointerArg, Program, Storage, members_of
from argus_smt.ir.ops import AtomicRMW, Store
from argus_smt.ir.types import element
from argus_smt.prove.context import Context
from argus_smt.prove.domain import Domain
from argus_smt.prove.finding import Finding, Severity, Verdict
from argus_smt.prove.history import Part, bare, here, parts, restated, stages, writes
from argus_smt.prove.tables import Tables
from argus_smt.prove.writers import Ground, Search, Writer
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.simplify import simplify
from argus_smt.smt.term import Term
from argus_smt.source import Span

ENTRY = T.var("$e7")
"""Any entry of a table, in the sizes of the tensor behind it."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One dimension of the elements that are looked for; `name` is the index."""

    name: Term
    extent: Term
    stride: Term


@dataclass(frozen=True, slots=True)
class Say:
    """Says terms over names of computed sizes, where there is an element."""

    sizes: NamedSizes
    bounds: Bounds

    def __call__(self, t: Term) -> Term:
        return simplify(self.sizes.new(t), self.bounds)


Held = Callable[[Sequence[Axis], Say], tuple[Term, ...] | None]
"""What holds of an element along some axes; None where it has no index along them."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """Stores of one program before one of its accesses: in the same trips of the loops around both, of which are `counters`.

    `other` says names as the access has them.
    """

    earlier: tuple[Access, ...]
    counters: tuple[Term, ...]
    other: Callable[[Term], Term]


def coverage_findings(context: Context) -> Iterator[Finding]:
    """One finding an output, at the last launch that may write it."""
    program, launch = context.program, context.program.launches[context.index]
    order = stages(program, launch.group)
    for demand in _demands(program, launch.group):
        before = [s for i, s in enumerate(order) if sum(map(len, order[: i + 1])) <= demand.after]
        writing = [s for s in before if any(writes(program.launches[i], demand.storage) for i in s)]
        if context.index not in (writing or before or order[:1])[-1]:
            continue
        started = time.monotonic()
        found = _finding(context, demand, order, writing)
        if found is not None:
            yield replace(found, time_s=time.monotonic() - started)
    for table in context.dom.launch.storages:
        if table.members is not None and table.members.role == "out":
            started = time.monotonic()
            yield replace(_behind(context, table, table.members), time_s=time.monotonic() - started)


def _behind(context: Context, table: Storage, members: Members) -> Finding:
    """The tensors that a table of outputs points to: every element of the tensor at every entry is written by this launch."""
    stores = [a.op.span for a in context.facts.accesses for t in a.pointer.targets if a.kind != "read" and t.member]
    base = Finding(
        "AR411", Verdict.UNKNOWN, Severity.ERROR, [context.dom.launch.span, *stores][-1],
        f"an element of a tensor that `{table.name}` points to is never written", site=f"AR411 {table.name}[…]",
    )  # fmt: skip
    at = {INDEX[0]: ENTRY}
    shape, strides = (tuple(T.substitute(t, at) for t in terms) for terms in (members.shape, members.strides))
    whole = PointerArg(members_of(table.ident), members.dtype, T.ZERO, shape, strides)
    given = (T.ge(ENTRY, 0), T.lt(ENTRY, table.shape[0]))
    reason = covered(here(context), whole, given)
    if reason:
        return replace(base, reason=reason, reason_code="AR901")
    message = f"every element of the tensors that `{table.name}` points to is written"
    return replace(base, verdict=Verdict.PROVED, message=message, method="inverse")


def _demands(program: Program, group: int) -> list[Demand]:
    """The demands of a path, the first for each storage and view."""
    out: dict[tuple[int, PointerArg | None], Demand] = {}
    for d in program.demands:
        if d.group == group:
            out.setdefault((d.storage, d.view), d)
    return list(out.values())


def _finding(context: Context, demand: Demand, order: list[list[int]], writing: list[list[int]]) -> Finding | None:
    storage = bare(context.program, order, len(order), demand.storage)
    name = storage.name if storage is not None and storage.name else f"a tensor of line {demand.span.line}"
    span = _place(context, demand.storage)
    base = Finding(
        "AR411", Verdict.UNKNOWN, Severity.ERROR, span, f"an element of `{name}` is never written",
        site=f"AR411 {name}",
    )  # fmt: skip
    if storage is not None and demand.view is not None:
        reason = _unwritten(context, demand.view, order, writing)
        if not reason:
            return replace(base, verdict=Verdict.PROVED, message=f"every element of `{name}` is written", method="inverse")
    else:
        reason = "no launch is given it" if storage is None else "its sizes cannot be said"
    reason = f"the host writes some of it; of the rest, {reason}" if demand.part else reason
    return replace(base, reason=reason, reason_code="AR901")


def _place(context: Context, storage: int) -> Span:
    """The last store to a storage; the launch if there is none."""
    stores = [a.op.span for a in context.facts.accesses for t in a.pointer.targets
              if a.kind != "read" and touched(context.dom, t) == storage]  # fmt: skip
    return stores[-1] if stores else context.dom.launch.span


def _unwritten(context: Context, view: PointerArg, order: list[list[int]], writing: list[list[int]]) -> str:
    """Why it is not shown that the launches up to this one write every element; empty if they do."""
    if not writing:
        return "no launch writes it"
    if _filled(context, view.storage):
        return ""
    reason = covered(here(context), view)
    for stage in reversed(writing[:-1]):
        known = [p for i in stage for p in parts(context, i)] if reason else []
        if known and not any(covered(p, view) for p in known):
            return ""
    return reason


def _filled(context: Context, storage: int) -> bool:
    """Whether the host wrote all of a storage before this launch, in this of several configurations."""
    found = [s.contents for s in context.dom.launch.storages if s.ident == storage]
    return any(c.startswith(("fill", "computed")) and not c.startswith("computed part") for c in found)


def covered(part: Part, view: PointerArg, given: tuple[Term, ...] = ()) -> str:
    """Why it is not shown that a launch writes every element of a view; empty if it does.

    A view whose sizes speak of `ENTRY` is that of the tensor at any entry of a table of which `given` holds.
    """
    dom = part.dom
    view = restated(dom, view)
    held = (*given, *(f for f in dom.facts if not any(v.data.startswith("$") for v in f.free)))
    return search(part, view, lambda axes, say: (*map(say, held), *inside(axes)))


def inside(axes: Sequence[Axis]) -> tuple[Term, ...]:
    """The indices are those of elements."""
    return tuple(p for x in axes for p in (T.ge(x.name, 0), T.lt(x.name, x.extent)))


def row(axes: Sequence[Axis], dim: Dimension) -> Term:
    """The index along a dimension that several axes were merged to."""
    return T.add(*(axes[a].name * (T.quotient(axes[a].stride, dim.stride) or T.ONE) for a in dim.axes))


def dense(shape: Sequence[Term], strides: Sequence[Term]) -> bool:
    """Whether elements lie one after the other without gaps."""
    whole = T.ONE
    for n, s in zip(reversed(shape), reversed(strides), strict=True):
        if n is not T.ONE and s is not whole:
            return False
        whole = whole * n
    return True


def search(part: Part, view: PointerArg, held: Held, fixed: Fixed | None = None) -> str:
    """Why no writer was found for an element of the view of which `held` holds; empty if there is one.

    With `fixed`, only stores that the program itself made before an access count.
    """
    dom = part.dom
    item = element(view.dtype).nbytes
    stores = [(a, t) for a in part.facts.accesses if isinstance(a.op, Store | AtomicRMW) for t in a.pointer.targets
              if touched(dom, t) == view.storage]  # fmt: skip
    if fixed is not None:
        stores = [(a, t) for a, t in stores if a in fixed.earlier]
    lost = [x for x in part.facts.lost if x.kind != "read"]
    if not stores:
        return f"line {lost[0].op.span.line} may write it: {lost[0].reason}" if lost else "no store to it"
    if any(a.nbytes != item for a, _ in stores):
        return "it is written in units other than its elements"
    reason = ""
    sizes = named_sizes(view.shape)
    bounds = part.facts.bounds.copy()
    sizes.learn(bounds)
    bounds.learn([T.ge(sizes.new(n), 1) for n in view.shape])
    say = Say(sizes, bounds)
    shape, strides = tuple(map(say, view.shape)), tuple(map(say, view.strides))
    offsets = [say((pointed(dom, t).offset if t.member is None else T.ZERO) + t.offset - view.offset) for _, t in stores]
    for axes in _groupings(offsets[0] if view.storage >= 0 else None, shape, strides, item):
        known = held(axes, say)
        if known is None:
            continue
        writers = tuple(_writer(dom, a, t, o, axes, item, say, fixed) for (a, t), o in zip(stores, offsets, strict=True))
        ground = Ground(part.prover, (*known, *sizes.meaning), bounds)
        tables = Tables(part.prover.contents)
        found = Search(ground, writers, tables)
        if found.covered():
            return ""
        reason = reason or _unstated(part, tables) or found.reason
    return reason or "no writer of an element was found"


def _unstated(part: Part, tables: Tables) -> str:
    """What a signature would have to say of an index tensor."""
    names = {f"m{s.ident}": s.name for s in part.dom.launch.storages}
    found = [names.get(name.partition(":")[0], "") for name in tables.missing]
    return f"the signature does not say which values `{found[0]}` holds (`covering`)" if found and found[0] else ""


def pointed(dom: Domain, target: Target) -> PointerArg:
    """The argument that a pointer comes from."""
    arg = dom.case.args[target.arg]
    assert isinstance(arg, PointerArg)
    return arg


def touched(dom: Domain, target: Target) -> int | None:
    """The storage that a pointer points into, or `members_of` the table that leads there; None where nothing is known."""
    if target.arg == NOWHERE:
        return None
    storage = pointed(dom, target).storage
    return storage if target.member is None else members_of(storage)


def _groupings(offset: Term | None, shape: Sequence[Term], strides: Sequence[Term], item: int) -> Iterator[tuple[Axis, ...]]:
    """Ways to number the elements: as the first store walks them, all in a row where they are, and as the tensor has them."""
    dims = [Dimension(T.ZERO, n, s, (d,)) for d, (n, s) in enumerate(zip(shape, strides, strict=True))]
    dims = [d for d in dims if d.extent is not T.ONE]
    seen = set()
    walked = split(offset, item, shape, strides) if offset is not None else ()
    for grouping in (list(walked) if walked else [], _rows(dims), dims):
        key = tuple((d.extent, d.stride) for d in grouping)
        if key not in seen and (key or not dims):
            seen.add(key)
            yield tuple(Axis(T.var(f"$e{i}"), d.extent, d.stride) for i, d in enumerate(grouping))


def _rows(dims: list[Dimension]) -> list[Dimension]:
    """Neighbours merged wherever one row follows the other."""
    out: list[Dimension] = []
    for d in dims:
        if out and out[-1].stride is d.extent * d.stride:
            last = out.pop()
            d = Dimension(T.ZERO, last.extent * d.extent, d.stride, last.axes + d.axes)
        out.append(d)
    return out


def _writer(
    dom: Domain, access: Access, target: Target, offset: Term, axes: Sequence[Axis], item: int, say: Say, fixed: Fixed | None
) -> Writer:  # fmt: skip
    """A store as something to be looked for; `offset` in bytes from the start of the view."""
    known = set(dom.facts)
    conditions = [p for t in (*access.scope.path, target.cond, access.mask) for p in T.conjuncts(t) if p not in known]
    given = [say(p) for p in conditions if p in access.scope.outcomes]
    conditions = list(map(say, conditions))
    at: dict[Term, Term] = {}
    if target.member is not None:
        at = {ENTRY: say(target.member)}
        conditions.append(T.eq(at[ENTRY], ENTRY))
    counters = access.scope.counters
    same: dict[Term, Term] = {}
    if fixed is not None:
        shared = [c for c in counters if c in fixed.counters]
        same = {c: fixed.other(c) for c in (*PIDS, *shared)}
        offset, *conditions = (T.substitute(t, same) for t in (offset, *conditions))
        given = [T.substitute(t, same) for t in given]
        counters = tuple(c for c in counters if c not in shared)
    wanted = T.add(T.ZERO, *(x.name * x.stride for x in axes))
    there = [Axis(x.name, T.substitute(x.extent, at), T.substitute(x.stride, at)) for x in axes]
    dims = split(offset, item, [x.extent for x in there], [x.stride for x in there]) if axes else ()
    index = (*((member, entry) for entry, member in at.items()), *((d.index, row(there, d)) for d in dims))
    elements = T.quotient(offset, T.const(item))
    if not index and elements is not None:
        index = ((elements, wanted),)
    return Writer(
        access.site, access.shape, counters, () if same else tuple(map(say, dom.launch.grid)), tuple(dict.fromkeys(conditions)),
        frozenset(given), index, (offset, wanted * item),
    )  # fmt: skip
