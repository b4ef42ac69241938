"""Compile and import in one step, and independent counts of what a module holds."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from argus_smt.capture.ttir import import_kernel, raw_ttir
from argus_smt.ir.check import check
from argus_smt.ir.ops import Kernel, Op
from argus_smt.ir.walk import walk


def imported(fn: Any, types: dict[str, Any], constants: dict[Any, object] | None = None) -> tuple[str, Kernel]:
    """Text and kernel; the kernel is well formed."""
    text = raw_ttir(fn, types, constants or {})
    kernel = import_kernel(text)
    assert check(kernel) == ()
    return text, kernel


def ops(kernel: Kernel) -> tuple[Op, ...]:
    return tuple(walk(kernel.body))


def names(kernel: Kernel) -> Counter[str]:
    """How often each kind of operation occurs."""
    return Counter(type(op).__name__ for op in ops(kernel))


def lines_with(text: str, pattern: str) -> int:
    return sum(1 for line in text.splitlines() if re.search(pattern, line))
