"""Pairs of accesses that may meet: two programs on one storage, one of them writing (AR401, AR402), or two lanes of one store
(AR403), or two threads of a program (AR404)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

from argus_smt.absint.facts import Access, Facts
from argus_smt.absint.members import view
from argus_smt.absint.values import NOWHERE, Target
from argus_smt.ir.launch import Arg, PointerArg, Storage, members_of
from argus_smt.ir.ops import AtomicCAS, AtomicRMW, Load


@dataclass(frozen=True, slots=True)
class Side:
    """One access, through one of the arguments that its pointer may point into, or a tensor that a table leads to.

    `arg` is what the target's offset starts from; for the tensors behind a table its sizes are those of the target's entry.
    """

    access: Access
    target: Target
    arg: PointerArg


@dataclass(frozen=True, slots=True)
class Pair:
    """Two accesses that must not touch one byte: of two programs, or for AR403 of two lanes of one execution."""

    code: str
    first: Side
    second: Side
    subject: str
    ordered: bool = False
    """Both are atomics of one width: the hardware puts them in some order."""

    @property
    def site(self) -> str:
        """A name that is equal in all cases of a kernel."""
        a, b = self.first.access.site, self.second.access.site
        return a if a == b else f"{a} | {b}"


def between_programs(facts: Facts, args: tuple[Arg, ...], storages: Sequence[Storage]) -> Iterator[Pair]:
    """One duty a pair of accesses, and argument each, that may touch one storage while one of them writes it."""
    for subject, sides in _by_storage(facts, args, storages).items():
        for a, b in combinations_with_replacement(sides, 2):
            code = _code(a.access, b.access)
            if code:
                yield Pair(code, *_writer_first(a, b), subject, ordered=_both_atomic(a.access, b.access))


def between_lanes(facts: Facts, args: tuple[Arg, ...], storages: Sequence[Storage]) -> Iterator[Pair]:
    """One duty a store of more than one lane."""
    for subject, sides in _by_storage(facts, args, storages).items():
        for side in sides:
            if side.access.kind == "write" and any(n > 1 for n in side.access.shape):
                yield Pair("AR403", side, side, subject)


def inside_programs(facts: Facts, args: tuple[Arg, ...], storages: Sequence[Storage]) -> Iterator[Pair]:
    """One duty a pair of accesses of one program that may touch one storage while one of them plainly writes it (AR404).

    They come in the order of the kernel's text.
    """
    for subject, sides in _by_storage(facts, args, storages).items():
        for a, b in combinations_with_replacement(sides, 2):
            if _code(a.access, b.access) and not _both_atomic(a.access, b.access):
                yield Pair("AR404", a, b, subject)


def _by_storage(facts: Facts, args: tuple[Arg, ...], storages: Sequence[Storage]) -> dict[str, list[Side]]:
    """The accesses to each storage that is written, and to all tensors together that a table leads to, by its name."""
    known = {s.ident: s for s in storages}
    out: dict[int, list[Side]] = {}
    for access in facts.accesses:
        for target in access.pointer.targets:
            if target.arg == NOWHERE:
                continue
            arg = view(args, known, target)
            out.setdefault(arg.storage, []).append(Side(access, target, arg))
    return {_name(known, s): sides for s, sides in out.items() if any(x.access.kind != "read" for x in sides)}


def _name(storages: dict[int, Storage], ident: int) -> str:
    return storages[ident].name if ident >= 0 else f"{storages[members_of(ident)].name}[…]"


def apart(facts: Facts) -> Iterator[tuple[Access, str]]:
    """Accesses that no pair here speaks of, with the reason: to nothing known."""
    for access in facts.accesses:
        lost = [t.reason for t in access.pointer.targets if t.arg == NOWHERE]
        if lost:
            yield access, lost[0]


def _writer_first(a: Side, b: Side) -> tuple[Side, Side]:
    return (b, a) if a.access.kind == "read" else (a, b)


def _code(a: Access, b: Access) -> str:
    """What it is called when both touch one byte; empty where that is no race."""
    if a.kind == b.kind == "read":
        return ""
    return "AR402" if "read" in (a.kind, b.kind) else "AR401"


def _both_atomic(a: Access, b: Access) -> bool:
    return _atomic(a) and _atomic(b) and a.nbytes == b.nbytes


def _atomic(a: Access) -> bool:
    """Whether other programs too see the access as one step."""
    match a.op:
        case AtomicRMW() | AtomicCAS():
            return a.op.scope != "cta"
        case Load():
            return bool(a.op.sem) and a.op.scope != "cta"
        case _:
            return False
