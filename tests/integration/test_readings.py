"""Numbers that the host reads: faults that do not depend on them are refuted, faults that may are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from argus_smt.prove.finding import ProveOptions
from tests.integration.pipeline import errors, program_of, prove_all, undecided
from tests.oracle.jobs import Job, TensorArg, run_jobs

FILE = """
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, place_ptr, n, count, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    {body}


def launch(x, flags, place):
    out = torch.empty_like(x)
    n = x.numel()
    count = flags.sum().item()
    kernel[(triton.cdiv(n, 16),)](x, out, place, n, count, BLOCK=16)
    return out
"""
CALL = "launch(x: f32[N], flags: i32[N] in [0, 1], place: i32[1] inout)"
DATA = {
    "divided": "tl.store(out_ptr + i, x / count)",
    "added_up": "tl.store(out_ptr + i, x + tl.sum(x, axis=0) * count)",
    "written": "tl.store(place_ptr, count); tl.store(out_ptr + i, x)",
    "before_the_branch": "tl.store(out_ptr + i, x)\n    if count > 5:\n        tl.store(place_ptr, 0)",
}
"""The store at the line after `x = ` has no mask, whatever `count` is."""
STEERS = {
    "address": "tl.store(out_ptr + i * 0 + count, x, mask=i < n - 1)",
    "mask": "tl.store(out_ptr + i, x, mask=(i < n) | (count < -3))",
    "branch": "if count > n:\n        tl.store(out_ptr + i, x)",
    "loop": "for k in range(n, count):\n        tl.store(out_ptr + i, x)",
    "through_memory": "tl.store(place_ptr, count)\n    k = tl.load(place_ptr)\n"
    "    tl.store(out_ptr + k + i, x, mask=i < n - 1 - tl.maximum(k, 0))",
    "atomic": "tl.atomic_xchg(place_ptr, count)\n    k = tl.atomic_add(place_ptr, 0)\n"
    "    tl.store(out_ptr + k, 1.0, mask=n > 40)",
    "choice": "k = tl.where(count > n, n, 0)\n    tl.store(out_ptr + k, 1.0)",
    "clamped": "k = tl.minimum(tl.maximum(count, 0), n)\n    tl.store(out_ptr + k - n + i, x, mask=i < n - k)",
}
"""Right or wrong for values of `count` that no flags have, or that some have."""


def file_of(folder: Path, body: str) -> Path:
    path = folder / "reading.py"
    path.write_text(FILE.format(body=body))
    return path


def line_of(path: Path, text: str) -> int:
    return next(i for i, line in enumerate(path.read_text().splitlines(), 1) if text in line)


@pytest.mark.parametrize("name", DATA)
def test_fault_beside_a_number_is_refuted(name: str, tmp_path: Path) -> None:
    path = file_of(tmp_path, DATA[name])
    found = {(f.code, f.span.line) for f in errors(prove_all(program_of(path, CALL), ProveOptions()))}
    assert found == {("AR302", line_of(path, "tl.store(out_ptr"))}
    outcome = run_jobs([Job(str(path), "launch", (TensorArg("f32", (5,)), TensorArg("i32", (5,)), TensorArg("i32", (1,))))])[0]
    assert {(e.kind, e.line) for e in outcome.faults} == {("oob_write", line_of(path, "tl.store(out_ptr"))}


@pytest.mark.parametrize("name", STEERS)
def test_fault_by_a_number_is_not_refuted(name: str, tmp_path: Path) -> None:
    path = file_of(tmp_path, STEERS[name])
    results = prove_all(program_of(path, CALL), ProveOptions())
    assert not errors(results)
    if name in ("address", "through_memory", "atomic"):
        assert undecided(results)


def test_counterexample_says_nothing_of_the_number(tmp_path: Path) -> None:
    (found,) = errors(prove_all(program_of(file_of(tmp_path, DATA["divided"]), CALL), ProveOptions()))
    assert found.counterexample is not None
    assert set(found.counterexample.shape) == {"N"}
    assert "count" not in found.counterexample.values
