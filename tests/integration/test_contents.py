"""What a signature states of the order of an index tensor decides proofs, and counterexamples respect it."""

from __future__ import annotations

from pathlib import Path

import pytest

from argus_smt.prove.finding import ProveOptions, Verdict
from tests.integration.pipeline import program_of, prove_all

FILE = Path(__file__).resolve().parents[1] / "cases" / "contents" / "order.py"

CASES = {
    "segments": ("segments(x: f32[R], cu: i32[B + 1] in [0, R] nondecreasing) where cu[0] == 0, cu[B] == R", None),
    "last element": ("segments(x: f32[R], cu: i32[B + 1] nondecreasing) where cu[0] == 0, cu[B] == R", None),
    "nothing of the end": ("segments(x: f32[R], cu: i32[B + 1] nondecreasing) where cu[0] == 0", "AR301"),
    "end too far": ("segments(x: f32[R], cu: i32[B + 1] nondecreasing) where cu[0] == 0, cu[B] == R + 1", "AR301"),
    "start before": ("segments(x: f32[R], cu: i32[B + 1] nondecreasing in [-1, R]) where cu[B] == R", "AR301"),
    "steps": ("gaps(cu: i32[B + 1] steps in [0, L], o: f32[B, L])", None),
    "steps too long": ("gaps(cu: i32[B + 1] steps in [0, L + 1], o: f32[B, L])", "AR302"),
    "only order": ("gaps(cu: i32[B + 1] nondecreasing in [0, B * L], o: f32[B, L])", "AR302"),
    "distinct": ("pairs(p: i32[n] in [0, 1000) distinct, o: i32[n]) where n >= 2", None),
    "not distinct": ("pairs(p: i32[n] in [0, 1000), o: i32[n]) where n >= 2", "AR305"),
    "distinct but one": ("pairs(p: i32[n] in [-1, 1000) distinct except -1, o: i32[n]) where n >= 2", "AR305"),
    "distinct without it": ("pairs(p: i32[n] in [0, 1000) distinct except -1, o: i32[n]) where n >= 2", None),
    "rows": ("rows(t: i32[B, P] in [0, N) nondecreasing, o: f32[N])", None),
    "rows out of order": ("rows(t: i32[B, P] in [0, N), o: f32[N])", "AR302"),
    "rows, strided": ("rows(t: i32[B, P] in [0, N + 1) nondecreasing, o: f32[N])", "AR302"),
}


IMPOSSIBLE = (
    "segments(x: f32[R], cu: i32[B + 1] in [1, R] nondecreasing) where cu[0] == 0, cu[B] == R",
    "pairs(p: i32[4] in [0, 2) distinct, o: i32[4])",
    "pairs(p: i32[n] in [3, 2], o: i32[n]) where n >= 2",
    "rows(t: i32[2, 3] in [0, N) steps in [2, 5], o: f32[N]) where N <= 4",
)
"""Signatures that no contents meet."""


@pytest.mark.parametrize("call", IMPOSSIBLE)
def test_what_holds_of_no_tensor_is_not_proved(call: str) -> None:
    findings = [f for r in prove_all(program_of(FILE, call), ProveOptions()) for f in r.findings]
    assert "AR905" in {f.reason_code for f in findings if f.verdict is Verdict.UNKNOWN}
    assert not [f for f in findings if f.verdict is Verdict.REFUTED]


@pytest.mark.parametrize("name", CASES)
def test_order_of_index_tensors(name: str) -> None:
    call, code = CASES[name]
    results = prove_all(program_of(FILE, call), ProveOptions())
    found = [f for r in results for f in r.findings if f.code != "AR303" and f.severity.value == "error"]
    assert found
    refuted = {f.code for f in found if f.verdict is Verdict.REFUTED}
    unknown = [f for f in found if f.verdict is Verdict.UNKNOWN]
    assert not unknown, unknown[0].reason
    assert refuted >= {code} if code else not refuted
