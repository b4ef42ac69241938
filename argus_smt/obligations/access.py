"""Duties of memory accesses: every unmasked lane stays inside its argument's view (AR301, AR302)."""

from __future__ import annotations

from collections.abc import Iterator

from argus_smt.absint.facts import Access, Facts
from argus_smt.absint.members import exists, view
from argus_smt.absint.values import NOWHERE, Target
from argus_smt.ir.launch import Case, Launch, PointerArg, extent_bytes
from argus_smt.ir.types import element
from argus_smt.obligations.obligation import Obligation, Reach
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.term import Term

VERB = {"read": "reads", "write": "writes", "atomic": "updates"}


def of(facts: Facts, launch: Launch, case: Case) -> Iterator[Obligation]:
    """One duty an access and argument that it may point to, or whose tensors it may."""
    storages = {s.ident: s for s in launch.storages}
    for access in facts.accesses:
        for target in access.pointer.targets:
            if target.arg == NOWHERE:
                yield _known(access, target)
                continue
            seen = view(case.args, storages, target)
            arg = case.args[target.arg]
            assert isinstance(arg, PointerArg)
            name = storages[arg.storage].name or case.kernel.params[target.arg]
            given: tuple[Term, ...] = ()
            if target.member is not None:
                given, name = exists(storages[arg.storage], target, seen), f"{name}[…]"
            yield _one(access, target, seen, given, name, facts.bounds)


def _known(access: Access, target: Target) -> Obligation:
    """No live lane has an address of which nothing is known."""
    guards = access.pointer.guards | access.mask_guards | access.scope.guards
    return Obligation(
        code=_code(access),
        site=access.site,
        op=access.op,
        reach=Reach(access.scope, access.shape, T.conjuncts(access.mask), guards),
        goal=T.not_(target.cond),
        subject="every tensor",
        lost=target.reason,
    )


def _code(access: Access) -> str:
    return "AR301" if access.kind == "read" else "AR302"


def _one(access: Access, target: Target, seen: PointerArg, given: tuple[Term, ...], name: str, bounds: Bounds) -> Obligation:
    item = element(seen.dtype).nbytes
    where = (*given, *(p for t in (access.mask, target.cond) for p in T.conjuncts(t)))
    guards = access.pointer.guards | access.mask_guards | access.scope.guards
    end = _end(seen, item, bounds)
    goal = T.and_(T.ge(target.offset, 0), T.le(target.offset + access.nbytes, end))
    return Obligation(
        code=_code(access),
        site=access.site,
        op=access.op,
        reach=Reach(access.scope, access.shape, where, guards),
        goal=goal,
        subject=name,
        arg=target.arg,
        offset=target.offset,
        nbytes=access.nbytes,
        view=seen,
        member=target.member,
    )


def _end(arg: PointerArg, item: int, bounds: Bounds) -> Term:
    """End of the view in bytes from its first element; an empty view has none."""
    end = extent_bytes(arg.shape, arg.strides, item)
    for n in arg.shape:
        if bounds.truth(T.ge(n, 1)) is not True:
            end = T.ite(T.ge(n, 1), end, T.ZERO)
    return end
