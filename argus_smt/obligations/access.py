"""Duties of memory accesses: every unmasked lane stays inside its argument's view (AR301, AR302)."""

from __future__ import annotations

from collections.abc import Iterator

from argus_smt.absint.facts import Access, Facts
from argus_smt.absint.values import Target
from argus_smt.ir.launch import Case, Launch, PointerArg, extent_bytes
from argus_smt.ir.types import element
from argus_smt.obligations.obligation import Obligation, Reach
from argus_smt.smt import term as T
from argus_smt.smt.interval import Bounds
from argus_smt.smt.term import Term

VERB = {"read": "reads", "write": "writes", "atomic": "updates"}


def of(facts: Facts, launch: Launch, case: Case) -> Iterator[Obligation]:
    """One duty an access and argument that it may point to."""
    names = {s.ident: s.name for s in launch.storages}
    for access in facts.accesses:
        for target in access.pointer.targets:
            arg = case.args[target.arg]
            assert isinstance(arg, PointerArg)
            param = case.kernel.params[target.arg]
            yield _one(access, target, arg, names.get(arg.storage) or param, facts.bounds)


def _one(access: Access, target: Target, arg: PointerArg, name: str, bounds: Bounds) -> Obligation:
    item = element(arg.dtype).nbytes
    where = tuple(p for t in (access.mask, target.cond) for p in T.conjuncts(t))
    guards = access.pointer.guards | access.mask_guards | access.scope.guards
    end = _end(arg, item, bounds)
    goal = T.and_(T.ge(target.offset, 0), T.le(target.offset + access.nbytes, end))
    return Obligation(
        code="AR301" if access.kind == "read" else "AR302",
        site=access.site,
        op=access.op,
        reach=Reach(access.scope, access.shape, where, guards),
        goal=goal,
        subject=name,
        arg=target.arg,
        offset=target.offset,
        nbytes=access.nbytes,
    )


def _end(arg: PointerArg, item: int, bounds: Bounds) -> Term:
    """End of the view in bytes from its first element; an empty view has none."""
    end = extent_bytes(arg.shape, arg.strides, item)
    for n in arg.shape:
        if bounds.truth(T.ge(n, 1)) is not True:
            end = T.ite(T.ge(n, 1), end, T.ZERO)
    return end
