"""What it means that two accesses touch one byte, as facts about their indices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from argus_smt.encodings.injective import conditions
from argus_smt.encodings.sizes import NamedSizes, named_sizes
from argus_smt.encodings.span import Dimension, split
from argus_smt.ir.launch import PointerArg, Storage, members_of
from argus_smt.ir.types import element
from argus_smt.obligations.obligation import Reach
from argus_smt.obligations.pairs import Pair, Side
from argus_smt.prove.context import Context
from argus_smt.prove.discharge import Prover
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.simplify import simplify
from argus_smt.smt.term import Term


@dataclass(frozen=True, slots=True)
class Meeting:
    """`equal`: pairs of terms, the second of the second access and not yet primed, that are equal where both touch one byte.

    Empty where the index does not split; then only `near` says how far apart in bytes the accesses can be.
    `assumed`: what was taken for granted of the strides, in words.
    """

    equal: tuple[tuple[Term, Term], ...]
    near: tuple[tuple[Term, Term, int, int], ...] = ()
    assumed: str = ""


def reach_of(side: Side) -> Reach:
    """The lanes of an access that touch memory through the argument of this side."""
    a = side.access
    where = tuple(p for t in (a.mask, side.target.cond) for p in T.conjuncts(t))
    return Reach(a.scope, a.shape, where, a.pointer.guards | a.mask_guards | a.scope.guards)


def sizes_of(context: Context) -> NamedSizes:
    """Names for the computed sizes of all tensors of a case."""
    views = [a for a in context.dom.case.args if isinstance(a, PointerArg)]
    return named_sizes(n for shape in (*(s.shape for s in context.dom.launch.storages), *(v.shape for v in views)) for n in shape)


def meeting(context: Context, pair: Pair, sizes: NamedSizes) -> Meeting:
    """How the two accesses of a pair can touch one byte; terms are over the named sizes."""
    storage = _storage(context, pair.first)
    if storage.ident < 0:
        context.assumed[f"different entries of `{storage.name.removesuffix('[…]')}` point to tensors that do not overlap"] = None
    some = _with_elements(context, pair.first, storage, sizes)
    for a, b in _layouts(pair, storage, lambda t: simplify(sizes.new(t), some)):
        if not a or not b or [d.axes for d in a] != [d.axes for d in b]:
            continue
        if not (_inside(context.prover, pair.first, a, sizes) and _inside(context.prover, pair.second, b, sizes)):
            continue
        ok, assumed = _injective(context, a, storage, some, sizes)
        if ok:
            return Meeting((*_one_tensor(pair), *((x.index, y.index) for x, y in zip(a, b, strict=True))), assumed=assumed)
    first, second = (sizes.new(s.arg.offset + s.target.offset) for s in (pair.first, pair.second))
    return Meeting(_one_tensor(pair), ((first, second, pair.first.access.nbytes, pair.second.access.nbytes),))


def _storage(context: Context, side: Side) -> Storage:
    """What a side points into; the tensor at the entry of its access where that lies behind a table."""
    known = {s.ident: s for s in context.dom.launch.storages}
    if side.target.member is None:
        return known[side.arg.storage]
    arg, table = side.arg, known[members_of(side.arg.storage)]
    return Storage(arg.storage, f"{table.name}[…]", arg.dtype, T.ZERO, arg.shape, arg.strides)


def _one_tensor(pair: Pair) -> tuple[tuple[Term, Term], ...]:
    """Behind a table, accesses only meet in the tensor of one entry: those of different entries do not overlap."""
    a, b = pair.first.target.member, pair.second.target.member
    return () if a is None or b is None else ((a, b),)


def _with_elements(context: Context, side: Side, storage: Storage, sizes: NamedSizes) -> Bounds:
    """Intervals where the access has live lanes: then no dimension of the tensor is empty, as far as that can be shown."""
    bounds = context.facts.bounds.copy()
    sizes.learn(bounds)
    bounds.learn([*map(sizes.new, context.dom.facts), *sizes.meaning])
    reach = reach_of(side)
    for n in dict.fromkeys((*storage.shape, *side.arg.shape)):
        goal = T.ge(n, 1)
        if bounds.truth(sizes.new(goal)) is not True:
            hyps = context.prover.hypotheses(reach, guards=True, goal=goal)
            if context.prover.refute(hyps, goal, context.prover.bounds(reach), nonlinear=False).status == "unsat":
                bounds.learn([sizes.new(goal)])
    return bounds


def _layouts(
    pair: Pair, storage: Storage, new: Callable[[Term], Term]
) -> list[tuple[tuple[Dimension, ...], tuple[Dimension, ...]]]:
    """Ways to write both offsets as indices: of the view that both are given, and of the storage's own tensor."""
    a, b = pair.first, pair.second
    widths = {s.access.nbytes for s in (a, b)} | {element(s.arg.dtype).nbytes for s in (a, b)}
    if len(widths) > 1:
        return []
    item = widths.pop()

    def dims(offset: Term, shape: Sequence[Term], strides: Sequence[Term]) -> tuple[Dimension, ...]:
        return split(new(offset), item, tuple(map(new, shape)), tuple(map(new, strides)))

    out: list[tuple[tuple[Dimension, ...], tuple[Dimension, ...]]] = []
    if (a.arg.offset, a.arg.shape, a.arg.strides) == (b.arg.offset, b.arg.shape, b.arg.strides):
        own = [dims(s.target.offset, s.arg.shape, s.arg.strides) for s in (a, b)]
        out.append((own[0], own[1]))
    if element(storage.dtype).nbytes == item and storage.ident >= 0:
        whole = [dims(s.arg.offset + s.target.offset, storage.shape, storage.strides) for s in (a, b)]
        out.append((whole[0], whole[1]))
    return out


def _inside(prover: Prover, side: Side, dims: Sequence[Dimension], sizes: NamedSizes) -> bool:
    """Whether every index is shown to lie in its dimension."""
    reach = reach_of(side)
    bounds = prover.bounds(reach)
    goals = [sizes.old(g) for d in dims for g in (T.ge(d.index, 0), T.lt(d.index, d.extent))]
    goals = [g for g in goals if bounds.truth(g) is not True]
    if not goals:
        return True
    hyps = prover.hypotheses(reach, guards=True, goal=T.and_(*goals))
    return all(prover.refute(hyps, g, bounds, nonlinear=False).status == "unsat" for g in goals)


def _injective(
    context: Context, dims: Sequence[Dimension], storage: Storage, bounds: Bounds, sizes: NamedSizes
) -> tuple[bool, str]:
    """Whether different indices have different addresses, and what had to be assumed of free strides for it."""
    facts = [*map(sizes.new, context.dom.facts), *sizes.meaning]
    for needed in conditions(dims):
        if all(bounds.truth(c) is True or context.prover.solver.implies(facts, c, bounds) for c in needed):
            return True, ""
    free = {s.name for s in context.program.symbols if s.kind == "stride"}
    stated = storage.ident < 0 and any(d.stride.apps for d in dims)  # behind a table, strides are read from a tensor
    if (stated or any(v.data in free for d in dims for v in d.stride.free)) and all(
        d.stride.free or d.stride.value > 0 for d in dims
    ):
        return True, f"different elements of `{storage.name}` lie at different addresses"
    return False, ""
