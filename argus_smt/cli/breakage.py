"""How input that cannot be worked on is reported: one line, then the place and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from argus_smt.diag.excerpt import shown_path
from argus_smt.prove.capturing import InputError


def print_errors(errors: Sequence[InputError], stderr: TextIO) -> None:
    """Write the errors to `stderr`."""
    for error in errors:
        kind = f"error[{error.code}]" if error.code else "internal error" if error.internal else "error"
        path, mark, rest = error.place.partition(":")
        place = f"{shown_path(path)}{mark}{rest}: " if error.place else ""
        stderr.write(f"{place}{kind}: {error.message}\n")
        for line in error.excerpt.splitlines():
            stderr.write(f"  | {line}\n")
        for number, line in enumerate(error.help.splitlines()):
            stderr.write(f"  = help: {line}\n" if number == 0 else f"          {line}\n")
