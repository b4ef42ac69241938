"""Seeded faults fail, and the examples they come from do not, in an oracle that shares no line with Argus."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cases.triton.mutants import EXAMPLES, apply
from tests.cases.triton.registry import CHECKS, LAUNCHERS, MUTANTS, SMALL
from tests.cases.triton.shapes import FAR, Call, columns, heads_inside, rows, tensor
from tests.oracle.jobs import Job, Outcome, TensorArg, run_jobs

KINDS = {
    "oob_read": "AR301", "oob_write": "AR302", "oob_atomic": "AR302", "wrap": "AR303", "div_by_zero": "AR305",
    "bad_shift": "AR305", "false_assumption": "AR306",
}  # fmt: skip


def seen(outcomes: Sequence[Outcome], wraps: bool) -> set[tuple[str, int]]:
    """Code and line of all that happened."""
    assert not [o.error for o in outcomes if o.error]
    return {(KINDS[e.kind], e.line) for o in outcomes for e in o.events if wraps or e.kind != "wrap"}


def random_call(name: str, rng: random.Random) -> Call:
    """A call of an example with random sizes of up to a few blocks, and random layouts where its signature allows."""

    def size(most: int) -> int:
        return rng.choice((1, 2, 3, rng.randint(1, most)))

    if name in CHECKS:
        return CHECKS[name].random_call(rng)
    match name:
        case "vector_add.py":
            n = size(5000)
            return tensor("f32", n), tensor("f32", n)
        case "softmax.py":
            return (rows("f32", size(9), n := size(300), rng.choice((0, 1, n, n + rng.randint(1, 9)))),)
        case "matmul.py":
            m, n, k = size(200), size(200), size(100)
            layouts = (tensor, columns, lambda d, h, w: rows(d, h, w, w + rng.randint(0, 9)))
            return rng.choice(layouts)("f16", m, k), rng.choice(layouts)("f16", k, n)
        case "layer_norm.py":
            m, n = size(6), size(900)
            return rows("f32", m, n, rng.choice((0, 1, n, n + 7))), tensor("f32", n), tensor("f32", n)
        case "rms_norm.py":
            n = size(300)
            return tensor("f16", size(4), size(7), n), tensor("f16", n)
        case "embedding.py":
            v, d = size(9), size(200)
            tokens = TensorArg("i64", (size(60),), high=v - 1, seed=rng.randint(0, 99))
            return tokens, rows("f32", v, d, d + rng.choice((0, 5)))
        case _:
            b, kv, per_kv, s = size(2), size(2), size(3), size(180)
            layouts = (tensor, heads_inside)
            q = rng.choice(layouts)("f16", b, kv * per_kv, s, 64)
            return q, rng.choice(layouts)("f16", b, kv, s, 64), rng.choice(layouts)("f16", b, kv, s, 64)


@pytest.mark.parametrize("example", LAUNCHERS)
def test_example_stays_inside_its_tensors(example: str) -> None:
    calls = (*SMALL[example], *FAR.get(example, ()))
    jobs = [Job(str(EXAMPLES / example), LAUNCHERS[example], call) for call in calls]
    for job, outcome in zip(jobs, run_jobs(jobs), strict=True):
        assert (outcome.error, outcome.events) == ("", ()), job


@pytest.mark.slow
@pytest.mark.parametrize("example", LAUNCHERS)
def test_example_stays_inside_its_tensors_at_random_sizes(example: str) -> None:
    rng = random.Random(example)
    jobs = [Job(str(EXAMPLES / example), LAUNCHERS[example], random_call(example, rng)) for _ in range(60)]
    for job, outcome in zip(jobs, run_jobs(jobs), strict=True):
        assert (outcome.error, outcome.events) == ("", ()), job


@pytest.mark.parametrize("example", LAUNCHERS)
def test_mutants_fail_where_they_should(example: str, tmp_path: Path) -> None:
    mutants = [m for m in MUTANTS if m.example == example]
    calls = [FAR[example] if m.far else SMALL[example] for m in mutants]
    files = [str(apply(m, tmp_path)) for m in mutants]
    jobs = [Job(file, LAUNCHERS[example], call) for file, some in zip(files, calls, strict=True) for call in some]
    outcomes = iter(run_jobs(jobs))
    for mutant, some in zip(mutants, calls, strict=True):
        assert seen([next(outcomes) for _ in some], wraps=mutant.far) == mutant.observed(), mutant


def test_every_example_has_mutants() -> None:
    assert {m.example for m in MUTANTS} == set(LAUNCHERS) == {p.name for p in EXAMPLES.glob("*.py")}
    for name in LAUNCHERS:
        assert sum(m.example == name for m in MUTANTS) >= 4, name
    assert len({str(m) for m in MUTANTS}) == len(MUTANTS)


def test_the_line_of_a_finding_is_that_of_its_marker() -> None:
    for mutant in MUTANTS:
        lines = mutant.text().splitlines()
        for _, line in mutant.expected():
            assert any(marker.splitlines()[0] in lines[line - 1] for _, marker in mutant.faults)
