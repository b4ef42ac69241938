"""Idioms of synchronisation with everything about them varied: what is proved is clean in every schedule that is tried."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from argus_smt.prove import whole
from argus_smt.prove.finding import ProveOptions, Verdict
from tests.integration.pipeline import program_of, prove_all
from tests.oracle.jobs import TensorArg
from tests.oracle.race_jobs import RaceJob, run_race_jobs

HEAD = """
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, data, cells, y, R: tl.constexpr):
    pid = tl.program_id(0)
    programs = tl.num_programs(0)
    i = tl.arange(0, 4)
"""
TAIL = """

def launch(x, y):
    data = torch.zeros((64,), dtype=torch.int32)
    cells = torch.zeros((16,), dtype=torch.int32)
    k[(x.shape[0],)](x, data, cells, y, R=4)
"""
CALL = "launch(x: i32[P], y: i32[P, 4]) where P <= 8"
ROWS = ("pid % 2", "pid % 4", "pid", "0", "pid // 2")
SEMS = ('sem="acq_rel"', 'sem="acq_rel"', 'sem="acq_rel"', 'sem="relaxed"', 'sem="acquire"', 'sem="release"', 'scope="cta"')


def barrier(rng: random.Random) -> str:
    return rng.choice(("tl.debug_barrier()", "tl.debug_barrier()", "tl.debug_barrier()", "pass"))


def lock(rng: random.Random) -> str:
    """A row of `data` updated under a lock."""
    cell, row = rng.choice(ROWS), rng.choice(ROWS)
    freed = rng.choice((cell, cell, cell, rng.choice(ROWS)))
    taking = f"tl.atomic_cas(cells + {cell}, {rng.choice('0001')}, {rng.choice('1112')}, {rng.choice(SEMS)})"
    lines = [
        f"    while {taking} {rng.choice(('== 1', '== 1', '!= 0', '!= 1'))}:",
        "        pass",
        f"    v = tl.load(data + ({row}) * 4 + i)",
        f"    tl.store(data + ({row}) * 4 + i, v + 1)",
        f"    {barrier(rng)}",
        f"    tl.atomic_xchg(cells + {freed}, {rng.choice('0001')}, {rng.choice(SEMS)})",
    ]  # fmt: skip
    if rng.random() < 0.15:
        lines = [lines[2], *lines[:2], *lines[3:]]
    return "\n".join(lines)


def turn(rng: random.Random) -> str:
    """Programs update a row of `data` one after the other."""
    cell, mine = rng.choice(("pid % 2", "0", "pid // 2", "0")), rng.choice(("pid", "pid // 2", "pid % 2", "pid"))
    row = rng.choice((cell, cell, "pid", "0"))
    return "\n".join((
        f"    while tl.atomic_add(cells + {cell}, 0, {rng.choice(SEMS)}) {rng.choice(('!=', '!=', '<', '>'))} {mine}:",
        "        pass",
        f"    v = tl.load(data + ({row}) * 4 + i)",
        f"    tl.store(data + ({row}) * 4 + i, v + 1)",
        f"    {barrier(rng)}",
        f"    tl.atomic_xchg(cells + {cell}, {mine} + {rng.choice('1112')}, {rng.choice(SEMS)})",
    ))  # fmt: skip


def flag(rng: random.Random) -> str:
    """Each program stores a row of `data`, raises a flag, and reads the row of another whose flag it has seen."""
    raised, seen = rng.choice(("pid", "pid", "0", "pid // 2")), rng.choice(("pid - 1", "pid - 1", "pid // 2", "0"))
    lines = [
        "    tl.store(data + pid * 4 + i, pid + i)",
        f"    {barrier(rng)}",
        f"    tl.atomic_xchg(cells + {raised}, {rng.choice('1112')}, {rng.choice(SEMS)})",
        f"    if pid > {rng.choice('000')}:",
        f"        while tl.atomic_add(cells + {seen}, 0, {rng.choice(SEMS)}) {rng.choice(('== 0', '!= 1', '< 1', '< 0'))}:",
        "            pass",
        f"        tl.store(y + pid * 4 + i, tl.load(data + ({rng.choice((seen, seen, 'pid - 1'))}) * 4 + i))",
    ]
    if rng.random() < 0.2:
        lines[0], lines[2] = lines[2], lines[0]
    return "\n".join(lines)


def counter(rng: random.Random) -> str:
    """Each program stores a row of `data` and counts itself in; who sees all, or waits for all, reads all rows."""
    cell = rng.choice(("0", "0", "0", "pid % 2"))
    waits = rng.random() < 0.5
    add = f"tl.atomic_add(cells + {cell}, {rng.choice('11112')}, {rng.choice(SEMS)})"
    lines = ["    tl.store(data + pid * 4 + i, pid + i)", f"    {barrier(rng)}"]
    bound = rng.choice(("programs", "programs - 1", "programs", "programs - 2"))
    if waits:
        lines += [
            f"    {add}", f"    while tl.atomic_add(cells + {cell}, 0, {rng.choice(SEMS)}) < {bound}:", "        pass",
            "    tl.store(y + pid * 4 + i, tl.load(data + ((pid + 1) % programs) * 4 + i))",
        ]  # fmt: skip
    else:
        lines += [
            f"    if {add} {rng.choice(('==', '==', '>='))} {bound}:",
            "        tl.store(y + pid * 4 + i, tl.load(data + ((pid + 1) % programs) * 4 + i))",
        ]
    return "\n".join(lines)


def ticket(rng: random.Random) -> str:
    """A row of `data` for each ticket, or for who claims a cell."""
    drawn = rng.choice((
        f"tl.atomic_add(cells + {rng.choice(ROWS[2:4])}, {rng.choice('1112')})", "tl.atomic_cas(cells, 0, 1)",
        "tl.atomic_xchg(cells, 1)", "tl.atomic_max(cells, pid)", f"tl.atomic_cas(cells + {rng.choice(ROWS)}, 0, 1)",
    ))  # fmt: skip
    used = rng.choice(("tl.store(data + (t % 8) * 4 + i, pid)", "if t == 0:\n        tl.store(data + i, pid)",
                       "if t == pid:\n        tl.store(data + i, pid)"))  # fmt: skip
    return f"    t = {drawn}\n    {used}"


KINDS = {"lock": lock, "turn": turn, "flag": flag, "counter": counter, "ticket": ticket}
COUNT = 3


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_proved_is_clean(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole, "SECONDS", 0.0)
    rng = random.Random(f"{kind} 1")
    proved, jobs = [], []
    for number in range(COUNT):
        path = tmp_path / f"{kind}{number}.py"
        path.write_text(HEAD + KINDS[kind](rng) + TAIL, encoding="utf-8")
        found = prove_all(program_of(path, CALL), ProveOptions(checks=("races", "order")))
        proved.append(all(f.verdict is Verdict.PROVED for r in found for f in r.findings if f.code.startswith("AR4")))
        jobs.append(RaceJob(str(path), "launch", (TensorArg("i32", (4,)), TensorArg("i32", (4, 4)))))
    for job, holds, outcome in zip(jobs, proved, run_race_jobs(jobs), strict=True):
        assert not outcome.error, Path(job.file).read_text()
        wrong = outcome.kinds & {"ww", "rw", "handover", "hazard", "lane"}
        assert not (holds and wrong), Path(job.file).read_text()
