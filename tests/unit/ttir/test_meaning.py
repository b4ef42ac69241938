"""Imported kernels compute what the Python text says, by the concrete interpreter."""

from __future__ import annotations

import importlib.util
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from argus_smt.interp.memory import Memory, Region
from argus_smt.interp.run import PointerValue, run_grid
from argus_smt.ir.ops import Kernel
from tests.unit.ttir import control_kernels as C
from tests.unit.ttir import library_kernels as L
from tests.unit.ttir.imported import imported, lines_with, names

CELLS = 64
UNWRITTEN = -9


def run(kernel: Kernel, arrays: list[Any], scalars: list[int]) -> list[Any]:
    """Run one program on arrays, which come first among the parameters; their contents afterwards."""
    memory = Memory([Region(k, f"s{k}", kind(a), a.nbytes) for k, a in enumerate(arrays)])
    for k, a in enumerate(arrays):
        memory.write_elements(k, 0, a)
    pointers = [PointerValue(k, 0, 0, a.nbytes) for k, a in enumerate(arrays)]
    trace = run_grid(kernel, [*pointers, *scalars], (1, 1, 1), memory)
    assert trace.complete
    assert not trace.of("uninit_read", "undefined_use", "oob_read", "oob_write", "limit")
    return [memory.read_elements(k, kind(a), 0, a.size) for k, a in enumerate(arrays)]


def kind(a: Any) -> str:
    return {"int32": "i32", "float32": "f32"}[a.dtype.name]


class FakeLanguage:
    """The few functions of Triton's language that scalar kernels use, over one dictionary; an address is an integer."""

    def __init__(self) -> None:
        self.cells: dict[int, int] = {}
        self.constexpr = None

    def program_id(self, _: int) -> int:
        return 0

    def store(self, at: int, value: int) -> None:
        self.cells[at] = value

    def load(self, at: int) -> int:
        return self.cells.get(at, UNWRITTEN)


def plain_python(path: str) -> tuple[dict[str, Any], FakeLanguage]:
    """The module's functions with decorators and Triton removed."""
    text = Path(path).read_text(encoding="utf-8").replace("import triton.language as tl", "")
    for decorator in ("@triton.jit(noinline=True)", "@triton.jit"):
        text = text.replace(decorator, "")
    fake = FakeLanguage()
    scope: dict[str, Any] = {"tl": fake, "__name__": "plain"}
    exec(compile(text.replace("import triton\n", "\n"), path, "exec"), scope)
    return scope, fake


def wrapped(value: int) -> int:
    """A number in 32 bits."""
    return (value + 2**31) % 2**32 - 2**31


def compare(fn: Any, plain: Callable[..., None], fake: FakeLanguage, kernel: Kernel, scalars: list[int]) -> None:
    fake.cells.clear()
    plain(0, *scalars)
    before = np.full(CELLS, UNWRITTEN, np.int32)
    (after,) = run(kernel, [before], scalars)
    expected = [wrapped(fake.cells.get(i, UNWRITTEN)) for i in range(CELLS)]
    assert after.tolist() == expected, (fn.__name__, scalars)


@pytest.mark.parametrize("fn", [C.calls_in_loop, C.nested_returns, C.returns_everywhere], ids=lambda f: f.__name__)
def test_control_flow_agrees_with_python(fn: Any) -> None:
    scope, fake = plain_python(C.__file__)
    _, kernel = imported(fn, {"p": "*i32", "a": "i32", "b": "i32", "n": "i32"})
    for a in (-1, 0, 1, 5):
        for b in (-1, 1):
            for n in (0, 2, 3, 6):
                compare(fn, scope[fn.__name__], fake, kernel, [a, b, n])


def statements(rng: random.Random, depth: int, indent: str, helper: bool) -> Iterator[str]:
    """Random straight code, branches and returns."""
    for _ in range(rng.randint(1, 3)):
        kind = rng.randrange(6)
        if kind == 0 and depth:
            yield f"{indent}if {rng.choice('abn')} > {rng.randint(-1, 3)}:"
            yield from statements(rng, depth - 1, indent + "    ", helper)
            if rng.random() < 0.5:
                yield f"{indent}else:"
                yield from statements(rng, depth - 1, indent + "    ", helper)
        elif kind == 1 and depth < 3:
            yield f"{indent}return v + {rng.randint(0, 9)}" if helper else f"{indent}return"
            return
        elif kind == 2 and not helper:
            yield f"{indent}tl.store(p + {rng.randint(0, 9)}, v)"
        elif kind == 3 and depth and not helper:
            yield f"{indent}for i in range({rng.choice('abn')}):"
            yield f"{indent}    v += helper(v, i, a, n)"
        else:
            yield f"{indent}v = v * {rng.randint(1, 3)} + {rng.choice('abn')}"


def program(seed: int) -> str:
    """A kernel with a helper, both with early returns."""
    rng = random.Random(seed)
    lines = ["import triton", "import triton.language as tl", "", "", "@triton.jit", "def helper(v, a, b, n):"]
    lines += [*statements(rng, 3, "    ", True), "    return v", "", "", "@triton.jit", "def kernel(p, a, b, n):"]
    lines += ["    v = a + 1", *statements(rng, 3, "    ", False), *statements(rng, 3, "    ", False)]
    return "\n".join([*lines, "    tl.store(p + 10, v)", ""])


