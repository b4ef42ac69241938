"""A reproduction fails on the kernel with the defect, in Triton's interpreter, and passes on the mended one."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from argus_smt.cli import main
from argus_smt.diag import report as R
from argus_smt.repro.write import ReproError, refuted, repro_text
from tests.unit.diag.reports import bug, kernel, report

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n"

DOUBLE = (
    HEAD
    + """@triton.jit
def double(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, 2 * tl.load(x_ptr + i, mask=i < n){mask})


def launch(x):
    y = torch.empty_like(x)
    double[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
    return y
"""
)
ROWS = (
    HEAD
    + """@triton.autotune([triton.Config({{"BLOCK": 8}}), triton.Config({{"BLOCK": 16}})], key=["N"])
@triton.jit
def rows(x_ptr, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0){wide}
    i = tl.arange(0, BLOCK)
    p = x_ptr + row * stride + i
    tl.store(p, 2 * tl.load(p, mask=i < N), mask=i < N)


def launch(x):
    rows[(x.shape[0],)](x, x.stride(0), x.shape[1])
"""
)
GATHER = (
    HEAD
    + """@triton.jit
def gather(t_ptr, idx_ptr, y_ptr, n, V, D: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.load(idx_ptr + i, mask=i < n, other=0)
    tl.atomic_add(y_ptr + i, tl.load(t_ptr + j{scale}, mask=i < n), mask=i < n)
"""
)
GATHER_CALL = (
    "gather(t_ptr: f32[V], idx_ptr: i32[n] in [0, V), y_ptr: f32[n] inout, n: int, V: int, D=2, BLOCK=16) grid (cdiv(n, 16),)"
)
RATIO = (
    HEAD
    + """@triton.jit
def ratio(y_ptr, a, b):
    tl.store(y_ptr, a // {divisor})


def launch(a, b):
    y = torch.zeros((1,), dtype=torch.int32, device="cuda")
    ratio[(1,)](y, a, b)
    return y
"""
)
HINT = (
    HEAD
    + """@triton.jit
def hint(x_ptr, s):
    s = tl.multiple_of(s, {by})
    tl.store(x_ptr + s, 1.0)


def launch(x, s):
    hint[(1,)](x, s)
"""
)


SEQUENCES = (
    HEAD
    + """
@triton.jit
def double(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y_ptr + i, 2 * tl.load(x_ptr + i, mask=i < n){mask})


def launch(*xs, pair, bias=None, sizes=(64,)):
    assert bias is None
    y, n = pair
    for x in xs:
        double[(1,)](x, y, n, BLOCK=sizes[0])
"""
)


def entry(file: Path, call: str, code: str, line: int, **run: object) -> tuple[R.KernelReport, R.Obligation]:
    at = R.Location(file=str(file), line=line)
    fields: dict[str, object] = {"program_id": (0, 0, 0), "grid": (1, 1, 1), "replayed": True, **run}
    ob = bug(code=code, location=at, counterexample=R.CounterexampleModel.model_validate(fields), site=f"{line}")
    launched = R.LaunchModel(
        launcher=call.partition("(")[0], call=call, file=str(file), index=0, count=1, location=at, grid=("1", "1", "1")
    )
    return kernel(ob, verdict="refuted", launch=launched), ob


def outcome(test: Path, file: Path) -> subprocess.CompletedProcess[str]:
    """Run the test on another version of the file; without Argus on the path."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"ARGUS_REPRO_FILE": str(file)}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(test.parent), test.name],
        capture_output=True, text=True, check=False, cwd=test.parent, env=environment,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("source", "bad", "good", "call", "code", "line", "run", "said"),
    [
        (DOUBLE, {"mask": ""}, {"mask": ", mask=i < n"}, "launch(x: f32[n])", "AR302", 9,
         {"shape": {"n": 1}, "element": (1,)}, "store outside every argument, program (0, 0, 0), element [1]"),
        (ROWS, {"wide": ""}, {"wide": ".to(tl.int64)"}, "launch(x: f16[M, N] {s, 1}) where s >= N", "AR303", 11,
         {"shape": {"M": 3, "N": 4, "s": 1 << 30}, "program_id": (2, 0, 0), "grid": (3, 1, 1)},
         "32-bit arithmetic wraps, program (2, 0, 0)"),
        (GATHER, {"scale": " * D"}, {"scale": ""},
         GATHER_CALL,
         "AR301", 10, {"shape": {"n": 2, "V": 2}, "inputs": ({"tensor": "idx_ptr", "index": 1, "value": 1},)},
         "load outside every argument, program (0, 0, 0), element [1]"),
        (RATIO, {"divisor": "b"}, {"divisor": "tl.maximum(b, 1)"}, "launch(a: int, b: int)", "AR305", 8,
         {"shape": {"a": 7, "b": 0}}, "division by zero"),
        (HINT, {"by": "16"}, {"by": "8"}, "launch(x: f32[64], s: int in [0, 8])", "AR306", 8,
         {"shape": {"s": 8}}, "the hint is false"),
        (SEQUENCES, {"mask": ""}, {"mask": ", mask=i < n"},
         "launch(xs: list[2] of f32[n], pair: tuple(f32[n] out, int in [0, n]), bias: f32[n] or None, sizes: tuple = (64,))",
         "AR302", 9, {"shape": {"n": 1, "pair_1": 1, "bias_given": 0}, "element": (1,)},
         "store outside every argument, program (0, 0, 0), element [1]"),
    ],
    ids=["store", "wrap", "gather", "division", "hint", "sequences"],
)  # fmt: skip
def test_it_fails_on_the_defect_only(
    tmp_path: Path, source: str, bad: dict[str, str], good: dict[str, str],
    call: str, code: str, line: int, run: dict[str, object], said: str,
) -> None:  # fmt: skip
    broken, mended = tmp_path / "broken.py", tmp_path / "mended.py"
    broken.write_text(source.format(**bad))
    mended.write_text(source.format(**good))
    test = tmp_path / "test_it.py"
    test.write_text(repro_text(*entry(broken, call, code, line, **run)))
    assert "argus_smt" not in test.read_text()
    failed = outcome(test, broken)
    assert failed.returncode == 1, failed.stdout
    assert said in failed.stdout
    passed = outcome(test, mended)
    assert passed.returncode == 0, passed.stdout


def test_the_command_writes_one_file_a_defect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "double.py"
    file.write_text(DOUBLE.format(mask=""))
    found, _ = entry(file, "launch(x: f32[n])", "AR302", 9, shape={"n": 1})
    (tmp_path / "report.json").write_text(report(found).to_json())
    monkeypatch.chdir(tmp_path)
    out, err = io.StringIO(), io.StringIO()
    assert main(["repro", "report.json"], out, err) == 0
    assert out.getvalue() == "test_repro_double_ar302_line9.py: AR302 at line 9 of `block_absmax`\n"
    compile((tmp_path / "test_repro_double_ar302_line9.py").read_text(), "repro", "exec")
    assert main(["repro", "report.json", "--finding", "2"], out, err) == 2
    (tmp_path / "report.json").write_text(report(kernel()).to_json())
    assert main(["repro", "report.json"], out, err) == 2
    (tmp_path / "report.json").write_text("{}")
    assert main(["repro", "report.json"], out, err) == 2
    assert err.getvalue().splitlines()[-2] == "argus: report.json holds no refuted error"
    assert "is not a report of `argus prove --format json`" in err.getvalue().splitlines()[-1]


def test_what_cannot_be_run_is_said(tmp_path: Path) -> None:
    file = tmp_path / "double.py"
    file.write_text(DOUBLE.format(mask=""))
    with pytest.raises(ReproError, match="no value for `n`"):
        repro_text(*entry(file, "launch(x: f32[n])", "AR302", 9, shape={}))
    with pytest.raises(ReproError, match="does not parse"):
        repro_text(*entry(file, "launch(x: f32[", "AR302", 9, shape={}))
    shown, ob = entry(file, "launch(x: f32[n])", "AR302", 9, shape={"n": 1})
    doubled = shown.model_copy(update={"obligations": (ob, ob)})
    assert len(refuted(report(doubled, doubled))) == 1
