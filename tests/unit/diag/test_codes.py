"""Every code that this version reports has a page with the same headings, and its examples are Python."""

from __future__ import annotations

import ast
import re
import textwrap
from pathlib import Path

import pytest

from argus_smt.diag.codes import CODES, FAMILIES, lookup, page

HEADINGS = ["What is proved", "Why it matters", "Counterexample", "How to fix", "What Argus assumes"]
CHECKED = [code for code, row in CODES.items() if row.checked]


@pytest.mark.parametrize("code", CHECKED)
def test_pages(code: str) -> None:
    text = page(code)
    assert text is not None
    assert text.startswith(f"# {code} {CODES[code].slug}\n")
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert [h for h in headings if h != "How it is proved"] == HEADINGS
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        ast.parse(textwrap.dedent(block))


@pytest.mark.parametrize("code", [c for c in CHECKED if c.startswith("AR3")])
def test_memory_pages_have_a_failing_and_a_fixed_example(code: str) -> None:
    text = page(code) or ""
    failing, _, fixed = text.partition("## How to fix")
    assert "```python" in failing
    assert "```python" in fixed


def test_no_page_without_a_code(root: Path) -> None:
    assert {p.stem for p in (root / "docs/codes").glob("*.md")} == set(CHECKED)


def test_the_table() -> None:
    assert list(CODES) == sorted(CODES)
    assert len({row.slug for row in CODES.values()}) == len(CODES)
    for code, row in CODES.items():
        assert re.fullmatch(r"AR[1-79]\d\d", code)
        assert row.family == FAMILIES[code[2]]
        assert row.severity in ("error", "warning", "note")
    assert (CODES["AR303"].severity, CODES["AR307"].severity) == ("warning", "note")


def test_lookup() -> None:
    for text in ("AR301", "ar301", "301", "load-out-of-bounds"):
        assert lookup(text) is CODES["AR301"]
    assert lookup("AR3") is None
