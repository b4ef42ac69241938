"""Lane maps against enumeration and Triton, lemmas against enumeration, LDS clocks against the layouts of public libraries."""

from __future__ import annotations

import random

import pytest

from argus_smt.encodings.tables.lds import ACCESSES, LANES, clocks, ideal_clocks
from argus_smt.encodings.tables.lemmas import chained_k, k_slots_are_right, operand_map, reduction_steps, result_map
from argus_smt.encodings.tables.limits import GFX942, excess, occupancy, waves_by_registers
from argus_smt.encodings.tables.mfma import INSTRUCTIONS, Mfma
from argus_smt.layout.distributed import Mfma as MfmaLayout
from argus_smt.layout.linear import linear
from argus_smt.layout.shared import Padded, Swizzled, padded_rows
from tests.unit.layout.triton_layouts import thread_bases

every = pytest.mark.parametrize("instruction", INSTRUCTIONS.values(), ids=INSTRUCTIONS)
both = pytest.mark.parametrize("transposed", [False, True])


@every
def test_operands_hold_each_element_once(instruction: Mfma) -> None:
    seen = {}
    for lane in range(LANES):
        for e in range(instruction.k_held):
            seen[instruction.operand(lane, e)] = (lane, e)
    assert len(seen) == instruction.m * instruction.k == LANES * instruction.k_held
    assert all(instruction.operand_place(*index) == place for index, place in seen.items())
    layout = operand_map(instruction)
    assert all(layout(lane=lane, element=e) == index for index, (lane, e) in seen.items())


@every
@both
def test_results_hold_each_element_once(instruction: Mfma, transposed: bool) -> None:
    layout, seen = result_map(instruction, transposed=transposed), {}
    for lane in range(LANES):
        for e in range(instruction.results_held):
            element = instruction.result(lane, e, transposed=transposed)
            assert layout(lane=lane, element=e) == element
            assert instruction.result_place(*element, transposed=transposed) == (lane, e)
            seen[element] = lane
    assert len(seen) == instruction.m**2
    theirs = thread_bases(MfmaLayout(instruction.m, transposed, (1, 1), instruction.result_bits), [instruction.m] * 2)
    assert [list(b) for b in layout.bases("element")] == theirs["register"]
    assert [list(b) for b in layout.bases("lane")] == theirs["lane"]


