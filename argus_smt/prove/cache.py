"""Results of decided cases on disk, found again by a hash of everything that they depend on."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

from argus_smt.prove.codec import dump_options, dumps_result, loads_result
from argus_smt.prove.finding import CaseResult, ProveOptions, Verdict

_PROVER = ("smt", "ir", "interp", "absint", "obligations", "encodings", "prove", "diag")
"""Folders of Argus whose sources a verdict may depend on."""


def default_folder() -> Path:
    """`$ARGUS_CACHE_DIR`, else `argus` in the user's cache folder."""
    chosen = os.environ.get("ARGUS_CACHE_DIR")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(chosen) if chosen else Path(base) / "argus"


@cache
def prover_digest() -> str:
    """Hash of the prover's sources and of its solver's version."""
    root = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256(metadata.version("z3-solver").encode())
    files = [root / "source.py", *(p for folder in _PROVER for p in sorted((root / folder).rglob("*.py")))]
    for path in files:
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder of results. Reading and writing never fail: an entry that cannot be used is as good as none."""

    folder: Path

    def key(self, program_text: str, launch: int, case: int, options: ProveOptions, entry: str) -> str:
        """Hash of all that the result depends on; `program_text` must not hold times."""
        chosen = {k: v for k, v in dump_options(options).items() if k not in ("select", "ignore", "timeout_s")}
        parts = json.dumps([prover_digest(), entry, launch, case, chosen, program_text], sort_keys=True)
        return hashlib.sha256(parts.encode()).hexdigest()

    def get(self, key: str) -> CaseResult | None:
        """The stored result, or None."""
        try:
            return loads_result(self._path(key).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def put(self, key: str, result: CaseResult) -> None:
        """Store a result in which everything is decided; others are not kept, for they may depend on time."""
        if any(f.verdict is Verdict.UNKNOWN for f in result.findings) or not result.findings:
            return
        path = self._path(key)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(dumps_result(result))
            os.replace(name, path)

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key[2:]}.json"
