"""Which storages a kernel may write: where the pointers of its stores come from, followed through the data flow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from argus_smt.ir import ops as I
from argus_smt.ir.launch import Case, Launch, PointerArg, Storage, members_of
from argus_smt.ir.types import Ptr, elem_of
from argus_smt.ir.walk import results, walk

ANYWHERE = "anywhere"
"""The root of an address out of arithmetic or of memory that is no table of addresses."""

Root = int | str
Roots = frozenset[Root]


def written(launch: Launch, case: Case) -> frozenset[int]:
    """Storages that may be written: those that a store's pointer may derive from, all of them if that cannot be told.

    The tensors behind a table of addresses count as one storage, `members_of` the table's.
    """
    storages = {s.ident: s for s in launch.storages}
    reach = _reach(case, storages)
    out: set[Root] = set()
    for op in walk(case.kernel.body):
        match op:
            case I.Store() | I.AtomicRMW() | I.AtomicCAS():
                out |= reach.get(op.ptr.number) or {ANYWHERE}
            case I.Opaque(effects=True):
                out.add(ANYWHERE)
            case _:
                pass
    if ANYWHERE in out:
        passed = {a.storage for a in case.args if isinstance(a, PointerArg)}
        return frozenset(passed | {members_of(s) for s in passed if storages[s].members is not None})
    return frozenset(s for s in out if isinstance(s, int))


def _reach(case: Case, storages: Mapping[int, Storage]) -> dict[int, Roots]:
    """For each value, the storages that an address in it may lie in (data flow to a fixed point, control included)."""
    params = zip(case.kernel.body.params, case.args, strict=True)
    reach: dict[int, Roots] = {p.number: frozenset((a.storage,)) for p, a in params if isinstance(a, PointerArg)}
    changed = True

    def reached(number: int, roots: Iterable[Root]) -> None:
        nonlocal changed
        before = reach.get(number, frozenset())
        joined = before.union(roots)
        if joined != before:
            reach[number], changed = joined, True

    def flow(sources: tuple[I.Value, ...], sinks: tuple[I.Value, ...]) -> None:
        for a, b in zip(sources, sinks, strict=False):
            reached(b.number, reach.get(a.number, ()))

    def made(values: Iterable[I.Value]) -> None:
        for value in values:
            if _may_hold_address(value):
                reached(value.number, (ANYWHERE,))

    constants = _constants(case.kernel.body)
    while changed:
        changed = False
        for op in walk(case.kernel.body):
            match op:
                case I.For():
                    made(op.body.params[:1])
                    flow(op.inits, op.body.params[1:])
                    flow(op.body.yields, op.body.params[1:])
                    flow(op.inits, op.results)
                    flow(op.body.yields, op.results)
                case I.While():
                    flow(op.inits, op.before.params)
                    flow(op.before.yields[1:], op.after.params)
                    flow(op.after.yields, op.before.params)
                    flow(op.before.yields[1:], op.results)
                case I.If():
                    flow(op.then.yields, op.results)
                    flow(op.orelse.yields, op.results)
                case I.AddPtr():
                    flow((op.ptr,), (op.result,))
                case I.Select():
                    flow((op.a, op.b), (op.result, op.result))
                case I.Join() | I.Cat():
                    flow((op.lhs, op.rhs), (op.result, op.result))
                case I.Split():
                    flow((op.operand, op.operand), op.results)
                case (
                    I.Splat() | I.ExpandDims() | I.Broadcast() | I.Reshape() | I.Trans() | I.Unsplat()
                    | I.Gather()
                ):  # fmt: skip
                    flow((op.operand,), (op.result,))
                case I.Cast():
                    flow((op.operand,), (op.result,))
                    if op.operand.number not in constants and not _may_hold_address(op.operand):
                        made((op.result,))
                case I.Load():
                    if _may_hold_address(op.result):
                        reached(op.result.number, _loaded(reach.get(op.ptr.number, frozenset()), storages))
                        flow((op.other,) if op.other is not None else (), (op.result,))
                case I.Const():
                    pass  # no tensor is known to lie at a fixed address
                case _:
                    made(results(op))
    return reach


def _constants(block: I.Block) -> frozenset[int]:
    """Values that are constants, or tiles of one."""
    out: set[int] = set()
    for op in walk(block):
        match op:
            case I.Const(result=result):
                out.add(result.number)
            case I.Splat(result=result, operand=operand) | I.Cast(result=result, operand=operand) if operand.number in out:
                out.add(result.number)
            case _:
                pass
    return frozenset(out)


def _may_hold_address(value: I.Value) -> bool:
    elem = elem_of(value.type)
    return isinstance(elem, Ptr) or (elem.is_int and elem.bits == 64)


def _loaded(pointers: Roots, storages: Mapping[int, Storage]) -> Roots:
    """Where addresses lead that are read through pointers into these storages."""
    tables = [s for s in pointers if isinstance(s, int) and s in storages and storages[s].members is not None]
    behind: Roots = frozenset(members_of(s) for s in tables)
    return behind if len(tables) == len(pointers) > 0 else behind | {ANYWHERE}