def test_maps_are_those_of_the_manual() -> None:
    small, wide = INSTRUCTIONS["v_mfma_f32_16x16x16_f16"], INSTRUCTIONS["v_mfma_f32_32x32x8_f16"]
    double = INSTRUCTIONS["v_mfma_f64_16x16x4_f64"]
    for lane in range(LANES):
        for r in range(16):
            assert wide.result(lane, r) == (8 * (r // 4) + 4 * (lane // 32) + r % 4, lane % 32)
        for r in range(4):
            assert small.result(lane, r) == (4 * (lane // 16) + r, lane % 16)
            assert small.operand(lane, r) == (lane % 16, 4 * (lane // 16) + r)
            assert double.result(lane, r) == (4 * r + lane // 16, lane % 16)
    assert INSTRUCTIONS["v_mfma_f32_16x16x32_fp8_fp8"].packing(5) == (1, 8)


@both
@pytest.mark.parametrize("first", ["v_mfma_f32_16x16x16_f16", "v_mfma_f32_32x32x8_f16"])
@pytest.mark.parametrize("second", INSTRUCTIONS)
def test_chained_dot_is_what_enumeration_finds(first: str, second: str, transposed: bool) -> None:
    a, b = INSTRUCTIONS[first], INSTRUCTIONS[second]
    found = chained_k(a, b, transposed=transposed)
    if a.m != b.m:
        assert found is None
        return
    slots: dict[int, set[int]] = {}
    rows_meet = True
    for lane in range(LANES):
        for register in range(max(a.results_held, b.k_held)):
            row, column = a.result(lane, register % a.results_held, transposed=transposed)
            index, k = b.operand(lane, register % b.k_held)
            rows_meet &= row == index
            slots.setdefault(b.k * (register // b.k_held) + k, set()).add(a.m * (register // a.results_held) + column)
    right = rows_meet and all(len(c) == 1 for c in slots.values())
    assert (found is not None) == right
    if found is not None:
        assert {k: {found(k=k)[0]} for k in slots} == slots


def test_attention_keeps_its_scores_in_registers() -> None:
    for name in ("v_mfma_f32_16x16x16_f16", "v_mfma_f32_32x32x8_bf16"):
        chain = chained_k(INSTRUCTIONS[name], INSTRUCTIONS[name], transposed=True)
        assert chain is not None
        assert all(chain(k=k) == (k,) for k in range(chain.in_size("k")))
    narrow = chained_k(INSTRUCTIONS["v_mfma_f32_16x16x16_f16"], INSTRUCTIONS["v_mfma_f32_16x16x32_fp8_fp8"], transposed=True)
    assert narrow is not None
    assert any(narrow(k=k) != (k,) for k in range(32))


def test_k_slots_may_be_permuted_alike_but_not_apart() -> None:
    plain = linear({"call": [[16]], "group": [[4], [8]], "element": [[1], [2]]}, {"k": 32})
    packed = linear({"call": [[4]], "group": [[8], [16]], "element": [[1], [2]]}, {"k": 32})
    twice = linear({"call": [[8]], "group": [[8], [16]], "element": [[1], [2]]}, {"k": 32})
    assert k_slots_are_right(plain, plain)
    assert k_slots_are_right(packed, packed)
    assert not k_slots_are_right(plain, packed)
    assert not k_slots_are_right(twice, twice)


@every
@both
def test_rows_are_reduced_over_the_lanes_that_hold_them(instruction: Mfma, transposed: bool) -> None:
    steps = reduction_steps(instruction, transposed=transposed)
    rows = [[instruction.result(v, e, transposed=transposed)[0] for e in range(instruction.results_held)] for v in range(LANES)]
    assert (steps is None) == any(len(set(held)) > 1 for held in rows)
    if steps is not None:
        reached = [0]
        for step in steps:
            reached += [lane ^ step for lane in reached]
        for lane in range(LANES):
            assert {lane ^ d for d in reached} == {other for other in range(LANES) if rows[other][0] == rows[lane][0]}


def read(layout: Swizzled | Padded, vec: int, m: int, columns: int, name: str) -> int:
    """Clocks of reading an operand tile of f16: lane → row `lane % m`, chunk `lane // m` of `vec` elements."""
    shape = [m, columns]
    return clocks(ACCESSES[name], [2 * layout.address(shape, (lane % m, vec * (lane // m))) for lane in range(LANES)])


@pytest.mark.parametrize(
    ("layout", "vec", "m", "columns", "name", "expected"),
    [
        (Swizzled(1, 1, 1, (1, 0)), 4, 16, 64, "ds_read_b64", 64),
        (Swizzled(1, 1, 1, (1, 0)), 8, 16, 64, "ds_read_b128", 32),
        (Swizzled(4, 1, 16, (1, 0)), 4, 16, 64, "ds_read_b64", 4),
        (Swizzled(4, 1, 16, (1, 0)), 4, 32, 64, "ds_read_b64", 4),
        (Swizzled(8, 1, 8, (1, 0)), 8, 16, 64, "ds_read_b128", 8),
        (Swizzled(8, 1, 8, (1, 0)), 8, 32, 64, "ds_read_b128", 8),
        (Swizzled(8, 1, 4, (1, 0)), 8, 16, 64, "ds_read_b128", 16),
        (padded_rows([(64, 8)], [16, 64], (1, 0)), 8, 16, 64, "ds_read_b128", 16),
        (padded_rows([(64, 16)], [16, 64], (1, 0)), 8, 16, 64, "ds_read_b128", 8),
    ],
)
def test_conflicts_of_known_layouts(layout, vec: int, m: int, columns: int, name: str, expected: int) -> None:
    assert read(layout, vec, m, columns, name) == expected


def test_phases_have_each_lane_once_and_a_broadcast_is_free() -> None:
    for access in ACCESSES.values():
        assert sorted(lane for phase in access.phases for lane in phase) == list(range(LANES))
        assert clocks(access, [0] * LANES) == ideal_clocks(access)
        assert clocks(access, [None] * LANES) == 0
        assert clocks(access, [lane * access.bytes for lane in range(LANES)]) == ideal_clocks(access)
    with pytest.raises(ValueError, match="no dword"):
        clocks(ACCESSES["ds_read_b32"], [2] * LANES)


def test_occupancy_follows_the_table_and_the_smallest_limit() -> None:
    tops = {64: 8, 72: 7, 80: 6, 96: 5, 128: 4, 168: 3, 256: 2, 512: 1, 513: 0}
    assert {n: waves_by_registers(GFX942, n) for n in tops} == tops
    assert occupancy(GFX942, waves=4, registers=64, lds_bytes=32768) == 2
    assert occupancy(GFX942, waves=8, registers=256, lds_bytes=65536) == 2
    assert occupancy(GFX942, waves=8, registers=64, lds_bytes=65792) == 0
    assert excess(GFX942, lds_bytes=65792) == ("65792 bytes of LDS, gfx942 has 65536",)
    rng = random.Random(1)
    for _ in range(50):
        registers, lds, waves = rng.randint(1, 512), rng.randint(1, 65536), rng.choice([1, 2, 4, 8])
        by_registers = min(8, 512 // (-(-registers // 8) * 8))
        groups = min(by_registers * 4 // waves, 65536 // lds)
        assert occupancy(GFX942, waves=waves, registers=registers, lds_bytes=lds) == groups * waves // 4
