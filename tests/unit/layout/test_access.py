"""Writers of LDS bytes and clocks of tiles, against going through all threads."""

from __future__ import annotations

import pytest

from argus_smt.encodings.tables.lds import ACCESSES
from argus_smt.layout.access import tile_clocks, wave_addresses, writer
from argus_smt.layout.distributed import Blocked, DotOperand, Mfma, dimension, thread_map
from argus_smt.layout.error import LayoutError
from argus_smt.layout.shared import Swizzled, padded_rows

TILE = [32, 64]
LOADS = Blocked((1, 8), (8, 8), (4, 1), (1, 0))


@pytest.mark.parametrize("shared", [Swizzled(8, 1, 8, (1, 0)), padded_rows([(64, 16)], TILE, (1, 0)), Swizzled(1, 1, 1, (0, 1))])
def test_writer_of_each_byte_is_found(shared) -> None:
    threads, written = thread_map(LOADS, TILE), {}
    for wave in range(4):
        for lane in range(64):
            for register in range(threads.in_size("register")):
                place = shared.address(TILE, threads(register=register, lane=lane, wave=wave))
                written[place] = {"register": register, "lane": lane, "wave": wave, "program": 0}
    assert len(written) == 32 * 64
    for byte in range(2 * max(written) + 8):
        assert writer(LOADS, shared, TILE, byte, 2) == written.get(byte // 2)


def test_copies_have_the_writer_with_zero_spare_bits() -> None:
    layout, shared = DotOperand(0, Mfma(16, True, (2, 2)), 4), Swizzled(4, 1, 16, (1, 0))
    found = writer(layout, shared, TILE, 130, 2)
    assert found is not None
    threads = thread_map(layout, TILE)
    assert shared.address(TILE, threads(**found)) == 65
    assert found["wave"] & threads.free_variable_masks()["wave"] == 0
    assert dimension(0) in threads.out_names


def test_clocks_of_an_operand_tile_are_those_of_its_instructions() -> None:
    operand = DotOperand(0, Mfma(16, True, (1, 1)), 8)
    read, count = ACCESSES["ds_read_b128"], 32 * 64 // 64 // 8
    assert tile_clocks(operand, Swizzled(8, 1, 8, (1, 0)), TILE, read, 2) == 8 * count
    assert tile_clocks(operand, Swizzled(1, 1, 1, (1, 0)), TILE, read, 2) == 32 * count
    assert tile_clocks(operand, padded_rows([(64, 8)], TILE, (1, 0)), TILE, read, 2) == 16 * count


def test_registers_that_lie_apart_are_refused() -> None:
    with pytest.raises(LayoutError, match="side by side"):
        list(wave_addresses(LOADS, Swizzled(4, 1, 8, (1, 0)), TILE, ACCESSES["ds_write_b128"], 2))
