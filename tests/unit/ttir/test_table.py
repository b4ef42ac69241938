"""The table of operations is complete, and says what the importer does."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from triton._C.libtriton import ir

from argus_smt.capture.ttir import import_kernel, importer, raw_ttir, tile_ops
from argus_smt.capture.ttir.syntax import parse_module, statements_of
from argus_smt.ir import ops as O
from argus_smt.ir.walk import walk
from tests.unit.ttir import library_kernels as L
from tests.unit.ttir import window_kernels as W
from tests.unit.ttir.data import older_kernels
from tests.unit.ttir.test_library import TYPES
from tests.unit.ttir.test_recorded import recorded

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "ops.md"
STRUCTURAL = re.compile(r"(scf|cf)\.|tt\.(call|func|return|\w+\.return)$")
WINDOWS = re.compile(r"tt\.(descriptor_\w+|make_tensor_\w+|advance)$")
WORDS = {"analysis": {"exact", "range", "unknown", "float", "opaque", "nothing"}, "machine": {"exact", "undefined", "nothing"}}


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table."""

    operation: str
    methods: tuple[str, ...]
    versions: str
    analysis: str
    machine: str


@cache
def table() -> dict[str, Row]:
    rows: dict[str, Row] = {}
    for line in DOCUMENT.read_text(encoding="utf-8").splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 6:
            name = cells[0].strip("`")
            assert name not in rows, name
            rows[name] = Row(name, tuple(re.findall(r"`(\w+)`", cells[1])), *cells[2:5])
    return rows


def test_every_method_of_the_builder_is_in_the_table() -> None:
    """All operations of a kernel come from Triton's code generator, which has no other way to make one."""
    said = {m for row in table().values() for m in row.methods}
    no_operation = DOCUMENT.read_text(encoding="utf-8").partition("## Methods that make no operation")[2]
    said |= set(re.findall(r"`(\w+)`", no_operation))
    made = {name.removeprefix("create_") for name in dir(ir.builder) if name.startswith("create_")}
    assert made - said == set()


def test_methods_of_the_table_exist() -> None:
    """In the installed Triton, but for what the table gives to the other version."""
    here = "3.6" if hasattr(ir.builder, "create_make_block_ptr") else "3.9"
    rows = [row for row in table().values() if row.versions in ("both", here)]
    gone = [m for row in rows for m in row.methods if not hasattr(ir.builder, f"create_{m}")]
    assert gone == []
    assert all(row.versions in ("both", "3.6", "3.9") for row in table().values())


def test_the_table_says_what_the_importer_reads() -> None:
    read = importer.LOWERINGS.keys()
    rows = {name: row for name, row in table().items() if not STRUCTURAL.match(name) and not WINDOWS.match(name)}
    opaque = {name for name, row in rows.items() if row.analysis == "opaque"}
    assert rows.keys() - opaque == read
    assert {name for name, row in rows.items() if row.analysis == "nothing"} == {
        name for name in read if importer.LOWERINGS[name] is tile_ops.nothing
    }
    for row in table().values():
        assert row.analysis in WORDS["analysis"], row
        assert row.machine in WORDS["machine"], row
        assert not (row.analysis == "opaque" and row.machine == "exact"), row


MORE = (L.opaque_parts, L.scaled_product, L.descriptors)


@pytest.mark.parametrize("fn", [*L.KERNELS, *MORE], ids=lambda fn: fn.__name__)
def test_every_operation_of_real_modules_is_in_the_table(fn: Any) -> None:
    module = parse_module(raw_ttir(fn, TYPES, {"B": 16}))
    found = {s.op for f in module.functions.values() for s in statements_of(f.blocks)}
    assert found - table().keys() == set()


def test_operations_of_descriptors_and_of_recorded_modules() -> None:
    texts = [path.read_text(encoding="utf-8") for path in Path(older_kernels.__file__).parent.glob("*.mlir")]
    types = {"x": "*fp32", "o": "*fp32", **dict.fromkeys("mnij", "i32"), "B": "constexpr"}
    texts += [raw_ttir(fn, types, {"B": 4}) for fn in (W.copy_block, W.chosen, W.carried, W.rows, W.updates)]
    modules = [parse_module(text) for text in texts]
    found = {s.op for m in modules for f in m.functions.values() for s in statements_of(f.blocks)}
    assert {name for name in table() if WINDOWS.match(name)} <= found
    assert found - table().keys() == set()


def test_what_is_called_opaque_is() -> None:
    imported = [import_kernel(raw_ttir(fn, TYPES, {"B": 16})) for fn in (L.opaque_parts,)]
    found = {op.name for kernel in imported for op in walk(kernel.body) if isinstance(op, O.Opaque)}
    assert found - {"tt.map_elementwise"} == {name for name, row in table().items() if row.analysis == "opaque"}
    assert not any(isinstance(op, O.Opaque) for op in walk(recorded("block_pointer").body))
