"""Coverage (AR411) and initialisation (AR304) from the file to the verdict: what is written is proved, what is not never is."""

from __future__ import annotations

from pathlib import Path

import pytest

from argus_smt.prove.finding import Finding, ProveOptions, Verdict
from tests.integration.pipeline import program_of, prove_all

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "triton"
OPTIONS = ProveOptions(checks=("coverage", "init"))
HEAD = """
import torch
import triton
import triton.language as tl


@triton.jit
def copy(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)


def blocks(n):
    return (triton.cdiv(n, 16),)

"""


def findings(path: Path, call: str = "") -> list[Finding]:
    """What is found of the two codes, in all launches and cases."""
    found = [f for r in prove_all(program_of(path, call), OPTIONS) for f in r.findings]
    return [f for f in found if f.code in ("AR304", "AR411")]


def of(tmp_path: Path, text: str, call: str) -> list[tuple[str, Verdict]]:
    path = tmp_path / "k.py"
    path.write_text(HEAD + text, encoding="utf-8")
    return [(f.code, f.verdict) for f in findings(path, call)]


@pytest.mark.parametrize("name", ["vector_add", "matmul", "descriptor_matmul", "chunked_linear_attention", "varlen_attention"])
def test_examples_are_covered(name: str) -> None:
    found = findings(EXAMPLES / f"{name}.py")
    assert {f.verdict for f in found} == {Verdict.PROVED}, [(f.code, f.reason) for f in found]
    assert "AR411" in {f.code for f in found}


FURTHER = ("attention", "layer_norm_backward", "paged_decode_attention", "absmax_quantize", "im2col_convolution")


@pytest.mark.slow
@pytest.mark.parametrize("name", FURTHER)
def test_further_examples_are_covered(name: str) -> None:
    test_examples_are_covered(name)


WHOLE = """
def launch(x):
    y = torch.empty_like(x)
    copy[blocks(x.numel())](x, y, x.numel(), BLOCK=16)
    return {"y": [y]}
"""


def test_a_result_inside_of_others_is_covered(tmp_path: Path) -> None:
    assert of(tmp_path, WHOLE, "launch(x: f32[n])") == [("AR411", Verdict.PROVED)]


WRONG = {
    "a grid rounded down": ("blocks(x.numel())", "(max(x.numel() // 16, 1),)"),
    "a fixed grid": ("blocks(x.numel())", "(3,)"),
    "a length one short": ("x.numel(), BLOCK", "x.numel() - 1, BLOCK"),
    "half of the block": ("BLOCK=16", "BLOCK=8"),
    "another tensor": ("(x, y,", "(y, x,"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_misses_elements_is_refuted(tmp_path: Path, name: str) -> None:
    text = WHOLE.replace(*WRONG[name])
    assert text != WHOLE
    assert ("AR411", Verdict.REFUTED) in of(tmp_path, text, "launch(x: f32[n])")


def test_only_the_returned_view_must_be_written(tmp_path: Path) -> None:
    text = """
def launch(x):
    y = torch.empty(x.shape[0] + 64, dtype=x.dtype, device=x.device)
    copy[blocks(x.numel())](x, y, x.numel(), BLOCK=16)
    return y[: x.shape[0]]
"""
    assert of(tmp_path, text, "launch(x: f32[n])") == [("AR411", Verdict.PROVED)]
    whole = text.replace("[: x.shape[0]]", "")
    assert of(tmp_path, whole, "launch(x: f32[n])") == [("AR411", Verdict.REFUTED)]


def test_what_the_host_filled_needs_no_writer(tmp_path: Path) -> None:
    text = WHOLE.replace("empty_like", "zeros_like").replace("blocks(x.numel())", "(1,)")
    assert of(tmp_path, text, "launch(x: f32[n])") == []


def test_arguments_to_be_filled_are_outputs(tmp_path: Path) -> None:
    text = "def launch(x, y):\n    copy[blocks(x.numel())](x, y, x.numel(), BLOCK=16)\n"
    assert of(tmp_path, text, "launch(x: f32[n], y: f32[n] out)") == [("AR411", Verdict.PROVED)]
    longer = of(tmp_path, text, "launch(x: f32[n], y: f32[n + 1] out)")
    assert [v for _, v in longer] == [Verdict.REFUTED]


TWICE = """
def launch(x):
    part = torch.empty_like(x)
    y = torch.empty_like(x)
    copy[blocks(x.numel())](x, part, x.numel(), BLOCK=16)
    copy[blocks(x.numel())](part, y, x.numel(), BLOCK=16)
    return y
"""


def test_scratch_is_written_by_the_launch_before(tmp_path: Path) -> None:
    found = of(tmp_path, TWICE, "launch(x: f32[n])")
    assert sorted(found) == [("AR304", Verdict.PROVED), ("AR411", Verdict.PROVED)]


def test_scratch_that_is_not_written_is_refuted(tmp_path: Path) -> None:
    short = TWICE.replace("copy[blocks(x.numel())](x, part", "copy[(1,)](x, part")
    assert ("AR304", Verdict.REFUTED) in of(tmp_path, short, "launch(x: f32[n])")
    none = TWICE.replace("    copy[blocks(x.numel())](x, part, x.numel(), BLOCK=16)\n", "")
    assert ("AR304", Verdict.REFUTED) in of(tmp_path, none, "launch(x: f32[n])")


def test_the_host_reads_what_was_written(tmp_path: Path) -> None:
    text = WHOLE.replace('return {"y": [y]}', "return y.sum()")
    assert of(tmp_path, text, "launch(x: f32[n])") == [("AR411", Verdict.PROVED)]
    early = text.replace("    copy[", "    early = y.sum()\n    copy[")
    assert ("AR411", Verdict.PROVED) not in of(tmp_path, early, "launch(x: f32[n])")
