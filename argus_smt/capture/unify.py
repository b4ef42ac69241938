"""Names and expressions for the sizes of a launcher's tensors: what its text says, then what recorded calls have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from argus_smt.capture.evidence import Evidence, Slot

Column = tuple[int | None, ...]
"""A size over the recorded calls; None where the call has no such tensor."""


@dataclass(slots=True)
class Sizes:
    """`text` of each slot, an expression over names, and what shows it."""

    text: dict[Slot, str] = field(default_factory=dict)
    because: dict[Slot, list[str]] = field(default_factory=dict)


def unify(slots: Sequence[Slot], evidence: Evidence, columns: dict[Slot, Column], taken: Iterable[str]) -> Sizes:
    """Sizes of the slots. Equalities of the text that some call contradicts are dropped."""
    groups = _Groups(slots)
    out = Sizes(because={s: [] for s in slots})
    by_name: dict[str, Slot] = {}
    for slot, (name, shown) in evidence.names.items():
        if slot not in groups.parent:
            continue
        out.because[slot].append(shown)
        if name in by_name:
            groups.join(slot, by_name[name], columns)
        by_name.setdefault(name, slot)
    for a, b, shown in evidence.equal:
        if a in groups.parent and b in groups.parent and groups.join(a, b, columns):
            out.because[max(a, b, key=slots.index)].append(shown)
    wanted = {slot: name for name, slot in by_name.items()}
    _join_by_calls(groups, wanted, columns, out)
    _name(groups, slots, wanted, columns, out, set(taken))
    return out


class _Groups:
    """Slots that are the same size."""

    def __init__(self, slots: Sequence[Slot]) -> None:
        self.parent = {s: s for s in slots}

    def root(self, s: Slot) -> Slot:
        while self.parent[s] != s:
            s = self.parent[s]
        return s

    def join(self, a: Slot, b: Slot, columns: dict[Slot, Column]) -> bool:
        """Make two slots one, unless a call shows them different."""
        if not _agree(columns.get(a, ()), columns.get(b, ())):
            return False
        self.parent[self.root(b)] = self.root(a)
        return True


def _agree(a: Column, b: Column) -> bool:
    return all(x is None or y is None or x == y for x, y in zip(a, b, strict=False))


def _varies(c: Column) -> bool:
    return len({v for v in c if v is not None}) > 1


def _join_by_calls(groups: _Groups, wanted: dict[Slot, str], columns: dict[Slot, Column], out: Sizes) -> None:
    """Sizes that are equal in every call, and not always the same number, are one; two names of the text stay two."""
    named = {groups.root(s) for s in wanted}
    for a, b in combinations(list(columns), 2):
        x, y = groups.root(a), groups.root(b)
        if x == y or (x in named and y in named):
            continue
        ca, cb = columns[a], columns[b]
        both = [(p, q) for p, q in zip(ca, cb, strict=True) if p is not None and q is not None]
        if both and all(p == q for p, q in both) and len({p for p, _ in both}) > 1:
            first, second = (a, b) if x in named or y not in named else (b, a)
            if groups.join(first, second, columns):
                out.because[second].append(f"equal to size {first[1]} of `{first[0]}` in {len(both)} recorded calls")
                named = {groups.root(s) for s in wanted}


def _name(
    groups: _Groups, slots: Sequence[Slot], wanted: dict[Slot, str], columns: dict[Slot, Column], out: Sizes, taken: set[str]
) -> None:
    """Text of each group: the launcher's own name, a constant or an expression of other sizes, else a name of our own."""
    texts: dict[Slot, str] = {}
    known: dict[str, Column] = {}
    for slot in slots:
        if slot in wanted and groups.root(slot) not in texts:
            texts[groups.root(slot)] = wanted[slot]
            known[wanted[slot]] = columns.get(slot, ())
    for slot in slots:
        root = groups.root(slot)
        if root in texts:
            continue
        column = columns.get(slot, ())
        found = _expression(column, known)
        if found:
            texts[root] = found
            out.because[slot].append(f"{found} in all recorded calls")
        else:
            texts[root] = _fresh(slot, taken | set(known))
            known[texts[root]] = column
            if not out.because[slot]:
                out.because[slot].append("a size of its own: nothing says more")
    for slot in slots:
        out.text[slot] = texts[groups.root(slot)]


def _fresh(slot: Slot, taken: set[str]) -> str:
    name = f"{slot[0]}_{slot[1]}"
    while name in taken:
        name += "_"
    return name


def _expression(column: Column, known: dict[str, Column]) -> str:
    """A number, or a product, quotient, sum or multiple of sizes that have names; empty if calls do not show one."""
    values = [v for v in column if v is not None]
    if len(values) < 2:
        return ""
    usable = {n: c for n, c in known.items() if len(c) == len(column) and all(
        x is not None for x, v in zip(c, column, strict=True) if v is not None) and _varies(c)}  # fmt: skip
    if not _varies(column):
        return str(values[0]) if usable else ""
    pairs = {n: [(x or 0, v) for x, v in zip(c, column, strict=True) if v is not None] for n, c in usable.items()}
    for n, rows in pairs.items():
        for k in (1, -1):
            if all(v == x + k for x, v in rows):
                return f"{n} + 1" if k > 0 else f"{n} - 1"
        ratios = {(v // x if x else 0) for x, v in rows}
        if len(ratios) == 1 and (k := ratios.pop()) > 1 and all(v == k * x for x, v in rows):
            return f"{k} * {n}"
        for k in (2, 4, 8, 16, 32, 64, 128, 256):
            if all(v == x // k for x, v in rows):
                return f"{n} // {k}"
            if all(v == -(-x // k) for x, v in rows):
                return f"cdiv({n}, {k})"
    for a, b in combinations(pairs, 2):
        if all(v == x * y for (x, v), (y, _) in zip(pairs[a], pairs[b], strict=True)):
            return f"{a} * {b}"
        for first, second in ((a, b), (b, a)):
            if all(y and x % y == 0 and v == x // y for (x, v), (y, _) in zip(pairs[first], pairs[second], strict=True)):
                return f"{first} // {second}"
    return ""
