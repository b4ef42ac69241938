"""Imports only go down, heavy libraries stay in their folders, and no file grows past what a reader can hold."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

TOPS = ("argus_smt", "encodings", "kernels", "agent")

LAYERS = [
    ("argus_smt", "source", "options", "declare", "diag"),
    ("layout", "encodings.tables"),
    ("smt",),
    ("ir",),
    ("interp",),
    ("lang", "capture"),
    ("absint",),
    ("obligations",),
    ("encodings",),
    ("prove",),
    ("emit",),
    ("kernels",),
    ("agent",),
    ("repro", "cli", "gate", "mcp", "lsp", "pytest_plugin", "__main__"),
]
"""Lowest first; a name stands for what lies under `argus_smt.`, `argus_smt` itself for its `__init__.py`."""

LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}

ONLY = {
    "z3": {"smt"},
    "torch": {"capture", "emit"},
    "triton": {"capture", "emit"},
    "numpy": {"interp", "absint", "prove", "capture", "emit"},
    "ml_dtypes": {"interp", "capture", "emit"},
}
"""Library → the only layers that import it."""

LINES = 400
DECLARATIONS = {"argus_smt/ir/ops.py"}
"""Files that only declare data, for which the limit on lines does not hold."""


def files(root: Path) -> list[Path]:
    """Every Python file of the package at its real place, relative to the checkout; the links are not followed."""
    found = []
    for top in TOPS:
        for folder, _, names in os.walk(root / top):
            found += [(Path(folder) / name).relative_to(root) for name in names if name.endswith(".py")]
    return sorted(found)


def module_of(path: Path) -> str:
    """Name under which a file is imported: `encodings/span.py` is `argus_smt.encodings.span`."""
    parts = path.with_suffix("").parts
    parts = parts if parts[0] == "argus_smt" else ("argus_smt", *parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer_of(module: str) -> str:
    """The name in `LAYERS` that a module of the package falls under."""
    inner = module.split(".")[1:]
    names = [".".join(inner[:n]) for n in range(len(inner), 0, -1)] or ["argus_smt"]
    return next((name for name in names if name in LEVEL), names[-1])


def imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and dotted name of all that a file imports, inside functions and for type checkers too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative import"
            yield node.lineno, node.module or ""
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def upward(module: str, tree: ast.AST) -> Iterator[str]:
    """Imports of higher layers in one file."""
    own = LEVEL[layer_of(module)]
    for line, name in imports(tree):
        inside = name.startswith("argus_smt.")
        if inside and LEVEL.get(layer_of(name), 0) > own:
            yield f"{module}:{line} imports {name}"


def strangers(module: str, tree: ast.AST) -> Iterator[str]:
    """Imports of libraries that a file's layer may not see."""
    for line, name in imports(tree):
        library = name.split(".")[0]
        if library in ONLY and layer_of(module) not in ONLY[library]:
            yield f"{module}:{line} imports {library}"


@pytest.fixture(scope="module")
def trees(root: Path) -> dict[str, ast.Module]:
    """Module name → syntax tree, for the whole package."""
    return {module_of(p): ast.parse((root / p).read_text(encoding="utf-8"), str(p)) for p in files(root)}


def test_every_file_belongs_to_a_layer(trees: dict[str, ast.Module]) -> None:
    assert sorted(module for module in trees if layer_of(module) not in LEVEL) == []


def test_imports_only_go_down(trees: dict[str, ast.Module]) -> None:
    assert [fault for module, tree in trees.items() for fault in upward(module, tree)] == []


def test_heavy_libraries_stay_in_their_folders(trees: dict[str, ast.Module]) -> None:
    assert [fault for module, tree in trees.items() for fault in strangers(module, tree)] == []


def test_the_prover_reaches_neither_torch_nor_triton(trees: dict[str, ast.Module]) -> None:
    """Not even through a module of the capture process."""
    graph = {module: {name for _, name in imports(tree)} for module, tree in trees.items()}
    prover = [m for m in trees if LEVEL[layer_of(m)] <= LEVEL["prove"] and layer_of(m) not in ("capture", "lang")]
    waiting, reached = list(prover), set(prover)
    while waiting:
        new = (graph[waiting.pop()] & trees.keys()) - reached
        reached |= new
        waiting += new
    libraries = {name.split(".")[0] for module in reached for name in graph[module]}
    assert not libraries & {"torch", "triton"}


def test_no_file_is_too_long(root: Path) -> None:
    sizes = {p.as_posix(): len((root / p).read_text(encoding="utf-8").splitlines()) for p in files(root)}
    exempt = DECLARATIONS | {name for name in sizes if name.startswith("encodings/tables/")}
    assert {name: n for name, n in sizes.items() if n > LINES and name not in exempt} == {}


def test_files_that_only_declare_have_no_behaviour(root: Path) -> None:
    for name in DECLARATIONS:
        tree = ast.parse((root / name).read_text(encoding="utf-8"))
        functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        assert functions <= {"__str__"}, name


def test_reading_a_captured_program_needs_no_heavy_library(root: Path) -> None:
    code = (
        "import sys, argus_smt.ir.serialise, argus_smt.ir.check, argus_smt.ir.text;"
        "print(sorted({'z3', 'torch', 'triton', 'numpy', 'sympy', 'pydantic', 'rich', 'lark'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# ---------------------------------------------------------------- the guards themselves


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("argus_smt.smt.term", "from argus_smt.ir import ops"),
        ("argus_smt.smt.term", "from argus_smt import ir"),
        ("argus_smt.ir.ops", "import argus_smt.encodings.span as s"),
        ("argus_smt.encodings.tables.mfma", "from argus_smt.encodings.span import byte_span"),
        ("argus_smt.interp.run", "def f():\n    from argus_smt.prove.replay import g"),
        ("argus_smt.source", "from argus_smt.cli import main"),
    ],
)
def test_an_upward_import_is_seen(module: str, text: str) -> None:
    assert list(upward(module, ast.parse(text)))


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("argus_smt.ir.ops", "from argus_smt.smt import term as T"),
        ("argus_smt.encodings.span", "from argus_smt.encodings.tables.mfma import LANES"),
        ("argus_smt.prove.replay", "from argus_smt import source\nfrom argus_smt.interp.run import run"),
    ],
)
def test_a_downward_import_is_fine(module: str, text: str) -> None:
    assert not list(upward(module, ast.parse(text)))


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("argus_smt.absint.engine", "import z3"),
        ("argus_smt.prove.worker", "from triton.language import core"),
        ("argus_smt.ir.ops", "import numpy as np"),
    ],
)
def test_a_stray_library_is_seen(module: str, text: str) -> None:
    assert list(strangers(module, ast.parse(text)))
