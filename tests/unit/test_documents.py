"""What the documents say is so: links lead somewhere, make targets exist, every signature in them parses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from argus_smt.capture.call import parse_signature

DOCUMENTS = ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md", "docs/index.md", "docs/signatures.md")
DOCUMENTS += ("docs/trusting.md", "docs/examples.md", "docs/ops.md", "docs/launchers.md")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(root: Path, document: str) -> None:
    path = root / document
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (path.parent / link).exists()]
    assert missing == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_make_targets_exist(root: Path, document: str) -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (root / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    text = (root / document).read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^|`)make ([a-z0-9-]+)", text, re.MULTILINE))
    assert named - targets == set()


def signatures(text: str) -> list[str]:
    """Signatures of a document: of `--call`, of `--kernel`, and of the decorator, which has no name."""
    return re.findall(r'--(?:call|kernel) "([^"]+)"', text) + [
        f"f({arguments})" for arguments in re.findall(r'@argus\.launch\("([^"]+)"\)', text)
    ]


@pytest.mark.parametrize("document", ["README.md", "docs/signatures.md"])
def test_signatures_parse(root: Path, document: str) -> None:
    found = signatures((root / document).read_text(encoding="utf-8"))
    assert found
    for text in found:
        parse_signature(text)


def test_argument_examples_parse(root: Path) -> None:
    text = (root / "docs/signatures.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    arguments = [line.split("   ")[0].strip() for line in lines if re.match(r"\w+: ", line)]
    assert len(arguments) >= 8
    for argument in arguments:
        parse_signature(f"f({argument})")


def test_dtypes_are_all_listed(root: Path) -> None:
    text = (root / "docs/signatures.md").read_text(encoding="utf-8")
    listed = re.search(r"Element types: `([^`]+)`", text)
    assert listed
    from argus_smt.capture.signature import DTYPES

    assert listed.group(1).split() == list(DTYPES)


def test_examples_are_all_listed(root: Path) -> None:
    listed = re.findall(r"^\| `(\w+\.py)` \|", (root / "docs/examples.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(path.name for path in (root / "examples" / "triton").glob("*.py"))
