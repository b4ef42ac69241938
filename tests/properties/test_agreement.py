"""Verdicts on generated kernels against exhaustive execution over small shapes.

Proved: no small shape fails. Refuted: the counterexample, run again from its numbers, fails where it says. Unknown is
allowed, but must be rare.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from argus_smt.capture.module import Loader
from argus_smt.capture.program import capture
from argus_smt.capture.service import declared_signatures, warm_up
from argus_smt.prove.case import prove_case
from argus_smt.prove.finding import CaseResult, Counterexample, Finding, ProveOptions, Verdict
from tests.oracle.jobs import Argument, TensorArg
from tests.properties.brute_force import BruteForce, Fault
from tests.properties.drafting import Tensor
from tests.properties.generate import Generated, generate
from tests.properties.launches import calls, value
from tests.properties.programs import program

KINDS = {"AR301": {"oob_read"}, "AR302": {"oob_write"}, "AR305": {"div_zero", "shift_width"}, "AR306": {"assume_false"}}
CHUNK = 10


def findings_of(results: list[CaseResult]) -> list[Finding]:
    """Findings on memory and arithmetic; 32-bit limits and notes on dimensions are not compared with execution here."""
    return [f for r in results for f in r.findings if f.code in KINDS]


def verdict_of(findings: list[Finding]) -> Verdict:
    """The verdict on all findings together."""
    verdicts = {f.verdict for f in findings}
    return next((v for v in (Verdict.REFUTED, Verdict.UNKNOWN) if v in verdicts), Verdict.PROVED)


def tensor_of(t: Tensor, c: Counterexample) -> TensorArg:
    """The tensor argument that a counterexample describes."""
    shape = tuple(c.shape[dim] for dim in t.dims)
    strides = tuple(c.shape[f"{t.name}_s{k}"] for k in range(len(shape))) if t.strided else None
    if not t.high:
        return TensorArg(t.dtype, shape, strides)
    contents = [value(t.low, c.shape)] * shape[0]
    for name, index, number in c.inputs:
        if name == t.name and index < shape[0]:
            contents[index] = number
    assert all(value(t.low, c.shape) <= x < value(t.high, c.shape) for x in contents), (t, c)
    return TensorArg(t.dtype, shape, strides, values=tuple(contents))


def call_of(g: Generated, c: Counterexample) -> tuple[Argument, ...]:
    """The call that a counterexample describes."""
    assert all(0 <= c.shape[name] < value(bound, c.shape) for name, bound in g.ints), c
    assert all(c.shape[dim] >= 1 for dim in g.dims), c
    return (*(tensor_of(t, c) for t in g.tensors), *(c.shape[name] for name, _ in g.ints))


def check_refuted(g: Generated, runner: BruteForce, finding: Finding) -> None:
    """The counterexample fails at its line, and in its lane, when it is run from its numbers alone."""
    c = finding.counterexample
    assert c is not None
    assert c.replayed
    faults = runner.run(call_of(g, c), only=c.program_id)
    assert any(f.kind in KINDS[finding.code] and f.line == finding.span.line for f in faults), (g.seed, finding, faults)


def check(seed: int, folder: Path, limit: int, options: ProveOptions) -> tuple[Verdict, bool]:
    """The verdict on a kernel, and whether a small shape fails."""
    g = generate(seed)
    path = folder / f"generated_{seed}.py"
    path.write_text(g.source)
    made = program(g, path)
    results = [prove_case(made, 0, case, options) for case in range(len(made.launches[0].cases))]
    assert not [r.internal for r in results if r.internal], seed
    findings = findings_of(results)
    runner = BruteForce(path)
    failing: list[tuple[tuple[Argument, ...], Fault]] = []
    for call in calls(g, limit):
        failing += [(call, fault) for fault in runner.run(call)[:1]]
    verdict = verdict_of(findings)
    assert verdict is not Verdict.PROVED or not failing, (seed, failing[0])
    for finding in findings:
        if finding.verdict is Verdict.REFUTED:
            check_refuted(g, runner, finding)
    check_lines(g, findings, failing)
    return verdict, bool(failing)


def check_lines(g: Generated, findings: list[Finding], failing: list[tuple[tuple[Argument, ...], Fault]]) -> None:
    """The first operation that a small shape fails at is not among those that were proved."""
    for call, fault in failing:
        codes = {code for code, kinds in KINDS.items() if fault.kind in kinds}
        there = [f for f in findings if f.span.line == fault.line and f.code in codes]
        assert not there or any(f.verdict is not Verdict.PROVED for f in there), (g.seed, call, fault)


@pytest.mark.parametrize("start", range(0, 200, CHUNK))
def test_verdicts_agree_with_execution(start: int, tmp_path: Path) -> None:
    seen = Counter(check(seed, tmp_path, 20, ProveOptions(overflow="off")) for seed in range(start, start + CHUNK))
    unknown = sum(count for (verdict, _), count in seen.items() if verdict is Verdict.UNKNOWN)
    assert unknown <= 1, seen


@pytest.mark.slow
@pytest.mark.parametrize("start", range(200, 2200, 50))
def test_verdicts_agree_with_execution_on_many_kernels(start: int, tmp_path: Path) -> None:
    seen = Counter(check(seed, tmp_path, 40, ProveOptions()) for seed in range(start, start + 50))
    unknown = sum(count for (verdict, _), count in seen.items() if verdict is Verdict.UNKNOWN)
    print(f"seeds {start} to {start + 49}: {dict(seen)}")
    assert unknown <= 2, seen


def test_about_half_of_the_kernels_are_wrong() -> None:
    wrong = sum(bool(generate(seed).faults) for seed in range(1000))
    assert 350 <= wrong <= 650


def test_a_seed_gives_the_same_kernel_each_time() -> None:
    assert generate(7) == generate(7)
    assert len({generate(seed).source for seed in range(200)}) > 190


def test_all_features_occur() -> None:
    features = frozenset().union(*(generate(seed).features for seed in range(300)))
    assert features >= {
        "block", "block with early return", "blocks by count", "blocks by step", "clamp", "condition in loop",
        "div and mod", "element loop", "fast path", "gather", "grid decomposed", "halve", "nested loops",
        "padded block", "pointer advance", "reverse", "select", "shift down", "shift up", "symbolic strides", "wrap",
    }  # fmt: skip


def captured_verdict(path: Path) -> Verdict:
    """The verdict on a file whose launcher is run symbolically."""
    warm_up()
    loader = Loader(str(path))
    (signature,) = declared_signatures(loader)
    described = capture(loader, signature.text)
    cases = [(number, k) for number, launch in enumerate(described.launches) for k in range(len(launch.cases))]
    return verdict_of(findings_of([prove_case(described, *place, ProveOptions(overflow="off")) for place in cases]))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_verdicts_on_captured_launchers_are_the_same(seed: int, tmp_path: Path) -> None:
    verdict, _ = check(seed, tmp_path, 5, ProveOptions(overflow="off"))
    captured = captured_verdict(tmp_path / f"generated_{seed}.py")
    assert captured is verdict or Verdict.UNKNOWN in (captured, verdict)
