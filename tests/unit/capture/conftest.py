"""Captures for the tests of this folder: files under `launchers/`, or written by the test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from argus_smt.capture.module import Loader
from argus_smt.capture.program import capture
from argus_smt.capture.service import warm_up
from argus_smt.ir.launch import Program

HERE = Path(__file__).parent
HEADER = """import torch
import triton
import triton.language as tl


@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


"""

warm_up()


@pytest.fixture
def launcher(tmp_path: Path) -> Callable[[str, str], Program]:
    """Captures a launcher given by its body; a kernel `copy(x, y, n, BLOCK)` stands above it."""

    def run(body: str, call: str) -> Program:
        path = tmp_path / "user.py"
        path.write_text(HEADER + body)
        return capture(Loader(str(path)), call, wide=True)

    return run
