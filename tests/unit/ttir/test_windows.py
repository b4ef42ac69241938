"""Descriptors and block pointers, imported, move the elements that NumPy moves, and touch nothing outside of the array."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from argus_smt.capture.ttir import import_kernel, raw_ttir
from argus_smt.capture.ttir.type_text import WindowType, parse_window
from argus_smt.interp.memory import Memory, Region
from argus_smt.interp.run import PointerValue, run_grid
from argus_smt.ir import ops as O
from argus_smt.ir.check import check
from argus_smt.ir.ops import Kernel
from argus_smt.ir.types import Ptr, Scalar
from tests.unit.ttir import window_kernels as W
from tests.unit.ttir.imported import imported, ops
from tests.unit.ttir.test_recorded import recorded

B = 4
OUT = -1.0
TYPES = {"x": "*fp32", "o": "*fp32", **dict.fromkeys("mnij", "i32"), "B": "constexpr"}
SPOTS = [(m, n, i, j) for m, n in ((4, 8), (5, 12), (9, 24)) for i, j in ((0, 0), (-2, 4), (3, -3), (2, 20), (-9, 0), (6, 9))]
Array = Any


def run(kernel: Kernel, arrays: list[Array], scalars: list[int]) -> list[Array]:
    """Run one program on float arrays, which come first among the parameters; nothing may go wrong."""
    memory = Memory([Region(k, f"s{k}", "f32", a.nbytes) for k, a in enumerate(arrays)])
    for k, a in enumerate(arrays):
        memory.write_elements(k, 0, a)
    pointers = [PointerValue(k, 0, 0, a.nbytes) for k, a in enumerate(arrays)]
    trace = run_grid(kernel, [*pointers, *scalars], (1, 1, 1), memory)
    assert trace.complete
    assert [e.kind for e in trace.events] == []
    return [memory.read_elements(k, "f32", 0, a.size).reshape(a.shape) for k, a in enumerate(arrays)]


def arrays(m: int, n: int) -> tuple[Array, Array]:
    return np.arange(m * n, dtype=np.float32).reshape(m, n) + 1, np.full((m, n), OUT, np.float32)


def read(x: Array, i: int, j: int, shape: tuple[int, int], padding: float = 0.0) -> Array:
    out = np.full(shape, padding, np.float32)
    for a, b in np.ndindex(shape):
        if 0 <= i + a < x.shape[0] and 0 <= j + b < x.shape[1]:
            out[a, b] = x[i + a, j + b]
    return out


def write(o: Array, i: int, j: int, v: Array, add: bool = False) -> None:
    for a, b in np.ndindex(v.shape):
        if 0 <= i + a < o.shape[0] and 0 <= j + b < o.shape[1]:
            o[i + a, j + b] = v[a, b] + (o[i + a, j + b] if add else 0)


@pytest.mark.parametrize("spot", SPOTS)
def test_a_block_is_copied_inside_the_array_only(spot: tuple[int, int, int, int]) -> None:
    m, n, i, j = spot
    _, kernel = imported(W.copy_block, TYPES, {"B": B})
    x, o = arrays(m, n)
    _, found = run(kernel, [x, o], [m, n, i, j])
    write(o, i, j, read(x, i, j, (B, 8)))
    np.testing.assert_array_equal(found, o)


@pytest.mark.parametrize("spot", SPOTS[:6])
def test_padding_is_nan_where_it_is_asked_for(spot: tuple[int, int, int, int]) -> None:
    m, n, i, j = spot
    _, kernel = imported(W.nan_block, TYPES, {"B": B})
    x, _ = arrays(m, n)
    _, found = run(kernel, [x, np.zeros((B, 8), np.float32)], [m, n, i, j])
    np.testing.assert_array_equal(found, read(x, i, j, (B, 8), np.nan))


@pytest.mark.parametrize("i", [0, 3])
def test_a_descriptor_chosen_by_a_branch_brings_its_padding(i: int) -> None:
    _, kernel = imported(W.chosen, TYPES, {"B": B})
    x, _ = arrays(3, 10)
    _, found = run(kernel, [x, np.zeros((B, 8), np.float32)], [3, 10, i, 0])
    np.testing.assert_array_equal(found, read(x, 0, 0, (B, 8), 0.0 if i else np.nan))


def test_descriptors_through_a_loop_and_an_early_return() -> None:
    _, kernel = imported(W.carried, TYPES, {"B": B})
    x, o = arrays(8, 8)
    found_x, found_o = run(kernel, [x, o], [8, 8, 1, 6])
    d, e = x, o
    for k in range(6):
        v = read(d, k, 1, (4, 8))
        if k > 2:
            write(e, 1, k, v)
        else:
            write(x[:k], 1, k, v)
        d, e = e, d
    np.testing.assert_array_equal(found_x, x)
    np.testing.assert_array_equal(found_o, o)


@pytest.mark.parametrize(("i", "j"), [(1, 0), (2, 4), (3, -3)])
def test_rows_are_gathered_and_scattered(i: int, j: int) -> None:
    _, kernel = imported(W.rows, TYPES, {"B": B})
    x, o = arrays(9, 12)
    _, found = run(kernel, [x, o], [9, 12, i, j])
    for r in range(8):
        write(o, r + i, j, read(x, r * i - 2, j, (1, 8)))
    np.testing.assert_array_equal(found, o)


def test_updates_add_inside_the_array() -> None:
    _, kernel = imported(W.updates, TYPES, {"B": B})
    x, o = arrays(5, 12)
    _, found = run(kernel, [x, o], [5, 12, 3, 6])
    for shift in (0, 1):
        write(o, 3, 6 + shift, read(x, 3, 6, (B, 8)), add=True)
    np.testing.assert_array_equal(found, o)
    assert {(op.fn, op.sem) for op in ops(kernel) if isinstance(op, O.AtomicRMW)} == {("fadd", "relaxed")}


@pytest.mark.parametrize(("dtype", "fns"), [("u32", ["umax", "umin", "xor", "or"]), ("i32", ["smax", "smin", "xor", "or"])])
def test_the_sign_of_a_descriptor_is_that_of_its_updates(dtype: str, fns: list[str]) -> None:
    _, kernel = imported(W.extremes, {**TYPES, "x": f"*{dtype}", "o": f"*{dtype}"}, {"B": B})
    assert [op.fn for op in ops(kernel) if isinstance(op, O.AtomicRMW)] == fns


def test_a_descriptor_argument_becomes_pointer_shape_and_strides() -> None:
    types = {"d": "tensordesc<fp32[4, 8]>", "o": "*fp32", "i": "i32", "j": "i32", "B": "constexpr"}
    text = raw_ttir(W.from_host, types, {"B": B})
    x, out = arrays(5, 12)
    for padded in (False, True):
        kernel = import_kernel(text, nan_padded=frozenset((0,)) if padded else frozenset())
        assert check(kernel) == ()
        assert kernel.params == ("d", "d.shape.0", "d.shape.1", "d.stride.0", "d.stride.1", "o", "i", "j")
        assert kernel.body.params[0].type == Ptr(Scalar("f32"))
        memory = Memory([Region(0, "x", "f32", x.nbytes), Region(1, "o", "f32", out.nbytes)])
        memory.write_elements(0, 0, x)
        pointers = [PointerValue(0, 0, 0, x.nbytes), PointerValue(1, 0, 0, out.nbytes)]
        trace = run_grid(kernel, [pointers[0], 5, 12, 12, 1, pointers[1], 3, 8], (1, 1, 1), memory)
        assert not trace.of("oob_read", "oob_write")
        expected = read(x, 3, 8, (4, 8), np.nan if padded else 0.0) + 5 + 12
        np.testing.assert_array_equal(memory.read_elements(1, "f32", 0, 32).reshape(4, 8), expected)


@pytest.mark.parametrize("n", [7, 16, 20, 50])
def test_a_carried_block_pointer_moves_on(n: int) -> None:
    """Of Triton 3.6: three blocks of 16 x 16 side by side, each loaded and stored where it is."""
    kernel = recorded("block_pointer")
    memory = Memory([Region(0, "x", "f32", 4 * n * n)])
    touched: list[list[int]] = []
    seen: list[str] = []

    def note(access: Any) -> None:
        seen.append(access.kind)
        touched.append(sorted((access.offsets[access.active] // 4).tolist()))

    memory.write_elements(0, 0, np.zeros(n * n, np.float32))
    trace = run_grid(kernel, [PointerValue(0, 0, 0, 4 * n * n), n], (1, 1, 1), memory, on_access=note)
    assert trace.events == []
    blocks = [[r * n + c for r in range(min(16, n)) for c in range(16 * k, min(16 * k + 16, n))] for k in range(3)]
    wanted = [b for b in blocks if b for _ in ("load", "store")]
    assert (touched, seen) == (wanted, ["load", "store"] * (len(wanted) // 2))


def test_accesses_of_descriptors_are_placed_at_their_calls() -> None:
    """By both versions, though 3.6 points at the last argument."""
    lines = Path(W.__file__).read_text(encoding="utf-8").splitlines()
    found = []
    for fn in (W.copy_block, W.rows, W.updates):
        accesses = [op.span for op in ops(imported(fn, TYPES, {"B": B})[1]) if isinstance(op, O.Load | O.Store | O.AtomicRMW)]
        found += [lines[s.line - 1][s.column - 1 : s.end_column - 1] for s in accesses]
    assert found == [
        "d.load([i, j])", "e.store([i, j], d.load([i, j]))", "d.gather(at * i - 2, j)",
        "e.scatter(d.gather(at * i - 2, j), at + i, j)", "d.load([i, j])", "e.atomic_add([i, j], d.load([i, j]))",
        "d.load([i, j])", "e.atomic_add([i, j + 1], d.load([i, j]))",
    ]  # fmt: skip


def test_types_in_the_spellings_of_both_versions() -> None:
    f16, i32 = Scalar("f16"), Scalar("i32")
    assert parse_window("!tt.tensordesc<4x8xf16>") == WindowType(f16, (4, 8), True)
    assert parse_window("!tt.tensordesc<tensor<4x8xf16>>") == WindowType(f16, (4, 8), True)
    assert parse_window("!tt.tensordesc<8xui32>") == WindowType(i32, (8,), True, unsigned=True)
    assert parse_window("!tt.tensordesc<tensor<8xsi32>>") == WindowType(i32, (8,), True)
    assert parse_window("!tt.tensordesc<8xi32, #shared>") == WindowType(i32, (8,), True)
    assert parse_window("!tt.ptr<tensor<8x4xf16>>") == WindowType(f16, (8, 4), False)
    assert parse_window("<4x8xf16>", bare=True) == WindowType(f16, (4, 8), True)
    assert [parse_window(t) for t in ("f32", "!tt.ptr<f32>", "tensor<8xf32>", "tensor<8x!tt.ptr<f32>>")] == [None] * 4