@pytest.mark.parametrize("seed", range(40))
def test_random_branch_graphs_agree_with_python(seed: int, tmp_path: Path) -> None:
    path = tmp_path / f"random_{seed}.py"
    path.write_text(program(seed), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    text, kernel = imported(module.kernel, {"p": "*i32", "a": "i32", "b": "i32", "n": "i32"})
    stores = text[: text.index("tt.func private")] if "tt.func private" in text else text
    assert names(kernel)["Store"] <= lines_with(stores, r"tt\.store")
    scope, fake = plain_python(str(path))
    for scalars in ([0, 0, 0], [2, 1, 3], [-1, 3, 2], [4, 4, 4], [1, 2, 0]):
        compare(module.kernel, scope["kernel"], fake, kernel, scalars)


def of(fn: Any, data: Any, n: int = 3) -> Any:
    _, kernel = imported(fn, {"x": "*fp32", "o": "*fp32", "n": "i32", "B": "constexpr"}, {"B": data.size})
    return run(kernel, [data, np.zeros_like(data)], [n])[1]


DATA = np.array([3, -1, 4, 1, -5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3], np.float32)


def test_library_functions_compute() -> None:
    assert of(L.sort, DATA).tolist() == sorted(DATA.tolist(), reverse=True)
    assert of(L.flip, DATA).tolist() == DATA[::-1].tolist()
    assert of(L.topk, DATA)[:4].tolist() == [9, 9, 9, 8]
    assert of(L.gathered, DATA).tolist() == np.roll(DATA, -1).tolist()
    assert of(L.extremes, DATA)[0] == 9 - 5 + 9 + 5
    assert of(L.positions, DATA)[0] == 5 + 4
    assert of(L.cdiv, DATA)[0] == 1 + 6
    ones = np.ones_like(DATA)
    assert of(L.running, ones).tolist() == [i + 1 + 1 for i in range(16)]
    exact = np.exp(DATA - 9) / np.exp(DATA - 9).sum() + 1 / (1 + np.exp(-DATA))
    np.testing.assert_allclose(of(L.softmax, DATA), exact, rtol=1e-5)


def test_masks_and_choices_compute() -> None:
    got = of(L.where, DATA, n=10)
    v = np.where(np.arange(16) < 10, DATA, 0)
    expected = np.abs(v) + np.minimum(v, 1) + np.maximum(v, 0) + np.clip(v, -1, 1)
    assert got[:10].tolist() == expected[:10].tolist()
    assert got[10:].tolist() == [0] * 6


def test_integer_operations_compute() -> None:
    n = 2
    i = np.arange(16, dtype=np.int64) + n
    a = (i // 3) ^ (i % 3) | (i << 2) & (i >> 1)
    b = (i // 3) + (i % 3) + (i >> 1) + (-1 - i) + np.minimum(i, 5) + np.maximum(i, 7) - i
    c = i * 4294967296 + (i < 3) + (i <= 3) + (i != 4) + (i == 5) + (not n > 3)
    np.testing.assert_allclose(of(L.integers, DATA, n=n), (a + b % 2**32 + c).astype(np.float32), rtol=1e-6)


def test_dot_computes() -> None:
    data = np.arange(16 * 16, dtype=np.float32) % 5
    _, kernel = imported(L.product, {"x": "*fp32", "o": "*fp32", "n": "i32", "B": "constexpr"}, {"B": 16})
    a = data.reshape(16, 16)
    c = a @ a.T
    assert run(kernel, [data, np.zeros_like(data)], [16])[1].reshape(16, 16).tolist() == (c @ a + c).tolist()


def test_custom_scans_compute() -> None:
    scale = np.float32(0.25)
    data = np.array([1, 0, 2, 1], np.float32) * scale
    grown = 1 + data  # a + b + a * b is a product of one more than each
    backward = np.cumprod(grown[::-1])[::-1] - 1
    p = np.cumprod(data)
    expected = backward + p + np.arange(4) + (np.prod(grown) - 1)
    np.testing.assert_allclose(of(L.custom_scan, data), expected, rtol=1e-6)


@pytest.mark.parametrize("n", [-2, 1, 3])
def test_functions_of_single_elements_and_histograms(n: int) -> None:
    """Triton's interpreter has no `map_elementwise`, so NumPy stands in."""
    _, kernel = imported(L.mapped, {"x": "*i32", "n": "i32", "B": "constexpr"}, {"B": 16})
    x = np.random.default_rng(n + 5).integers(-40, 40, 16).astype(np.int32)
    (found,) = run(kernel, [x], [n])
    places = np.arange(16) * n
    counted = places[(x > 0) & (places >= 0) & (places < 16)]
    expected = np.abs(x - places) * 2 + (x > places) + np.bincount(counted, minlength=16)
    np.testing.assert_array_equal(found, expected)
