"""Verdicts on races of generated kernels against every meeting of accesses in small launches."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch

from argus_smt.capture.ttir.compile import raw_ttir
from argus_smt.capture.ttir.importer import import_kernel
from argus_smt.interp.memory import Memory, Region
from argus_smt.interp.run import PointerValue, run_grid
from argus_smt.ir.launch import Case, Launch, PointerArg, Program, ScalarArg, Storage, Symbol
from argus_smt.ir.ops import Kernel
from argus_smt.prove.case import prove_case
from argus_smt.prove.finding import CaseResult, ProveOptions, Verdict
from argus_smt.smt import term as T
from argus_smt.smt.term import Term
from tests.properties.brute_force import load_module
from tests.properties.meetings import Meetings
from tests.properties.programs import cdiv
from tests.properties.race_kernels import race_kernel

SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 12)


def grid_text(source: str) -> str:
    """The grid as the launcher writes it."""
    return source.split("kernel[(")[-1].split(",)]")[0]


def grid_of(source: str, n: Any, m: Any) -> Any:
    """The number of programs, for terms and for numbers."""
    number = isinstance(n, int)

    class Host:
        cdiv = staticmethod((lambda a, b: -(-a // b)) if number else cdiv)

    return eval(grid_text(source), {"triton": Host, "n": n, "m": m})


def described(source: str, kernel: Kernel, path: Path) -> Program:
    """The program of a generated launcher."""
    n, m = T.var("n"), T.var("m")
    storages = (
        Storage(0, "x", "i32", n * 4, (n,), (T.ONE,)),
        Storage(1, "y", "i32", (2 * n + 2) * 4, (2 * n + 2,), (T.ONE,), role="inout"),
    )
    args = (
        *(PointerArg(s.ident, s.dtype, T.ZERO, s.shape, s.strides) for s in storages),
        ScalarArg("i32", n),
        ScalarArg("i32", m),
    )
    grid: Term = grid_of(source, n, m)
    launch = Launch(
        "kernel", kernel.span, kernel.span, (), (T.lift(grid), T.ONE, T.ONE), storages, (Case("", (), (), kernel, args),)
    )
    symbols = (Symbol("n", "dim", 1, 2**31 - 1), Symbol("m", "dim", 1, 2**31 - 1))
    return Program(str(path), "launch", "launch(x, y, n, m)", symbols, (), (launch,))


def meetings(source: str, kernel: Kernel, n: int, m: int) -> set[tuple[str, int]]:
    """Code and line of what races in one launch."""
    found = Meetings()
    memory = Memory([Region(0, "x", "i32", 4 * n), Region(1, "y", "i32", 4 * (2 * n + 2))])
    memory.write_elements(0, 0, torch.arange(100, 100 + n, dtype=torch.int32).numpy())
    memory.write_elements(1, 0, torch.arange(500, 502 + 2 * n, dtype=torch.int32).numpy())
    args = (PointerValue(0, 0, 0, 4 * n), PointerValue(1, 0, 0, 4 * (2 * n + 2)), n, m)
    run_grid(kernel, args, (grid_of(source, n, m), 1, 1), memory, on_access=found.note)
    return set(found.faults())


def races(result: CaseResult) -> dict[str, set[Verdict]]:
    """Verdicts by code."""
    out: dict[str, set[Verdict]] = {}
    for f in result.findings:
        if f.code in ("AR401", "AR402", "AR403"):
            out.setdefault(f.code, set()).add(f.verdict)
    return out


def check(seed: int, folder: Path) -> tuple[bool, bool]:
    """Whether all is proved, and whether a small launch races."""
    source = race_kernel(seed).source
    path = folder / f"races_{seed}.py"
    path.write_text(source)
    fn = load_module(path).kernel
    block = int(source.split("B=")[-1].split(")")[0])
    types = {"x_ptr": "*i32", "y_ptr": "*i32", "n": "i32", "m": "i32", "B": "constexpr"}
    kernel = import_kernel(raw_ttir(fn, types, {"B": block}))
    verdicts = races(prove_case(described(source, kernel, path), 0, 0, ProveOptions(overflow="off", checks=("races",))))
    seen: set[tuple[str, int]] = set()
    for n, m in product(SIZES, (1, 2, 3, 5)):
        seen |= meetings(source, kernel, n, m)
    for code, line in seen:
        assert verdicts.get(code, set()) & {Verdict.UNKNOWN, Verdict.REFUTED}, (seed, code, line, source)
    return all(v == {Verdict.PROVED} for v in verdicts.values()), bool(seen)


@pytest.mark.parametrize("start", range(0, 60, 20))
def test_verdicts_agree_with_execution(start: int, tmp_path: Path) -> None:
    seen = Counter(check(seed, tmp_path) for seed in range(start, start + 20))
    assert seen[True, False] >= 1


@pytest.mark.slow
@pytest.mark.parametrize("start", range(60, 2060, 50))
def test_verdicts_agree_with_execution_on_many_kernels(start: int, tmp_path: Path) -> None:
    seen = Counter(check(seed, tmp_path) for seed in range(start, start + 50))
    print(f"seeds {start} to {start + 49}: {dict(seen)}")
