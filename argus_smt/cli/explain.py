"""`argus explain`: the manual page of a code."""

from __future__ import annotations

import argparse
from typing import TextIO

from argus_smt.cli.arguments import UsageError
from argus_smt.diag.codes import CODES, lookup, page


def run(args: argparse.Namespace, stdout: TextIO, stderr: TextIO) -> int:
    """Print the page, or the one line of a code that this version does not check."""
    code = lookup(args.code)
    if code is None:
        raise UsageError(f"no such code: {args.code!r}; codes run from {min(CODES)} to {max(CODES)}")
    text = page(code.code)
    if text is None:
        text = f"{code.code} {code.slug}: {code.line}\n"
        text += "" if code.checked else f"\n{code.code} ({code.family}) is not checked by this version.\n"
    stdout.write(text)
    return 0
