"""`argus.toml`: signatures and options of files and launchers, found upwards from a file."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from argus_smt.declare import full_signature
from argus_smt.diag.codes import CODES
from argus_smt.prove.capturing import InputError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

NAME = "argus.toml"
OVERFLOW = ("error", "warn", "off")


@dataclass(frozen=True, slots=True)
class Chosen:
    """Options that a table of the file sets; None for those that it leaves alone."""

    assume: tuple[str, ...] | None = None
    overflow: str | None = None
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    timeout: float | None = None
    capture_timeout: float | None = None

    def over(self, other: Chosen) -> Chosen:
        """These options, and those of `other` where these say nothing."""
        mine = {f.name: getattr(self, f.name) for f in fields(self)}
        return Chosen(**{k: getattr(other, k) if v is None else v for k, v in mine.items()})


@dataclass(frozen=True, slots=True)
class Entry:
    """One launcher or kernel with its signatures, and where they are written."""

    name: str
    kernel: bool
    signatures: tuple[str, ...]
    place: str
    chosen: Chosen = Chosen()


@dataclass(frozen=True, slots=True)
class FileTable:
    """One `[[file]]`: glob patterns relative to the folder of argus.toml."""

    patterns: tuple[str, ...]
    place: str
    chosen: Chosen
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Config:
    """A whole `argus.toml`; `path` is empty for none."""

    path: str = ""
    chosen: Chosen = Chosen()
    files: tuple[FileTable, ...] = ()

    def tables(self, file: str) -> tuple[FileTable, ...]:
        """The tables whose patterns match a file, in their order."""
        if not self.path:
            return ()
        try:
            relative = Path(file).resolve().relative_to(Path(self.path).resolve().parent).as_posix()
        except ValueError:
            return ()
        return tuple(t for t in self.files if any(_matches(relative, p) for p in t.patterns))


def config_for(file: str) -> Config:
    """The nearest `argus.toml` in the folder of `file` or above; an empty one if there is none. Raises InputError."""
    folder = Path(file).resolve().parent
    for parent in (folder, *folder.parents):
        if (parent / NAME).is_file():
            return read_config(str(parent / NAME))
    return Config()


@cache
def read_config(path: str) -> Config:
    """The file at `path`. Raises InputError with the line of the first fault."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {getattr(error, 'strerror', '') or 'not UTF-8'}", path, code="AR101") from error
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r" \(at line (\d+), column (\d+)\)", str(error))
        place = f"{path}:{at[1]}:{at[2]}" if at else path
        message = str(error).replace(at[0], "") if at else str(error)
        raise InputError(f"not TOML: {message}", place, code="AR101") from error
    return _Reader(path, text).config(data)


