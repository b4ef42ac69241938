"""Recorded modules of Triton 3.6, with its own spelling, columns and locations, import like the installed one's."""

from __future__ import annotations

from pathlib import Path

import pytest

from argus_smt.capture.ttir import SourceMap, import_kernel, raw_ttir
from argus_smt.ir import ops as O
from argus_smt.ir.check import check
from tests.unit.ttir.data import older_kernels
from tests.unit.ttir.imported import ops

DATA = Path(older_kernels.__file__).parent
SOURCE = Path(older_kernels.__file__).read_text(encoding="utf-8")
PLAIN = [name for name in older_kernels.SIGNATURES if name != "block_pointer"]


def recorded(name: str) -> O.Kernel:
    text = (DATA / f"{name}_36.mlir").read_text(encoding="utf-8")
    kernel = import_kernel(text, sources=SourceMap({"older_kernels.py": SOURCE}))
    assert check(kernel) == ()
    return kernel


def installed(name: str) -> O.Kernel:
    text = raw_ttir(getattr(older_kernels, name), older_kernels.SIGNATURES[name], {"B": 16})
    return import_kernel(text)


@pytest.mark.parametrize("name", PLAIN)
def test_every_operation_has_a_meaning_and_a_place(name: str) -> None:
    found = ops(recorded(name))
    assert [op for op in found if isinstance(op, O.Opaque)] == []
    assert all(op.span.file == "older_kernels.py" for op in found)


@pytest.mark.parametrize("name", PLAIN)
def test_accesses_and_operators_have_the_same_spans_in_both_versions(name: str) -> None:
    kinds = (O.Load, O.Store, O.AddPtr, O.Dot, O.Reduce, O.AtomicCAS, O.AtomicRMW, O.ProgramId, O.For, O.Assert)

    def places(kernel: O.Kernel) -> list[tuple[str, int, int, int, int]]:
        spans = [(type(op).__name__, op.span) for op in ops(kernel) if isinstance(op, kinds)]
        return [(kind, s.line, s.column, s.end_line, s.end_column) for kind, s in spans]

    assert places(recorded(name)) == places(installed(name))


def test_block_pointers_are_loads_and_stores() -> None:
    found = ops(recorded("block_pointer"))
    assert [op for op in found if isinstance(op, O.Opaque)] == []
    spans = [(type(op).__name__, op.mask is not None) for op in found if isinstance(op, O.Load | O.Store)]
    assert spans == [("Load", True), ("Store", True)]


def test_attributes_in_the_older_spelling() -> None:
    found = ops(recorded("mixture"))
    assert any(isinstance(op, O.Barrier) for op in found)
    assert [op.volatile for op in found if isinstance(op, O.Load)] == [True]
    (cas,) = [op for op in found if isinstance(op, O.AtomicCAS)]
    assert (cas.sem, cas.scope) == ("acquire", "gpu")
    (exchange,) = [op for op in found if isinstance(op, O.AtomicRMW)]
    assert (exchange.fn, exchange.sem, exchange.scope) == ("xchg", "release", "sys")
    assert {(h.kind, h.values) for h in found if isinstance(h, O.Hint)} == {
        ("contiguity", (8,)),
        ("divisibility", (4,)),
    }
