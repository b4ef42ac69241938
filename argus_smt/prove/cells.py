"""Memory through which programs synchronise: integers that are only touched by atomics of one element, and what each does.

A cell is one element. All that is known of a storage of cells is what its operations do: nothing (a poll), a fixed value put
there (set), or a fixed number added. What is not of this kind is not understood, and orders nobody.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from argus_smt.absint.facts import Access, Facts
from argus_smt.ir.launch import Arg, Case, PointerArg, Storage
from argus_smt.ir.ops import AtomicCAS, AtomicRMW, Load, Store
from argus_smt.ir.place import Places
from argus_smt.smt import term as T
from argus_smt.smt.term import Term

ACQUIRES = ("acquire", "acq_rel")
RELEASES = ("release", "acq_rel")


@dataclass(frozen=True, slots=True)
class CellOp:
    """What one atomic does to its cell at byte `cell` of the storage: `none`, `set` to `value`, or `add` of a number.

    A compare-and-swap sets only where it finds `compare`.
    """

    access: Access
    cell: Term
    effect: str
    value: Term | None = None
    compare: Term | None = None

    @property
    def sem(self) -> str:
        return str(getattr(self.access.op, "sem", ""))

    @property
    def line(self) -> int:
        return self.access.op.span.line


@dataclass(frozen=True, slots=True)
class Cells:
    """All that happens to the cells of one storage; `problem` says why that is not understood.

    `narrow`: an atomic of scope `cta`, which is none to other programs.
    """

    storage: Storage
    initial: int | None
    ops: tuple[CellOp, ...]
    problem: str = ""
    narrow: CellOp | None = None

    @property
    def writers(self) -> tuple[CellOp, ...]:
        """Operations that change a cell."""
        return tuple(o for o in self.ops if o.effect != "none")


@dataclass(frozen=True, slots=True)
class Taken:
    """An atomic that a program has always executed before an access, and what it found in its cell."""

    op: CellOp
    cell: Term
    old: Term


def all_cells(facts: Facts, case: Case, storages: Sequence[Storage]) -> tuple[Cells, ...]:
    """The storages of a launch that hold cells: those with an atomic of one element."""
    touching: dict[int, list[Access]] = {}
    for access in facts.accesses:
        for target in access.pointer.targets:
            touching.setdefault(_storage(case.args, target.arg), []).append(access)
    lost = next((x for x in facts.lost if x.kind in ("read", "write", "atomic")), None)
    out = []
    for storage in storages:
        found = touching.get(storage.ident, [])
        if any(a.kind == "atomic" and not a.shape for a in found):
            cells = _cells(storage, found, case)
            why = f"line {lost.op.span.line} may touch `{storage.name}`: {lost.reason}" if lost is not None else cells.problem
            out.append(replace(cells, problem=why))
    return tuple(out)


def _storage(args: Sequence[Arg], number: int) -> int:
    arg = args[number]
    assert isinstance(arg, PointerArg)
    return arg.storage


def _cells(storage: Storage, found: Sequence[Access], case: Case) -> Cells:
    ops: list[CellOp] = []
    problem = ""
    for access in found:
        op = _cell_op(access, case)
        if isinstance(op, str):
            problem = problem or f"line {access.op.span.line} {op}"
        else:
            ops.append(op)
    if len({a.nbytes for a in found}) > 1:
        problem = problem or f"`{storage.name}` is accessed as elements of several sizes"
    initial = _initial(storage)
    if initial is None:
        problem = problem or f"what `{storage.name}` holds at the start is not known"
    narrow = next((o for o in ops if getattr(o.access.op, "scope", "") == "cta"), None)
    return Cells(storage, initial, tuple(ops), problem, narrow)


def _initial(storage: Storage) -> int | None:
    text = storage.contents.removeprefix("fill ") if storage.contents.startswith("fill ") else ""
    return int(text) if text.lstrip("-").isdigit() else None


def _cell_op(access: Access, case: Case) -> CellOp | str:
    """What an access does to its cell, or why that is not understood."""
    target = access.pointer.targets[0]
    arg = case.args[target.arg]
    assert isinstance(arg, PointerArg)
    op = access.op
    if isinstance(op, Load | Store) and not op.sem:
        return f"{'reads' if isinstance(op, Load) else 'writes'} the cell without an atomic"
    if access.shape:
        return "works on a tile, not on one element"
    if len(access.pointer.targets) > 1 or access.mask is not T.TRUE:
        return "may or may not touch the cell"
    effect = _effect(access)
    if not effect:
        return "does something to the cell that is not followed"
    value = access.value if effect != "none" else None
    return CellOp(access, arg.offset + target.offset, effect, value, access.compare)


def _effect(access: Access) -> str:
    match access.op:
        case Load():
            return "none"
        case Store():
            return "set" if access.value is not None else ""
        case AtomicCAS():
            if access.value is None or access.compare is None:
                return ""
            return "none" if access.value is access.compare else "set"
        case AtomicRMW(fn=fn):
            if access.value is None:
                return ""
            if fn in ("add", "or", "xor") and access.value is T.ZERO:
                return "none"
            if fn == "add":
                return "add" if not access.value.free and not access.value.apps else ""
            return "set" if fn == "xchg" else ""
        case _:
            return ""


def taken_before(places: Places, cells: Cells, access: Access) -> Iterator[Taken]:
    """Atomics on cells of a storage that are behind a program, and all its threads, when it makes an access.

    Of an atomic that a while loop polls with it is the last execution, which ended the loop.
    """
    for op in cells.ops:
        if op.access.old is None or op.access.op is access.op:
            continue
        counters = op.access.scope.counters
        if places.leads(op.access.op, access.op) and counters == access.scope.counters[: len(counters)]:
            yield Taken(op, op.cell, op.access.old)
        elif counters and places.polled(op.access.op, access.op):
            outer = counters[:-1]
            if outer == access.scope.counters[: len(outer)]:
                at = {counters[-1]: _exit(counters[-1], outer)}
                yield Taken(op, T.substitute(op.cell, at), T.substitute(op.access.old, at))


def _exit(trip: Term, outer: tuple[Term, ...]) -> Term:
    """The trip in which a while loop ended, as the analysis names it."""
    name = f"$x{str(trip.data)[2:]}{len(outer)}"
    return T.app(name, *outer) if outer else T.var(name)
