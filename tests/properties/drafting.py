"""Text of a random kernel in the making: its lines, parameters, tensors, grid, and the faults that were put in."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

BLOCKS = (2, 4, 8)


@dataclass(frozen=True, slots=True)
class Index:
    """An index in the kernel: a scalar or a one-dimensional tile, and the mask outside of which it is not valid.

    `bound` is the size that it is below where `mask` holds; no mask means everywhere. `local` is the index inside its
    block, `whole` a condition under which all of the block is valid.
    """

    code: str
    bound: str
    mask: str = ""
    tile: bool = True
    local: str = ""
    whole: str = ""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor argument of the launcher, or one that the launcher makes (`made`).

    `strided`: strides are passed to the kernel, else it derives them from the sizes. `low`/`high` bound the contents of
    an index tensor (`high` exclusive), as expressions over sizes.
    """

    name: str
    dims: tuple[str, ...]
    dtype: str = "f32"
    strided: bool = False
    made: bool = False
    low: str = ""
    high: str = ""


@dataclass(slots=True)
class Draft:
    """What has been written so far. `budget` is how many more faults may be put in."""

    rng: random.Random
    budget: int = 0
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    tensors: list[Tensor] = field(default_factory=list)
    ints: list[tuple[str, str]] = field(default_factory=list)
    constants: dict[str, str] = field(default_factory=dict)
    dims: list[str] = field(default_factory=list)
    grid: list[str] = field(default_factory=list)
    host: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    features: set[str] = field(default_factory=set)
    serial: int = 0

    def put(self, line: str) -> None:
        """Write a line of the kernel."""
        self.lines.append("    " * self.depth + line)

    def fresh(self, stem: str) -> str:
        """A name that is not in use."""
        self.serial += 1
        return f"{stem}{self.serial}"

    def let(self, stem: str, code: str) -> str:
        """Write an assignment to a fresh name and give the name."""
        name = self.fresh(stem)
        self.put(f"{name} = {code}")
        return name

    def pick(self, *options: str) -> str:
        """One of some features, noted."""
        found = self.rng.choice(options)
        self.features.add(found)
        return found

    def fault(self, name: str) -> bool:
        """Whether to put this fault in, here and now."""
        if self.budget and self.rng.random() < 0.3:
            self.budget -= 1
            self.faults.append(name)
            return True
        return False

    def constant(self, stem: str, value: str) -> str:
        """A constexpr parameter with its value in the launcher."""
        name = stem + str(len(self.constants))
        self.constants[name] = value
        return name

    def dim(self) -> str:
        """A size: often a new one, at most three."""
        if len(self.dims) < 3 and (not self.dims or self.rng.random() < 0.7):
            self.dims.append("MNK"[len(self.dims)])
            return self.dims[-1]
        return self.rng.choice(self.dims)

    def other_dim(self, dim: str) -> str:
        """A size that is not `dim`, if there is one."""
        return self.rng.choice([d for d in self.dims if d != dim] or [f"({dim} + 1)"])


def bounded(d: Draft, code: str, dim: str, local: str) -> str:
    """The mask `code < dim`, or something near it."""
    if d.fault("mask dropped"):
        return ""
    if d.fault("mask inclusive"):
        return f"{code} <= {dim}"
    if d.fault("mask of another size"):
        return f"{code} < {d.other_dim(dim)}"
    if local and d.fault("mask in the block"):
        return f"{local} < {dim}"
    if d.fault("mask shifted"):
        return f"{code} - 1 < {dim}"
    return d.rng.choice((f"{code} < {dim}", f"{dim} > {code}", f"{code} <= {dim} - 1"))


def grid_index(d: Draft, dim: str) -> Index:
    """An index over `dim` made from a new axis of the grid."""
    axis = len(d.grid)
    match d.pick("scalar program", "block", "block", "block with early return", "scalar with early return"):
        case "scalar program":
            d.grid.append(f"{dim} + 1" if d.fault("one program too many") else dim)
            return Index(d.let("p", f"tl.program_id({axis})"), dim, tile=False)
        case "scalar with early return":
            d.grid.append(f"{dim} + 2")
            p = d.let("p", f"tl.program_id({axis})")
            d.put(f"if {p} {'>' if d.fault('return too late') else '>='} {dim}:")
            d.put("    return")
            return Index(p, dim, tile=False)
        case style:
            block = d.constant("B", str(d.rng.choice(BLOCKS)))
            d.grid.append(f"triton.cdiv({dim}, {d.constants[block]})" + d.rng.choice(("", "", " + 1")))
            p = d.let("p", f"tl.program_id({axis})")
            if style == "block with early return":
                d.put(f"if {p} * {block} >= {dim}:")
                d.put("    return")
            local = f"tl.arange(0, {block})"
            i = d.let("i", f"{p} * {block} + {local}")
            whole = f"({p} + 1) * {block} <= {dim}"
            return Index(i, dim, bounded(d, i, dim, local), local=local, whole=whole)


def flat_indices(d: Draft, rows: str, cols: str) -> tuple[Index, Index]:
    """Row and column of a flat index over a matrix, by division and remainder."""
    d.features.add("div and mod")
    block = d.constant("B", str(d.rng.choice(BLOCKS)))
    total = f"{rows} * {cols}"
    d.grid.append(f"triton.cdiv({total}, {d.constants[block]})")
    local = f"tl.arange(0, {block})"
    i = d.let("i", f"tl.program_id(0) * {block} + {local}")
    mask = bounded(d, i, f"({total})", local)
    by = rows if d.fault("divided by the wrong size") else cols
    r, c = d.let("r", f"{i} // {by}"), d.let("c", f"{i} % {by}")
    return Index(r, rows, mask, local=local), Index(c, cols, mask, local=local)


def tiled_indices(d: Draft, rows: str, cols: str) -> tuple[Index, Index]:
    """Two blocked indices from one axis of the grid, programs in row-major order."""
    d.features.add("grid decomposed")
    bm, bn = (d.constant("B", str(d.rng.choice(BLOCKS[:2]))) for _ in range(2))
    d.grid.append(f"triton.cdiv({rows}, {d.constants[bm]}) * triton.cdiv({cols}, {d.constants[bn]})")
    across = d.let("t", f"tl.cdiv({rows if d.fault('tiles of the wrong size') else cols}, {bn})")
    p = d.let("p", "tl.program_id(0)")
    out = []
    for dim, block, op in ((rows, bm, "//"), (cols, bn, "%")):
        local = f"tl.arange(0, {block})"
        i = d.let("i", f"({p} {op} {across}) * {block} + {local}")
        out.append(Index(i, dim, bounded(d, i, dim, local), local=local))
    return out[0], out[1]


def padded_index(d: Draft, dim: str) -> Index:
    """A whole dimension in one block, padded to a power of two."""
    d.features.add("padded block")
    block = d.constant("P", f"triton.next_power_of_2({dim})")
    i = d.let("i", f"tl.arange(0, {block})")
    return Index(i, dim, bounded(d, i, dim, ""))
