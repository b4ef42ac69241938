"""Block pointers: proved and refuted where the installed Triton has them (up to 3.6), one clear line where it does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from triton._C.libtriton import ir

from argus_smt.capture.failure import CaptureError
from argus_smt.prove.finding import Finding, ProveOptions
from tests.integration.pipeline import errors, program_of, prove_all, undecided

CASES = Path(__file__).resolve().parents[1] / "cases" / "block_pointers"
INSTALLED = hasattr(ir.builder, "create_make_block_ptr")
FAULTS = [
    ("attention", "keys, boundary_check=(1,)", "keys, boundary_check=(0,)", "AR301"),
    ("attention", "tl.store(out, (total / weight[:, None]).to(tl.float16), boundary_check=(0,))",
     "tl.store(out, (total / weight[:, None]).to(tl.float16))", "AR302"),
    ("attention", "z = tl.load(values, boundary_check=(0,), padding_option=\"zero\")", "z = tl.load(values)", "AR301"),
    ("linear_attention", "x = tl.load(at_q, boundary_check=(0, 1))", "x = tl.load(at_q, boundary_check=(1,))", "AR301"),
    ("linear_attention", "tl.store(at_state, memory, boundary_check=(0, 1))", "tl.store(at_state, memory, boundary_check=(0,))",
     "AR302"),
    ("linear_attention", "tl.store(at_o, out.to(tl.float16), boundary_check=(0, 1))",
     "tl.store(at_o, out.to(tl.float16), boundary_check=(0,))", "AR302"),
]  # fmt: skip


def verdicts(path: Path) -> tuple[list[Finding], list[Finding]]:
    """Refuted errors and undecided findings; without block pointers, none after checking what is said instead."""
    if not INSTALLED:
        with pytest.raises(CaptureError, match="Block pointers have been removed in favor of the tensor descriptor API"):
            program_of(path)
        return [], []
    program = program_of(path)
    assert not [h for h in program.not_covered if not h.rejected]
    results = prove_all(program, ProveOptions())
    return errors(results), undecided(results)


@pytest.mark.parametrize("name", ["attention", "linear_attention"])
def test_right_kernels_are_proved(name: str) -> None:
    assert verdicts(CASES / f"{name}.py") == ([], [])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "right", "wrong", "code"), FAULTS)
def test_faults_are_refuted_at_their_line(name: str, right: str, wrong: str, code: str, tmp_path: Path) -> None:
    text = (CASES / f"{name}.py").read_text(encoding="utf-8")
    assert text.count(right) == 1
    path = tmp_path / f"{name}.py"
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    refuted, _ = verdicts(path)
    line = text[: text.index(right)].count("\n") + 1
    assert {(f.code, f.span.line) for f in refuted} == ({(code, line)} if INSTALLED else set())
