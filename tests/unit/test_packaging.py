"""The package map, the links and the interpreter's own `encodings` stay as pyproject.toml promises."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MAPPED = ("encodings", "kernels", "agent")
OURS = ("argus_smt", *MAPPED)


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, Any]:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def package_dirs(project: dict[str, Any]) -> dict[str, str]:
    return project["tool"]["setuptools"]["package-dir"]


def modules(root: Path) -> list[Path]:
    """Every Python file of the distribution, at its real place, relative to the checkout."""
    found = []
    for top in OURS:
        for folder, names, files in os.walk(root / top):  # does not follow the links, so each file comes once
            names[:] = [name for name in names if name != "__pycache__"]
            found += [(Path(folder) / file).relative_to(root) for file in files if file.endswith(".py")]
    return sorted(found)


def installed_name(path: Path) -> Path:
    """Where a file of the checkout lies in the installed tree."""
    return path if path.parts[0] == "argus_smt" else Path("argus_smt") / path


def test_package_list_is_the_tree(root: Path, project: dict[str, Any], package_dirs: dict[str, str]) -> None:
    folders = {".".join(installed_name(path).parent.parts) for path in modules(root)}
    assert set(project["tool"]["setuptools"]["packages"]) == folders | set(package_dirs)


def test_every_mapped_package_has_its_link(root: Path, package_dirs: dict[str, str]) -> None:
    for package, folder in package_dirs.items():
        place = root.joinpath(*package.split("."))
        assert place.resolve() == (root / folder).resolve(), f"{package} does not lead to {folder}"
        assert (root / folder).is_dir()
        if package != "argus_smt":
            assert place.is_symlink()
            assert not os.path.isabs(os.readlink(place))


def test_mapped_folders_hold_no_init(root: Path) -> None:
    assert [str(path) for path in modules(root) if path.parts[0] in MAPPED and path.name == "__init__.py"] == []


def test_other_packages_hold_an_init(root: Path) -> None:
    folders = {path.parent for path in modules(root) if path.parts[0] == "argus_smt"}
    assert [str(folder) for folder in folders if not (root / folder / "__init__.py").exists()] == []


def test_no_module_hides_one_of_the_standard_library(root: Path) -> None:
    exposed = [path for path in modules(root) if len(path.parts) == 2]
    assert [str(path) for path in exposed if path.stem in sys.stdlib_module_names] == []


def test_the_interpreter_keeps_its_encodings(root: Path) -> None:
    code = "import encodings, argus_smt; print(encodings.search_function.__module__, argus_smt.__version__)"
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[0] == "encodings"


def test_the_package_loads_without_heavy_imports(root: Path) -> None:
    code = "import sys, argus_smt; print([m for m in ('torch', 'triton', 'z3', 'sympy', 'numpy') if m in sys.modules])"
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_dependencies_are_imported_somewhere(root: Path, project: dict[str, Any]) -> None:
    import_names = {"z3-solver": "z3"}
    text = "\n".join((root / path).read_text(encoding="utf-8") for path in modules(root))
    for line in project["project"]["dependencies"]:
        name = line.split(">")[0].split("<")[0].split("=")[0].strip()
        module = import_names.get(name, name)
        assert f"import {module}" in text or f"from {module}" in text, f"{name} is required and never imported"


def test_wheel_holds_the_tree(root: Path, tmp_path: Path) -> None:
    # the sdist first, then the wheel from it; with the setuptools of this environment, so that no network is needed
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path), str(root)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    expected = {installed_name(path).as_posix() for path in modules(root)}
    assert {name for name in names if name.endswith(".py")} == expected
    assert {f"argus_smt/pages/{page.name}" for page in (root / "docs/codes").glob("*.md")} <= names
    assert "argus_smt/py.typed" in names
