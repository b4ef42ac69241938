"""Faults of order and coverage that show when small calls are played: each kind once faulty, once right."""

from __future__ import annotations

from pathlib import Path

import pytest

from argus_smt.prove import case as pipeline_case
from argus_smt.prove import whole
from argus_smt.prove.context import Context, Fault
from argus_smt.prove.finding import Finding, ProveOptions
from tests.integration.pipeline import program_of, prove_all

CODES = ("AR304", "AR401", "AR402", "AR403", "AR404", "AR406", "AR411", "AR412")
FILE = """import torch
import triton
import triton.language as tl


@triton.jit
def kernel({params}, B: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * B + tl.arange(0, B)
{body}


def launch({args}):
{host}
"""
COPY = "    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)"
GRID = "    kernel[(triton.cdiv(x.shape[0], 16),)](x, y, x.shape[0], B=16)"
TWICE = GRID + "\n    kernel[(triton.cdiv(x.shape[0], 16),)](y, x, x.shape[0], B=16)"
FRESH = "    y = torch.{make}(x)\n" + GRID + "\n    return y"
LATER = """    y = torch.empty_like(x)
    kernel[({first},)](x, y, x.shape[0], B=16)
    z = torch.empty_like(x)
    kernel[(triton.cdiv(x.shape[0], 16),)](y, z, x.shape[0], B=16)
    return z"""
WIPED = LATER.replace("    z = torch", "    y.zero_()\n    z = torch")
FROM_ONE = COPY.removesuffix("mask=i < n)") + "mask=(i > 0) & (i < n))"
SHIFT = "    tl.store(x + i, tl.load(x + i + 1, mask=i + 1 < n), mask=i + 1 < n)"
LEADER = "    if pid == 0:\n        tl.store(y, tl.load(x))"
BACK = """    tl.store(y + i, 1.0 * i, mask=i < n)
{between}
    v = tl.load(y + (i ^ 1), mask=(i ^ 1) < n)
    tl.store(x + i, v, mask=i < n)"""
ADD = "    tl.atomic_add(y + i, tl.load(x + i, mask=i < n), mask=i < n)"
SCATTER = {
    "body": "    at = tl.load(ids + i, mask=i < n)\n    tl.store(y + at, tl.load(x + i, mask=i < n), mask=i < n)",
    "params": "x, ids, y, n", "args": "x, ids, y", "host": GRID.replace("(x, y,", "(x, ids, y,"),
}  # fmt: skip
SCALED = "    tl.store(y + i % 16, a * tl.load(x + i, mask=i < n), mask=i < n)"
FLOAT = {
    "params": "x, y, a, n", "args": "x, y, a", "host": GRID.replace("(x, y,", "(x, y, a,"),
    "call": "x: f32[n], y: f32[16], a: float",
}  # fmt: skip
LOCKED = """    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    old = tl.load(y + tl.arange(0, B))
    tl.store(y + tl.arange(0, B), old + tl.load(x + i, mask=i < n, other=0.0))
{between}
    tl.atomic_xchg(lock, 0)"""
GUARDED = {
    "params": "x, y, lock, n", "call": "x: f32[n], y: f32[16]",
    "host": "    lock = torch.zeros((1,), dtype=torch.int32, device=x.device)\n" + GRID.replace("(x, y,", "(x, y, lock,"),
}  # fmt: skip
ONE, PLAIN, X = {"call": "x: f32[n], y: f32[1]"}, {"call": "x: f32[n], y: f32[n]"}, {"call": "x: f32[n]"}
BARRIER = "    tl.debug_barrier()"
ALL = "triton.cdiv(x.shape[0], 16)"

