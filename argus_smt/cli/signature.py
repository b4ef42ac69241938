"""`argus signature`: proposes signatures for the launchers of a file, with the reason for each part."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any, TextIO

from argus_smt.capture.failure import CaptureError
from argus_smt.capture.listing import chosen_launchers
from argus_smt.capture.proposal import propose
from argus_smt.cli.breakage import print_errors
from argus_smt.cli.config import Config
from argus_smt.cli.sources import source_of
from argus_smt.diag.excerpt import shown_path
from argus_smt.diag.paragraphs import bullets
from argus_smt.prove.capturing import Captures, InputError, Job


def run(args: argparse.Namespace, stdout: TextIO, stderr: TextIO) -> int:
    """Print the proposals; 0 if there is one, 2 for a file that has none to make."""
    try:
        source = source_of(args.path, Config())
        launchers = chosen_launchers(source.listing, args.launcher)
    except InputError as error:
        print_errors([error], stderr)
        return 2
    except CaptureError as error:
        place = f"{error.span.file or args.path}:{error.span.line}" if error.span.line else args.path
        print_errors([InputError(error.message, place, error.help, error.excerpt, error.code)], stderr)
        return 2
    found: list[dict[str, Any]] = []
    if not args.no_run:
        (captured,) = Captures().run([Job(args.path, propose=True, launcher=args.launcher or "")])
        found = list(captured.proposals)
        print_errors(captured.errors, stderr)
        if captured.errors:
            stderr.write("argus: the proposals below are from the text alone\n")
    found = found or [asdict(propose(f, source.listing)) for f in launchers]
    stdout.write("\n".join(_shown(args.path, p) for p in found))
    return 0


def _shown(path: str, p: dict[str, Any]) -> str:
    """One proposal: the line to paste, where each part comes from, and what to look at first."""
    shown = shown_path(path)
    quoted = p["text"].replace('"', '\\"')
    lines = [f"{shown}:{p['line']} `{p['launcher']}`", "", f'  argus prove {shown} --call "{quoted}"', ""]
    reasons = [f"{part['text']} — {'; '.join(part['because'])}" for part in p["parts"] if part["because"]]
    calls = p["calls"]
    head = "from the text of the launcher" + (f" and {calls} recorded call{'s' if calls != 1 else ''}" if calls else "")
    lines += bullets(head, reasons)
    lines += bullets("look at this before you use it", p["doubts"])
    lines += ["a proposal is a guess at what callers pass: it is proved for nothing until you state it"]
    return "\n".join(lines) + "\n"
