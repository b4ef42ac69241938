"""Argus's concrete interpreter computes what Triton's own interpreter computes, and finds no fault in right kernels."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tests.integration.interpreter_calls import case_calls, example_calls, operation_calls
from tests.integration.launch_values import Call, values_of
from tests.integration.own_launch import own_device

ROOT = Path(__file__).resolve().parents[2]


def in_triton(calls: list[Call]) -> list[list[Any]]:
    """Values by Triton's interpreter, which cannot share a process with Triton's compiler."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    child = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("launch_values.py"))],
        input=pickle.dumps(calls), capture_output=True, timeout=300, check=False,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert child.returncode == 0, child.stderr.decode(errors="replace")[-3000:]
    found: list[list[Any]] = pickle.loads(child.stdout)
    return found


def tolerance(call: Call) -> float:
    """Sums in another order; half precision where an argument has it, bfloat16 results of fp8 arguments."""
    dtypes = {getattr(m, "dtype", "") for a in call.args for m in (a, *getattr(a, "members", ()))}
    if any(d.startswith("f8") for d in dtypes):
        return 1e-2
    return 5e-3 if dtypes & {"f16", "bf16"} else 2e-5


def check(calls: list[Call]) -> None:
    assert len({call.file for call in calls}) >= 7
    modules: dict[str, Any] = {}
    wrong = []
    for call, expected in zip(calls, in_triton(calls), strict=True):
        with own_device() as device:
            found = values_of(call, modules)
        assert device.launches, call
        faults = [(name, e.kind, str(e.span)) for name, trace in device.launches for e in trace.events if e.kind != "wrap"]
        assert all(trace.complete for _, trace in device.launches), (str(call), faults)
        limit = tolerance(call)
        near = [np.allclose(a, b, rtol=limit, atol=limit, equal_nan=True) for a, b in zip(found, expected, strict=True)]
        if faults or not all(near):
            wrong.append((str(call), faults[:3], near))
    assert wrong == []


def test_examples_and_shared_cases() -> None:
    check([*operation_calls(), *example_calls(), *case_calls()])