CASES: list[tuple[str, dict[str, str], set[str]]] = [
    ("copy", {}, set()),
    ("copy, short grid", {"host": GRID.replace(ALL, "3")}, {"AR411"}),
    ("copy, result of empty", {"host": FRESH.format(make="empty_like"), **X}, set()),
    ("all but the first element", {"body": FROM_ONE}, {"AR411"}),
    ("all store one element", {"body": "    tl.store(y, tl.load(x + pid))", **ONE}, {"AR401"}),
    ("all store one number", {"body": "    tl.store(y, 1.0)", **ONE}, set()),
    ("one program stores", {"body": LEADER, **ONE}, set()),
    ("the neighbour is read", {"body": SHIFT, **PLAIN}, {"AR402", "AR404"}),
    ("in place", {"body": COPY.replace("y + i", "x + i"), **PLAIN}, set()),
    ("lanes meet", {"body": COPY.replace("y + i", "y + i // 2"), **PLAIN}, {"AR403"}),
    ("lanes meet with one value", {"body": "    tl.store(y + i // 2, 1.0, mask=i < n)", **PLAIN}, set()),
    ("read back elsewhere", {"body": BACK.format(between="")}, {"AR404"}),
    ("read back behind a barrier", {"body": BACK.format(between=BARRIER)}, set()),
    ("fresh memory is added to", {"body": ADD, "host": FRESH.format(make="empty_like"), **X}, {"AR304"}),
    ("zeros are added to", {"body": ADD, "host": FRESH.format(make="zeros_like"), **X}, set()),
    ("read by the second launch", {"host": LATER.format(first=ALL), **X}, set()),
    ("a part read by the second launch", {"host": LATER.format(first="1"), **X}, {"AR304"}),
    ("wiped before the second launch", {"host": WIPED.format(first="1"), **X}, set()),
    ("there and back", {"host": TWICE}, set()),
    ("scatter", {**SCATTER, "call": "x: f32[n], ids: i32[n] in [0, n), y: f32[n]"}, {"AR401", "AR403"}),
    ("scatter to distinct places", {**SCATTER, "call": "x: f32[n], ids: i32[n] in [0, n) distinct, y: f32[n]"}, set()),
    ("a float scales", {**FLOAT, "body": SCALED}, {"AR401"}),
    ("a float decides", {**FLOAT, "body": "    if a > 0.25:\n    " + SCALED}, set()),
    ("a lock", {**GUARDED, "body": LOCKED.format(between=BARRIER)}, set()),
    ("a lock that is freed early", {**GUARDED, "body": LOCKED.format(between="")}, {"AR406"}),
    ("no lock", {**GUARDED, "body": "\n".join(LOCKED.format(between="").splitlines()[2:-1])}, {"AR401", "AR402"}),
]


@pytest.fixture(autouse=True)
def everything(monkeypatch: pytest.MonkeyPatch) -> list[Fault]:
    """All faults that plays of any case show."""
    seen: list[Fault] = []

    def further(context: Context, checks: tuple[str, ...]) -> list[Finding]:
        seen.extend(whole.faults(context, CODES))
        return []

    monkeypatch.setattr(pipeline_case, "further_findings", further)
    monkeypatch.setattr(whole, "MAX_PLAYS", 16)
    return seen


def played(tmp_path: Path, parts: dict[str, str], seen: list[Fault]) -> list[Fault]:
    path = tmp_path / "file.py"
    defaults = {"params": "x, y, n", "args": "x, y", "body": COPY, "host": GRID}
    named = {**defaults, **({"args": "x"} if parts.get("call", "").count("[") == 1 else {}), **parts}
    path.write_text(FILE.format(**named))
    program = program_of(path, f"launch({parts.get('call', 'x: f32[n], y: f32[n] out')})")
    prove_all(program, ProveOptions(checks=("order",), overflow="off"))
    return seen


@pytest.mark.parametrize(("parts", "codes"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_exactly_the_faults_are_seen(tmp_path: Path, parts: dict[str, str], codes: set[str], everything: list[Fault]) -> None:
    found = played(tmp_path, parts, everything)
    assert {f.code for f in found} - {"AR412"} == codes
    assert all(f.finding.counterexample is not None and f.finding.counterexample.replayed for f in found)
