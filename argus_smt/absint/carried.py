"""Values carried by loops, taken apart into the integers and booleans that they are made of.

An integer is one part. A pointer that always points into one argument is one part, its offset; one that may point into
several is two: the number of the argument, and the offset.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from argus_smt.absint.recurrence import HOLE
from argus_smt.absint.values import COORDS, AbsValue, Guards, IntV, PtrV, Target
from argus_smt.ir.ops import Value
from argus_smt.ir.types import shape_of
from argus_smt.smt import term as T
from argus_smt.smt.term import Sort, Term


@dataclass(frozen=True, slots=True)
class Carrier:
    """How the value of a block parameter is laid out in parts; `roots` are what a pointer may point into, at offset 0."""

    param: Value
    kind: str
    """`int`, `bool`, `pointer`, or `other`, which has no parts."""
    roots: tuple[Target, ...] = ()

    @property
    def coords(self) -> tuple[Term, ...]:
        return COORDS[: len(shape_of(self.param.type))]

    @property
    def names(self) -> tuple[str, ...]:
        """Names for the parts: the number of the value, with `a` for the part that tells the argument."""
        own = str(self.param.number)
        if self.kind == "other":
            return ()
        return (f"{own}a", own) if len(self.roots) > 1 else (own,)


def carrier(param: Value, entry: AbsValue) -> Carrier:
    """The layout of a value that enters the loop as `entry`."""
    match entry:
        case IntV(term):
            return Carrier(param, "bool" if term.sort is Sort.BOOL else "int")
        case PtrV(targets) if targets:
            return Carrier(param, "pointer", _roots(targets))
        case _:
            return Carrier(param, "other")


def grown(layout: Carrier, after: AbsValue) -> Carrier:
    """The layout with the arguments that one trip adds; `other` where a trip makes something else of the value.

    A trip may not move on to other tensors of a table: which one it is would be one more part.
    """
    match layout.kind, after:
        case "other", _:
            return layout
        case "pointer", PtrV(targets) if targets and all(t.member is None or _known(layout, t) for t in targets):
            return replace(layout, roots=_roots((*layout.roots, *targets)))
        case "int" | "bool", IntV():
            return layout
        case _:
            return replace(layout, kind="other", roots=())


def hole(layout: Carrier) -> AbsValue | None:
    """The value at the start of an unknown trip, as a function of the coordinates only; None for `other`."""
    marks = tuple(
        T.bapp(f"{HOLE}{n}", *layout.coords) if layout.kind == "bool" else T.app(f"{HOLE}{n}", *layout.coords)
        for n in layout.names
    )
    return whole(layout, marks, frozenset()) if marks else None


def parts(layout: Carrier, value: AbsValue) -> tuple[Term, ...]:
    """The parts of a value that fits the layout."""
    match value:
        case IntV(term) if layout.kind in ("int", "bool"):
            return (term,)
        case PtrV(targets) if layout.kind == "pointer":
            offset = _chosen(targets, [t.offset for t in targets])
            return (offset,) if len(layout.roots) == 1 else (_argument(targets), offset)
        case _:
            return ()


def whole(layout: Carrier, terms: Sequence[Term], guards: Guards) -> AbsValue:
    """The value with these parts."""
    if layout.kind in ("int", "bool"):
        return IntV(terms[0], guards)
    if len(layout.roots) == 1:
        return PtrV((replace(layout.roots[0], offset=terms[0]),), guards)
    which, offset = terms
    found = [(root, points_to(which, root.root)) for root in layout.roots]
    return PtrV(tuple(replace(root, cond=c, offset=assuming(offset, c)) for root, c in found if c is not T.FALSE), guards)


def _roots(targets: Sequence[Target]) -> tuple[Target, ...]:
    """What the targets are offsets into, each once and in a fixed order."""
    found: dict[int, Target] = {}
    for t in targets:
        found.setdefault(t.root, replace(t, cond=T.TRUE, offset=T.ZERO))
    return tuple(found[number] for number in sorted(found))


def _known(layout: Carrier, target: Target) -> bool:
    return any(target.root == root.root for root in layout.roots)


def points_to(which: Term, root: int) -> Term:
    """The condition that the part which tells what is pointed into says `root`."""
    if which.op == "ite":
        cond, a, b = which.args
        return T.ite(cond, points_to(a, root), points_to(b, root))
    return T.eq(which, root)


def assuming(t: Term, cond: Term) -> Term:
    """`t` with the choices made that `cond` decides."""
    if cond is T.TRUE:
        return t
    known: dict[Term, Term] = {}
    for part in T.conjuncts(cond):
        known[part], known[T.not_(part)] = T.TRUE, T.FALSE
    return T.substitute(t, known)


def _chosen(targets: Sequence[Target], values: Sequence[Term]) -> Term:
    out = values[-1]
    for target, value in zip(reversed(targets[:-1]), reversed(values[:-1]), strict=True):
        out = T.ite(target.cond, value, out)
    return out


def _argument(targets: Sequence[Target]) -> Term:
    """Number of what is pointed into; the unknown itself where the conditions say no more than which value it has."""
    for mark in sorted({a for t in targets for a in t.cond.apps}, key=lambda a: a.ident):
        if all(t.cond is T.eq(mark, t.root) for t in targets):
            return mark
    return _chosen(targets, [T.const(t.root) for t in targets])
