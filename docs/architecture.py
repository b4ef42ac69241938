"""Keeps the tables of ARCHITECTURE.md: a row a file, its text the module's first sentence; `--write` rewrites them.

The order of rows is that of the document and written by hand; a new file is put at the end of its folder's table.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "ARCHITECTURE.md"
TABLE = re.compile(r"(<!-- files: (?P<folder>\S+) -->\n)(?P<rows>.*?)(<!-- end -->)", re.DOTALL)
ROW = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)


def rewritten(text: str) -> str:
    """The document with every table brought up to date."""
    folders = [match["folder"] for match in TABLE.finditer(text)]
    return TABLE.sub(lambda match: match[1] + table(match["folder"], match["rows"], folders) + match[4], text)


def table(folder: str, rows: str, folders: list[str]) -> str:
    """The rows of a folder: those that are there in their order, then new files by name."""
    names = files(folder, folders)
    known = [name for name in ROW.findall(rows) if name in names]
    order = known + [name for name in names if name not in known]
    head = "| file | does |\n|---|---|\n" if order else ""
    return head + "".join(f"| `{name}` | {sentence(ROOT / name)} |\n" for name in order)


def files(folder: str, folders: list[str]) -> list[str]:
    """Python files under the folder, save empty ones and those of deeper folders that have their own table."""
    deeper = tuple(f"{other}/" for other in folders if other.startswith(f"{folder}/"))
    paths = sorted(path for path in (ROOT / folder).glob("**/*.py") if path.stat().st_size)
    names = [path.relative_to(ROOT).as_posix() for path in paths]
    return [name for name in names if not name.startswith(deeper)]


def sentence(path: Path) -> str:
    """The first paragraph of the module's docstring, on one line, as a cell of a table."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(docstring.partition("\n\n")[0].split()).replace("|", "\\|")


def main(arguments: list[str]) -> int:
    text = DOCUMENT.read_text(encoding="utf-8")
    if arguments == ["--write"]:
        DOCUMENT.write_text(rewritten(text), encoding="utf-8")
        return 0
    return 0 if text == rewritten(text) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
