"""Sizes as keys of tables, sets and caches: one path for each key that may be the size, and none that is wrong."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from argus_smt.capture.caches import Cached, Distinct
from argus_smt.capture.failure import CaptureError
from argus_smt.ir.launch import Program
from tests.unit.capture.points import allowed, applying, at

Capture = Callable[[str, str], Program]
HEAD = """
import functools
TABLE = {16: 64, 32: 128, "a": 3, None: 4, 2.0: 9}
CALLS = []


class Sizes:
    table = {(16, 2): 5, (32, 2): 6, (32, 3): 7}

    def __init__(self):
        self.own = {3: 30, True: 10, -1: 2}

    def look(self, n):
        return self.own.get(n, 1)


@functools.lru_cache(maxsize=None)
def plan(n, d=3):
    CALLS.append(n)
    return n * 2 if n > 7 else d


@functools.cache
def pair(n, m):
    return [n, m]


@functools.lru_cache(maxsize=1)
def last(n):
    CALLS.append(n)
    return [n]

"""
POINTS = [(n, m) for n in (1, 2, 3, 7, 16, 31, 32) for m in (1, 2, 3, 16, 32)]

EXPRESSIONS = [
    "TABLE[n] if n in TABLE else 32",
    "TABLE.get(n, 8)",
    "5 if n in {16, 32} else 6",
    "5 if n not in {16, 3} else 6",
    "Sizes.table.get((n, m), 1)",
    "Sizes.table.get((m, n), 1) + TABLE.get(m, n)",
    "Sizes().look(n)",
    "plan(n) + plan(m) + 100 * len(CALLS)",
    "plan(n) + plan(m, 4) + plan(m, d=4) + plan(16) + 100 * len(CALLS)",
    "7 if pair(n, m) is pair(m, n) else 8",
    "7 if pair(3, 2) is pair(n, m) else 8",
    "len([last(n), last(m), last(n)]) + 10 * len(CALLS)",
    "len(set((n, m)))",
    "len(set([n, m, 16]))",
    "sum(set((n, m, 2 * n)))",
    "1 if 16 in set((n, m)) else 2",
    "1 if set((n, m)) == {16, 32} else 2",
    "{True: 4, False: 8}[n % 16 == 0] + m",
    "{16: 1, 3: n}.get(n, 7)",
    "(lambda t: t.get(n, 0) + 1)({2: m})",
    "sum(1 for k in (n, m) if k in TABLE) + 1",
]


@pytest.mark.parametrize("expr", EXPRESSIONS)
def test_lookups_give_what_python_gives(launcher: Capture, expr: str) -> None:
    body = f"{HEAD}\ndef launch(x):\n    n, m = x.shape\n    copy[({expr},)](x, x, 3, BLOCK=64)\n"
    program = launcher(body, "launch(x: f32[n, m])")
    assert not program.not_covered
    for n, m in POINTS:
        names: dict[str, Any] = {"n": n, "m": m}
        exec(HEAD, names)
        point = {"n": n, "m": m}
        assert allowed(program, point)
        grids = {at(launch.grid[0], point) for launch, _ in applying(program, point)}
        assert grids == {eval(expr, names)}, (n, m)


def test_a_missing_key_is_a_rejection(launcher: Capture) -> None:
    program = launcher(f"{HEAD}\ndef launch(x):\n    copy[(TABLE[len(x)],)](x, x, 3, BLOCK=64)\n", "launch(x: f32[n])")
    (region,) = program.not_covered
    assert region.rejected
    assert [n for n in range(1, 40) if not at(region.condition, {"n": n})] == [2, 16, 32]


@pytest.mark.parametrize(
    "body",
    [
        "c = {}\n    c[n] = 3",
        "c = {n: 3}",
        "c = {n, m}",
        "c = {k for k in (n, m)}",
        "c = dict.fromkeys((n, m))",
        "c = {}\n    c.setdefault(n, 3)",
        "c = set()\n    c.add(n)",
        "c = hash(n)",
        "import collections\n    c = collections.Counter((n, m))",
        "import collections\n    c = collections.defaultdict(int)[n]",
        "c = {object(): 3}.get(n)",
        "c = dict(zip((n, m), (1, 2)))",
    ],
)
def test_nothing_is_stored_under_a_size(launcher: Capture, body: str) -> None:
    """A number that is looked up later would be missed there."""
    with pytest.raises(CaptureError, match="uses a size as a key"):
        launcher(f"def launch(x):\n    n, m = x.shape\n    {body}\n    copy[(1,)](x, x, 3, BLOCK=64)\n", "launch(x: f32[n, m])")


def test_a_cache_over_numbers_is_pythons_own() -> None:
    def plain(a: int, b: int = 2, *, c: int = 3) -> list[int]:
        return [a, b, c]

    for maxsize, typed in ((None, False), (2, False), (0, False), (2, True), (3, True)):
        mine = Cached(plain, maxsize, typed)
        real = functools.lru_cache(maxsize, typed)(plain)
        for args, kwargs in (((1,), {}), ((1.0,), {}), ((True,), {}), ((1, 2), {}), ((1,), {}), ((1,), {"c": 3}), ((2,), {}),
                             ((1,), {}), ((1, 2), {}), ((3,), {"c": 1, "b": 2}), ((3,), {"b": 2, "c": 1})):  # fmt: skip
            assert mine(*args, **kwargs) == real(*args, **kwargs)
            assert mine.cache_info() == real.cache_info()
        assert mine.cache_parameters() == real.cache_parameters()
    with pytest.raises(TypeError, match="unhashable"):
        Cached(plain, None, False)([1])


def test_distinct_items_of_numbers() -> None:
    assert list(Distinct((1, 2, 1, True, (1, 2), (1, 2)))) == [1, 2, (1, 2)]
    assert Distinct((1, 2)) == {2, 1}
    assert Distinct((1, 2)) != {1}
