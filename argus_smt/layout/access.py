"""How a tile moves between lanes and LDS: the bytes that each lane touches, who wrote each byte, and the clocks it takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from argus_smt.encodings.tables.lds import Access, clocks
from argus_smt.layout.distributed import Distributed, dimension, thread_map
from argus_smt.layout.error import LayoutError
from argus_smt.layout.linear import LinearLayout
from argus_smt.layout.shared import Padded, Shared


def lds_map(layout: Distributed, shared: Shared, shape: Sequence[int]) -> LinearLayout:
    """(register, lane, wave, program) → offset in LDS, in elements, before padding."""
    return thread_map(layout, shape).invert_and_compose(shared.offset_map(shape))


def element_offset(shared: Shared, offset: int) -> int:
    """Where an offset lies in LDS, in elements, padding counted."""
    return shared.placed(offset) if isinstance(shared, Padded) else offset


def writer(layout: Distributed, shared: Shared, shape: Sequence[int], byte: int, element_bytes: int) -> dict[str, int] | None:
    """Register, lane, wave and program that write a byte of LDS; None for a byte of padding or beyond the tile.

    Where several threads hold copies of the element, the one whose spare bits are zero.
    """
    place = byte // element_bytes
    offset = _before_padding(shared, place)
    total = shared.offset_map(shape).in_size("offset")
    if not 0 <= offset < total or element_offset(shared, offset) != place:
        return None
    coordinates = shared.offset_map(shape)(offset=offset)
    inverse = thread_map(layout, shape).pseudoinvert()
    names = inverse.out_names
    found = inverse(**{dimension(i): c for i, c in enumerate(coordinates)})
    return dict(zip(names, found, strict=True))


def _before_padding(shared: Shared, place: int) -> int:
    """The largest offset that lies at or below a place in LDS."""
    low, high = 0, place
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if element_offset(shared, middle) <= place else (low, middle - 1)
    return low


def wave_addresses(
    layout: Distributed, shared: Shared, shape: Sequence[int], access: Access, element_bytes: int, wave: int = 0
) -> Iterator[tuple[int, ...]]:
    """For each instruction of a wave the first byte of every lane; an instruction moves consecutive registers.

    Raises `LayoutError` if the registers of an instruction are not consecutive in LDS.
    """
    moved, places = access.bytes // element_bytes, lds_map(layout, shared, shape)
    registers, lanes = places.in_size("register"), places.in_size("lane")
    if moved < 1 or registers % moved:
        raise LayoutError(f"{access.name} moves {moved} elements, a lane has {registers}")
    by_register = [places(register=i)[0] for i in range(registers)]
    by_lane = [places(lane=lane, wave=wave)[0] for lane in range(lanes)]
    for first in range(0, registers, moved):
        row = []
        for lane, base in enumerate(by_lane):
            at = [element_offset(shared, base ^ offset) for offset in by_register[first : first + moved]]
            if at != list(range(at[0], at[0] + moved)):
                raise LayoutError(f"registers {first} to {first + moved - 1} of lane {lane} do not lie side by side in LDS")
            row.append(at[0] * element_bytes)
        yield tuple(row)


def tile_clocks(layout: Distributed, shared: Shared, shape: Sequence[int], access: Access, element_bytes: int) -> int:
    """Clocks in which wave 0 moves its part of the tile with this instruction."""
    return sum(clocks(access, row) for row in wave_addresses(layout, shared, shape, access, element_bytes))
