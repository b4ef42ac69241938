"""Random ways from one index to another: shifts, reversal, wrapping, clamping, selection, gathers."""

from __future__ import annotations

from tests.properties.drafting import Draft, Index, Tensor


def both(*masks: str) -> str:
    """Conjunction of masks; the empty mask is true."""
    return " & ".join(f"({m})" for m in masks if m)


def shifted_up(d: Draft, i: Index) -> Index:
    by = d.rng.randint(1, 3)
    j = d.let("j", f"{i.code} + {by}")
    inside = "" if d.fault("upper mask of a shift dropped") else f"{j} < {i.bound}"
    return Index(j, i.bound, both(i.mask, inside), i.tile)


def shifted_down(d: Draft, i: Index) -> Index:
    by = d.rng.randint(1, 3)
    j = d.let("j", f"{i.code} - {by}")
    if d.fault("lower mask of a shift dropped"):
        return Index(j, i.bound, i.mask, i.tile)
    inside = f"{i.code} >= {by - 1 if d.fault('lower mask of a shift too low') else by}"
    return Index(j, i.bound, both(i.mask, inside), i.tile)


def reversed_index(d: Draft, i: Index) -> Index:
    last = i.bound if d.fault("reversal without - 1") else f"{i.bound} - 1"
    return Index(d.let("j", f"{last} - {i.code}"), i.bound, i.mask, i.tile)


def wrapped(d: Draft, i: Index) -> Index:
    by = d.other_dim(i.bound) if d.fault("wrapped by another size") else i.bound
    code = i.code if d.rng.random() < 0.5 else f"({i.code} + {d.rng.randint(1, 3)})"
    return Index(d.let("j", f"{code} % {by}"), i.bound, "", i.tile)


def clamped(d: Draft, i: Index) -> Index:
    top = i.bound if d.fault("clamped to the size") else f"{i.bound} - 1"
    j = f"tl.minimum({i.code} - {d.rng.randint(0, 2)}, {top})"
    return Index(d.let("j", j if d.fault("lower clamp dropped") else f"tl.maximum({j}, 0)"), i.bound, "", i.tile)


def selected(d: Draft, i: Index) -> Index:
    inside = f"{i.code} <= {i.bound}" if d.fault("selection inclusive") else f"{i.code} < {i.bound}"
    other = d.rng.choice(("0", f"{i.bound} - 1", f"{i.bound} // 2"))
    return Index(d.let("j", f"tl.where({inside}, {i.code}, {other})"), i.bound, "", i.tile)


def halved(d: Draft, i: Index) -> Index:
    by = d.rng.randint(2, 3)
    return Index(
        d.let("j", d.rng.choice((f"{i.code} // {by}", f"{i.code} // {by} + {i.code} % {by} // {by}"))),
        i.bound,
        i.mask,
        i.tile,
    )


def moved_by_argument(d: Draft, i: Index) -> Index:
    """Shifted by an integer argument of the launcher below the size."""
    name = f"s{len(d.ints)}"
    d.ints.append((name, i.bound))
    j = d.let("j", f"{i.code} + {name}")
    if d.rng.random() < 0.5:
        return Index(d.let("j", f"{j} % {i.bound}"), i.bound, i.mask if d.rng.random() < 0.5 else "", i.tile)
    inside = i.mask if d.fault("argument forgotten in the mask") else both(i.mask, f"{j} < {i.bound}")
    return Index(j, i.bound, inside, i.tile)


def gathered(d: Draft, i: Index) -> Index:
    """Read from an index tensor over `i`; gives an index below another size."""
    bound = d.rng.choice(d.dims)
    name = f"idx{len(d.tensors)}"
    high = f"{bound} + 1" if d.fault("declared range too wide") else bound
    low = "-1" if d.rng.random() < 0.4 else "0"
    d.tensors.append(Tensor(name, (i.bound,), d.rng.choice(("i32", "i64")), low=low, high=high))
    mask = f", mask={i.mask}, other=0" if i.mask else ""
    j = d.let("g", f"tl.load({name}_ptr + {i.code}{mask})")
    guard = "" if low == "0" or d.fault("negative entries not skipped") else f"{j} >= 0"
    return Index(j, bound, both(i.mask, guard), i.tile)


WAYS = {
    "shift up": shifted_up, "shift down": shifted_down, "reverse": reversed_index, "wrap": wrapped, "clamp": clamped,
    "select": selected, "halve": halved, "argument": moved_by_argument, "gather": gathered,
}  # fmt: skip


def transformed(d: Draft, i: Index) -> Index:
    """The index itself or one derived from it."""
    way = d.pick("plain", "plain", *WAYS)
    return i if way == "plain" else WAYS[way](d, i)
