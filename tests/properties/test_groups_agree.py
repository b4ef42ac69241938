"""Verdicts on coverage, initialisation and order inside programs, of generated kernels, against every small launch."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
import torch

from argus_smt.capture.ttir.compile import raw_ttir
from argus_smt.capture.ttir.importer import import_kernel
from argus_smt.interp.conflicts import Watch
from argus_smt.interp.hazards import inside
from argus_smt.interp.memory import Memory, Region
from argus_smt.interp.run import PointerValue, run_grid
from argus_smt.ir.launch import Demand, PointerArg, Program
from argus_smt.ir.ops import Kernel
from argus_smt.prove.case import prove_case
from argus_smt.prove.finding import Finding, ProveOptions, Verdict
from argus_smt.smt import term as T
from tests.properties.brute_force import load_module
from tests.properties.race_kernels import race_kernel
from tests.properties.test_race_agreement import SIZES, described, grid_of

CODES = ("AR304", "AR404", "AR411")
TAILS = (
    "",
    "",
    "w = tl.load(y_ptr + i, mask=mask)\ntl.store(y_ptr + n + i, w, mask=mask)",
    "w = tl.load(y_ptr + i, mask=i < n)\ntl.store(y_ptr + n + i, w, mask=mask)",
    "w = tl.load(y_ptr + n - 1 - i, mask=mask)\ntl.store(y_ptr + n + i, w, mask=mask)",
    "tl.debug_barrier()\nw = tl.load(y_ptr + n - 1 - i, mask=mask)\ntl.store(y_ptr + n + i, w, mask=mask)",
    "w = tl.load(y_ptr + i + 1, mask=mask)\ntl.store(y_ptr + n + i, w, mask=mask)",
    "tl.debug_barrier()\ntl.store(y_ptr + n - 1 - i, i, mask=mask)",
    "tl.store(y_ptr + i // 2, i, mask=mask)",
)
"""What comes after the store of a generated kernel, in the same trip."""


def source_of(seed: int) -> str:
    """The text of a generated kernel with a tail."""
    head, launch = race_kernel(seed).source.split("\n\n\ndef launch")
    last = head.splitlines()[-1]
    indent = last[: len(last) - len(last.lstrip())]
    tail = random.Random(seed + 1).choice(TAILS)
    return "\n".join([head, *(indent + line for line in tail.splitlines())]) + "\n\n\ndef launch" + launch


def asked(program: Program) -> Program:
    """The program with `y` as the host left it when it was allocated, of which the first n elements are looked at afterwards."""
    (launch,) = program.launches
    x, y = launch.storages
    view = PointerArg(1, "i32", T.ZERO, (T.var("n"),), (T.ONE,))
    storages = (x, replace(y, contents="uninit", role=""))
    return replace(program, launches=(replace(launch, storages=storages),), demands=(Demand(1, 1, view, "returned"),))


def faults(source: str, kernel: Kernel, n: int, m: int) -> set[str]:
    """Codes of what happens in one launch, in either order of its programs."""
    found: set[str] = set()
    grid = (grid_of(source, n, m), 1, 1)
    every = [(p, 0, 0) for p in range(grid[0])]
    for programs in (every, every[::-1]):
        memory = Memory([Region(0, "x", "i32", 4 * n), Region(1, "y", "i32", 4 * (2 * n + 2))])
        memory.write_elements(0, 0, torch.arange(100, 100 + n, dtype=torch.int32).numpy())
        memory.mark_uninitialised(1)
        watch = Watch(kernel, grid)
        args = (PointerValue(0, 0, 0, 4 * n), PointerValue(1, 0, 0, 4 * (2 * n + 2)), n, m)
        trace = run_grid(kernel, args, grid, memory, programs=programs, on_access=watch.note)
        if trace.of("uninit_read"):
            found.add("AR304")
        if any(c.kind == "inside" for c in inside(watch)):
            found.add("AR404")
        if (memory.writers(1, 0, 4 * n) < 0).any():
            found.add("AR411")
    return found


def check(seed: int, folder: Path) -> Counter[tuple[str, str, bool]]:
    """Of each code the verdict, and whether a small launch fails."""
    source = source_of(seed)
    path = folder / f"groups_{seed}.py"
    path.write_text(source)
    block = int(source.split("B=")[-1].split(")")[0])
    types = {"x_ptr": "*i32", "y_ptr": "*i32", "n": "i32", "m": "i32", "B": "constexpr"}
    kernel = import_kernel(raw_ttir(load_module(path).kernel, types, {"B": block}))
    options = ProveOptions(overflow="off", checks=("order", "coverage", "init"))
    result = prove_case(asked(described(source, kernel, path)), 0, 0, options)
    assert not result.internal, (seed, result.internal, source)
    seen: set[str] = set()
    for n, m in product(SIZES, (1, 2, 3, 5)):
        seen |= faults(source, kernel, n, m)
    out: Counter[tuple[str, str, bool]] = Counter()
    for code in CODES:
        mine = [f for f in result.findings if f.code == code]
        verdicts = {f.verdict for f in mine}
        if code in seen:
            assert verdicts & {Verdict.UNKNOWN, Verdict.REFUTED}, (seed, code, source)
        for f in mine:
            if f.verdict is Verdict.REFUTED:
                assert code in faults(source, kernel, *_shape(f)), (seed, code, f.counterexample, source)
        if mine:
            worst = "refuted" if Verdict.REFUTED in verdicts else "unknown" if Verdict.UNKNOWN in verdicts else "proved"
            out[code, worst, code in seen] += 1
    return out


def _shape(f: Finding) -> tuple[int, int]:
    assert f.counterexample is not None
    values = dict(f.counterexample.shape)
    return int(values["n"]), int(values["m"])


@pytest.mark.parametrize("start", [0, 12])
def test_verdicts_agree_with_execution(start: int, tmp_path: Path) -> None:
    seen = sum((check(seed, tmp_path) for seed in range(start, start + 12)), Counter[tuple[str, str, bool]]())
    assert any(key[1:] == ("proved", False) for key in seen)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(24, 1024, 50))
def test_verdicts_agree_with_execution_on_many_kernels(start: int, tmp_path: Path) -> None:
    seen = sum((check(seed, tmp_path) for seed in range(start, start + 50)), Counter[tuple[str, str, bool]]())
    print(f"seeds {start} to {start + 49}: {dict(seen)}")
