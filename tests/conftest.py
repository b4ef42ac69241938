"""What all tests share: an environment that leaves the home folder alone, and texts compared with files."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden"

# Triton 3.9 warns once a process unless this is set; it must be so before Triton is imported, in subprocesses too.
os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")

settings.register_profile("argus", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("argus")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/golden from what is printed now")


def pytest_configure(config: pytest.Config) -> None:
    scratch = tempfile.mkdtemp(prefix="argus-test-")
    os.environ["ARGUS_CACHE_DIR"] = os.path.join(scratch, "argus")
    os.environ["TRITON_CACHE_DIR"] = os.path.join(scratch, "triton")
    config.add_cleanup(lambda: shutil.rmtree(scratch, ignore_errors=True))


def pytest_report_header() -> str:
    return "with " + ", ".join(f"{name} {_version(name)}" for name in ("z3-solver", "torch", "triton", "sympy"))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)`: the text must equal tests/golden/<name>.txt; `--update-golden` writes the file instead."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / f"{name}.txt"
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return
        assert path.exists(), f"{path.relative_to(ROOT)} is missing: run with --update-golden, then read what it wrote"
        assert text == path.read_text(encoding="utf-8"), f"differs from {path.relative_to(ROOT)}"

    return compare