class _Reader:
    """TOML data to tables, for one file."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.lines = _lines(text)

    def place(self, *keys: str | int) -> str:
        """Where a key is written; the table around it if the key itself is not found."""
        for n in range(len(keys), 0, -1):
            if keys[:n] in self.lines:
                return f"{self.path}:{self.lines[keys[:n]]}"
        return self.path

    def fail(self, message: str, *keys: str | int, help: str = "") -> InputError:
        return InputError(message, self.place(*keys), help, code="AR104")

    def config(self, data: Mapping[str, Any]) -> Config:
        self.known(data, ("file",))
        tables = data.get("file", [])
        if not isinstance(tables, list) or not all(isinstance(t, dict) for t in tables):
            raise self.fail("`file` is a list of tables: write `[[file]]`", "file")
        return Config(self.path, self.chosen(data), tuple(self.file(t, i) for i, t in enumerate(tables)))

    def file(self, table: Mapping[str, Any], number: int) -> FileTable:
        at = ("file", number)
        self.known(table, ("path", "launchers", "kernels"), *at)
        patterns = self.texts(table.get("path"), *at, "path")
        if not patterns:
            raise self.fail("a `[[file]]` needs its `path`, a file or a pattern such as `kernels/*.py`", *at)
        folder = Path(self.path).parent
        for p in patterns:
            if p.startswith("/") or next(folder.glob(p), None) is None:
                raise self.fail(f"`{p}` matches no file under {folder}", *at, "path", help="patterns are relative to this file")
        entries = [
            self.entry(name, value, key == "kernels", *at, key, name)
            for key in ("launchers", "kernels")
            for name, value in self.table(table.get(key, {}), *at, key).items()
        ]
        return FileTable(patterns, self.place(*at), self.chosen(table, *at), tuple(entries))

    def entry(self, name: str, value: Any, kernel: bool, *at: str | int) -> Entry:
        chosen = Chosen()
        if isinstance(value, dict):
            self.known(value, ("signatures",), *at)
            chosen, value = self.chosen(value, *at), value.get("signatures", [])
        texts = self.texts(value, *at)
        return Entry(name, kernel, tuple(full_signature(t, name) for t in texts), self.place(*at), chosen)

    # ------------------------------------------------------------ values

    def known(self, table: Mapping[str, Any], more: tuple[str, ...], *at: str | int) -> None:
        allowed = (*(f.name for f in fields(Chosen)), *more)
        for key in table:
            if key not in allowed:
                raise self.fail(f"no such key: `{key}`", *at, key, help=f"there are {', '.join(allowed)}")

    def table(self, value: Any, *at: str | int) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            raise self.fail(f'`{at[-1]}` is a table: write `[file.{at[-1]}]` and in it `name = "signature"`', *at)
        return value

    def texts(self, value: Any, *at: str | int) -> tuple[str, ...]:
        values = value if isinstance(value, list) else [] if value is None else [value]
        if not all(isinstance(v, str) for v in values):
            raise self.fail(f"`{at[-1]}` is a text or a list of texts", *at)
        return tuple(values)

    def chosen(self, table: Mapping[str, Any], *at: str | int) -> Chosen:
        """The options among the keys of a table."""
        return Chosen(
            assume=self.texts(table["assume"], *at, "assume") if "assume" in table else None,
            overflow=self.word(table["overflow"], *at, "overflow") if "overflow" in table else None,
            select=self.codes(table["select"], *at, "select") if "select" in table else None,
            ignore=self.codes(table["ignore"], *at, "ignore") if "ignore" in table else None,
            timeout=self.seconds(table["timeout"], *at, "timeout") if "timeout" in table else None,
            capture_timeout=self.seconds(table["capture_timeout"], *at, "capture_timeout")
            if "capture_timeout" in table else None,
        )  # fmt: skip

    def word(self, value: Any, *at: str | int) -> str:
        if value not in OVERFLOW:
            raise self.fail(f"`overflow` is one of {', '.join(OVERFLOW)}, not {value!r}", *at)
        return str(value)

    def codes(self, value: Any, *at: str | int) -> tuple[str, ...]:
        out = tuple(code.strip().upper() for text in self.texts(value, *at) for code in text.split(","))
        for code in out:
            if not any(known.startswith(code) for known in CODES) or not code.startswith("AR"):
                raise self.fail(f"`{at[-1]}`: no such code: {code!r} (codes look like AR301, families like AR3)", *at)
        return out

    def seconds(self, value: Any, *at: str | int) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
            raise self.fail(f"`{at[-1]}` is a positive number of seconds, not {value!r}", *at)
        return float(value)


def _matches(relative: str, pattern: str) -> bool:
    """Whether a path matches a pattern in which `**` stands for any folders, and `*` for any text within one name."""
    parts, wanted = relative.split("/"), pattern.removeprefix("./").split("/")

    def match(i: int, j: int) -> bool:
        if j == len(wanted):
            return i == len(parts)
        if wanted[j] == "**":
            return any(match(k, j + 1) for k in range(i, len(parts) + 1))
        return i < len(parts) and fnmatchcase(parts[i], wanted[j]) and match(i + 1, j + 1)

    return match(0, 0)


def _lines(text: str) -> dict[tuple[str | int, ...], int]:
    """Line of each key and header, by its path; good enough for messages: keys inside of texts are not told apart."""
    out: dict[tuple[str | int, ...], int] = {}
    at: tuple[str | int, ...] = ()
    files = -1
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]", line)
        if header:
            keys = list(_keys(header[2]))
            files += header[1] == "[[" and keys == ["file"]
            at = ("file", files, *keys[1:]) if keys[0] == "file" and files >= 0 else tuple(keys)
            out.setdefault(at, number)
        elif key := re.match(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"))*)\s*=""", line):
            out.setdefault((*at, *_keys(key[1])), number)
    return out


def _keys(text: str) -> Iterator[str]:
    for part in text.split("."):
        yield part.strip().strip("\"'")
