"""AR407: what several runs of an autotuned kernel on the same buffers come to."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from argus_smt.cli import main
from argus_smt.diag.report import read_report

FILE = """import torch
import triton
import triton.language as tl


def clear(args):
    args["y"].zero_()


def half(args):
    args["y"][1:].zero_()


CONFIGS = [triton.Config({{"BLOCK": b}}{hook}) for b in {blocks}]


@triton.autotune(configs=CONFIGS, key=["n"]{options})
@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    {body}


def launch(x):
    y = torch.zeros_like(x)
    kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)]({args}, x.numel())
    return y
"""
COPY = "tl.store(y + i, tl.load(x + i, mask=inside), mask=inside)"
DOUBLE = "tl.store(x + i, 2 * tl.load(x + i, mask=inside), mask=inside)"
ADD = "tl.store(y + i, tl.load(y + i, mask=inside) + tl.load(x + i, mask=inside), mask=inside)"
ATOMIC = "tl.atomic_add(y + i, tl.load(x + i, mask=inside), mask=inside)"
SCRATCH = "tl.store(y + i, 1.0, mask=inside)\n    tl.store(x + i, tl.load(y + i, mask=inside), mask=inside)"
LOCK = "tl.atomic_max(y + i, 0.0, mask=inside)"

CASES = [
    ("other tensor", {"body": COPY}, "proved"),
    ("in place", {"body": DOUBLE}, "refuted"),
    ("in place, one configuration", {"body": DOUBLE, "blocks": (64,)}, None),
    ("same tensor twice", {"body": ADD.replace("y + i, tl", "x + i, tl"), "args": "x, x"}, "refuted"),
    ("load, add, store", {"body": ADD}, "refuted"),
    ("atomics", {"body": ATOMIC}, "refuted"),
    ("atomics, reset", {"body": ATOMIC, "options": ', reset_to_zero=["y"]'}, "proved"),
    ("atomics, other reset", {"body": ATOMIC, "options": ', reset_to_zero=["x"]'}, "refuted"),
    ("in place, restored", {"body": DOUBLE, "options": ', restore_value=["x"]'}, "proved"),
    ("atomics, hook clears", {"body": ATOMIC, "hook": ", pre_hook=clear"}, "proved"),
    ("atomics, hook clears a part", {"body": ATOMIC, "hook": ", pre_hook=half"}, "unknown"),
    ("hook of the tuner", {"body": ATOMIC, "options": ", pre_hook=lambda args, reset_only=False: None"}, "unknown"),
    ("hook takes the place of resets", {"body": ATOMIC, "options": ', reset_to_zero=["y"], pre_hook=print'}, "unknown"),
    ("own scratch", {"body": SCRATCH}, "unknown"),
    ("no change the second time", {"body": "tl.store(x + i, tl.abs(tl.load(x + i, mask=inside)), mask=inside)"}, "unknown"),
    ("atomic that changes nothing", {"body": LOCK}, "unknown"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "parts", "verdict"), CASES, ids=[c[0] for c in CASES])
def test_runs_while_tuning(name: str, parts: dict[str, object], verdict: str | None, tmp_path: Path) -> None:
    path = tmp_path / "tuned.py"
    path.write_text(FILE.format(**{"hook": "", "blocks": (64, 128), "options": "", "args": "x, y", **parts}))
    out = io.StringIO()
    main(["prove", str(path), "--call", "launch(x: f32[N])", "--format", "json", "--no-cache"], out, io.StringIO())
    found = {ob.verdict for k in read_report(out.getvalue()).kernels for ob in k.obligations if ob.code == "AR407"}
    assert found == ({verdict} if verdict else set())
