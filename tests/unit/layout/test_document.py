"""The snippets of docs/layouts.md run, one after the other."""

from __future__ import annotations

import re
from pathlib import Path


def test_snippets_run(root: Path) -> None:
    text = (root / "docs" / "layouts.md").read_text(encoding="utf-8")
    snippets = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(snippets) >= 4
    scope: dict[str, object] = {}
    for snippet in snippets:
        exec(compile(snippet, "docs/layouts.md", "exec"), scope)
