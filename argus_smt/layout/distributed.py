"""Triton's distributed layouts as data, each with the F2-linear map (register, lane, wave, program) → tile coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from argus_smt.layout.error import LayoutError
from argus_smt.layout.linear import LinearLayout, identity, linear, zeros

THREAD = ("register", "lane", "wave", "program")


def dimension(i: int) -> str:
    """Name of axis i of a tile."""
    return f"dim{i}"


@dataclass(frozen=True, slots=True)
class Blocked:
    """Each lane holds a block of elements, the lanes of a wave a block of lanes, and so on; axes fastest first in `order`."""

    size_per_thread: tuple[int, ...]
    lanes: tuple[int, ...]
    waves: tuple[int, ...]
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Mfma:
    """The result of matrix instructions of version 3 (gfx942), `m` by `m`; transposed, a lane holds columns of one row."""

    m: int
    transposed: bool
    waves: tuple[int, int]
    element_bits: int = 32


@dataclass(frozen=True, slots=True)
class DotOperand:
    """Operand 0 (rows by k) or 1 (k by columns) of matrix instructions; a lane holds `k_width` consecutive k."""

    operand: int
    parent: Mfma
    k_width: int


@dataclass(frozen=True, slots=True)
class Slice:
    """A layout with one axis left out, as after a reduction along it."""

    axis: int
    parent: Distributed


@dataclass(frozen=True, slots=True)
class Linear:
    """Bases given one by one; each has a coordinate for every axis."""

    registers: tuple[tuple[int, ...], ...]
    lanes: tuple[tuple[int, ...], ...]
    waves: tuple[tuple[int, ...], ...]
    programs: tuple[tuple[int, ...], ...] = ()


Distributed: TypeAlias = Blocked | Mfma | DotOperand | Slice | Linear


def thread_map(layout: Distributed, shape: Sequence[int]) -> LinearLayout:
    """(register, lane, wave, program) → coordinates of a tile of this shape.

    A tile larger than the layout repeats it over further registers; one smaller is held several times.
    """
    match layout:
        case Blocked(size, lanes, waves, order):
            _check_rank(layout, shape, len(order))
            inner = _grid("register", size, order) * _grid("lane", lanes, order) * _grid("wave", waves, order)
            return _without_copies(_fitted(inner, shape, order))
        case Mfma():
            _check_rank(layout, shape, 2)
            return _fitted(_result_tile(layout) * _grid("wave", layout.waves, (1, 0)), shape, (1, 0))
        case DotOperand():
            _check_rank(layout, shape, 2)
            return _operand(layout, shape)
        case Slice(axis, parent):
            whole = thread_map(parent, [*shape[:axis], 1, *shape[axis:]])
            return _without_axis(whole, axis)
        case Linear(registers, lanes, waves, programs):
            bases = dict(zip(THREAD, (registers, lanes, waves, programs), strict=True))
            return _fitted(linear(bases, _reach(bases, len(shape))), shape, tuple(reversed(range(len(shape)))))


def _reach(bases: dict[str, tuple[tuple[int, ...], ...]], rank: int) -> dict[str, int]:
    tops = [max((b[i] for group in bases.values() for b in group), default=0) for i in range(rank)]
    return {dimension(i): 1 << top.bit_length() for i, top in enumerate(tops)}


def _check_rank(layout: Distributed, shape: Sequence[int], rank: int) -> None:
    if len(shape) != rank:
        raise LayoutError(f"{type(layout).__name__} has {rank} axes, the tile {len(shape)}")


def _grid(source: str, sizes: Sequence[int], order: Sequence[int]) -> LinearLayout:
    """`source` counts through a grid, the first axis of `order` fastest."""
    result = LinearLayout(((source, ()),), tuple((dimension(i), 1) for i in order))
    for axis in order:
        result *= identity(sizes[axis], source, dimension(axis))
    return result


def _result_tile(layout: Mfma) -> LinearLayout:
    if layout.m not in (16, 32):
        raise LayoutError(f"no single-block instruction of gfx942 is {layout.m} by {layout.m}; use 16 or 32")
    held, across = (dimension(1), dimension(0)) if layout.transposed else (dimension(0), dimension(1))
    if layout.element_bits == 64:
        lanes = identity(16, "lane", across) * identity(4, "lane", held)
        return lanes * identity(4, "register", held)
    tile = identity(4, "register", held) * identity(layout.m, "lane", across) * identity(64 // layout.m, "lane", held)
    return tile * identity(layout.m * layout.m // 256, "register", held)


def _operand(layout: DotOperand, shape: Sequence[int]) -> LinearLayout:
    if layout.operand not in (0, 1):
        raise LayoutError(f"a dot has operands 0 and 1, not {layout.operand}")
    k_axis, m = 1 - layout.operand, layout.parent.m
    k, other = dimension(k_axis), dimension(layout.operand)
    tile = identity(layout.k_width, "register", k) * identity(m, "lane", other) * identity(64 // m, "lane", k)
    order = (k_axis, layout.operand)
    repeats = max(1, shape[k_axis] // tile.out_size(k))
    tile *= identity(repeats, "register", k)
    for axis in (1, 0):
        count = layout.parent.waves[axis]
        tile *= zeros(count, "wave", k) if axis == k_axis else identity(count, "wave", other)
    return _fitted(tile, shape, order)


def _fitted(layout: LinearLayout, shape: Sequence[int], order: Sequence[int]) -> LinearLayout:
    """Repeated over registers until it covers the shape; bits that would leave the shape hold copies."""
    for axis in order:
        missing = shape[axis] // layout.out_size(dimension(axis))
        layout *= identity(max(1, missing), "register", dimension(axis))
    names = [dimension(i) for i in range(len(shape))]
    bases = {name: [list(layout.bases(name)[j]) for j in range(len(layout.bases(name)))] for name in THREAD}
    for axis, size in enumerate(shape):
        place = layout.out_names.index(dimension(axis))
        for group in bases.values():
            for basis in group:
                basis[place] &= size - 1
    wide = dict(layout.outs)
    for axis, size in enumerate(shape):
        wide[dimension(axis)] = size
    return linear(bases, wide).reordered(THREAD, names)


def _without_axis(layout: LinearLayout, axis: int) -> LinearLayout:
    kept = [name for name in layout.out_names if name != dimension(axis)]
    flat = layout.sublayout(THREAD, kept)
    return _without_copies(LinearLayout(flat.ins, tuple((dimension(i), size) for i, (_, size) in enumerate(flat.outs))))


def _without_copies(layout: LinearLayout) -> LinearLayout:
    """Without the registers of a lane that hold what another of its registers holds."""
    bases = dict(layout.ins)
    bases["register"] = tuple(b for b in bases["register"] if any(b))
    return LinearLayout(tuple(bases.items()), layout.outs)
