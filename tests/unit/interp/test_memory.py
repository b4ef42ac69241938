"""Memory: dense and sparse storages behave alike; writers, definedness and addresses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argus_smt.interp.memory import GAP, Memory, Region

SIZE = 3 * 4096 + 100


@settings(max_examples=40)
@given(
    writes=st.lists(st.tuples(st.integers(0, SIZE - 40), st.integers(1, 40), st.integers(0, 255)), max_size=12),
    pattern=st.binary(min_size=1, max_size=5),
)
def test_sparse_equals_dense(writes: list[tuple[int, int, int]], pattern: bytes) -> None:
    regions = [Region(7, "x", "i8", SIZE)]
    dense, sparse = Memory(regions), Memory(regions, dense_limit=0)
    for memory in (dense, sparse):
        memory.fill(7, pattern)
        for k, (at, count, byte) in enumerate(writes):
            if k % 2:
                memory.write_elements(7, at, np.full(count, byte, np.uint8))
            else:
                offsets = at + np.arange(count)
                memory.put(7, offsets, np.full(count, byte, np.uint8), np.full(count, 2 + k, np.int32))
    assert (dense.read_bytes(7, 0, SIZE) == sparse.read_bytes(7, 0, SIZE)).all()
    assert (dense.writers(7, 0, SIZE) == sparse.writers(7, 0, SIZE)).all()
    truth = bytearray((pattern * (SIZE // len(pattern) + 1))[:SIZE])
    for at, count, byte in writes:
        truth[at : at + count] = bytes([byte]) * count
    assert dense.read_bytes(7, 0, SIZE).tobytes() == bytes(truth)


@pytest.mark.parametrize("limit", [0, 1 << 24])
def test_defaults_and_initialisation(limit: int) -> None:
    memory = Memory([Region(0, "x", "f32", 64)], dense_limit=limit)
    memory.write_elements(0, 8, np.array([3.0], np.float32))
    memory.set_default(0, 0.5)
    assert memory.read_elements(0, "f32", 0, 4).tolist() == [0.5, 0.5, 3.0, 0.5]
    assert memory.writers(0, 4, 8).tolist() == [-2] * 4 + [-1] * 4
    memory.mark_uninitialised(0)
    code = memory.take(0, np.arange(16))[1]
    assert memory.uninitialised(0, code).all()
    memory.write_elements(0, 0, np.array([1.0], np.float32))
    code = memory.take(0, np.arange(8))[1]
    assert memory.uninitialised(0, code).tolist() == [False] * 4 + [True] * 4


def test_a_storage_of_terabytes() -> None:
    memory = Memory([Region(0, "x", "i32", 1 << 45)])
    memory.write_elements(0, (1 << 44) - 4, np.array([7, 8], np.int32))
    assert memory.read_elements(0, "i32", (1 << 44) - 4, 2).tolist() == [7, 8]
    assert memory.read_elements(0, "i32", 0, 1).tolist() == [0]


def test_addresses() -> None:
    memory = Memory([Region(0, "a", "f32", 100), Region(5, "b", "f32", 1 << 43)])
    assert memory.base(0) % 4096 == 0
    assert memory.base(5) - memory.base(0) >= GAP
    for storage in (0, 5):
        base, nbytes = memory.base(storage), memory.region(storage).nbytes
        assert {memory.owner(base + k) for k in (-(1 << 32), 0, nbytes - 1, nbytes + (1 << 32))} == {storage}
    assert memory.owner(-5) is None
    assert memory.owner(0) is None
    assert memory.owner((1 << 63) - 1) is None


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="twice"):
        Memory([Region(0, "a", "f32", 4), Region(0, "b", "f32", 4)])
    memory = Memory([Region(0, "a", "f32", 4)])
    with pytest.raises(IndexError):
        memory.read_bytes(0, 2, 4)
    with pytest.raises(IndexError):
        memory.write_elements(0, -1, np.zeros(1, np.uint8))
    with pytest.raises(ValueError, match="pattern"):
        memory.fill(0, b"")
