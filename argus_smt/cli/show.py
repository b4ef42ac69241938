"""`argus show`: the Tile IR of a file's kernels, or a layout as a picture."""

from __future__ import annotations

import argparse
import os
from typing import TextIO

from argus_smt.cli.breakage import print_errors
from argus_smt.cli.inputs import inputs_of
from argus_smt.layout.error import LayoutError
from argus_smt.layout.notation import parse_distributed
from argus_smt.layout.svg import draw
from argus_smt.prove.capturing import Captures
from argus_smt.prove.dump import program_text


def run(args: argparse.Namespace, stdout: TextIO, stderr: TextIO) -> int:
    """Capture the files and print their launches and kernels; with `--layout`, print its picture."""
    if args.layout is not None or not args.paths:
        return _layout(args, stdout, stderr)
    inputs = inputs_of(args)
    captured = Captures(jobs=args.jobs or len(os.sched_getaffinity(0))).run(inputs.jobs)
    errors = [*inputs.errors]
    errors += [e for c in captured for e in c.errors]
    print_errors(errors, stderr)
    for program in (p for c in captured for p in c.programs):
        stdout.write(program_text(program))
    if any(e.internal for e in errors):
        return 4
    return 2 if errors else 0


def _layout(args: argparse.Namespace, stdout: TextIO, stderr: TextIO) -> int:
    if args.layout is None or args.paths:
        stderr.write("argus show: error: give either files or one --layout\n")
        return 2
    try:
        stdout.write(draw(*parse_distributed(args.layout)))
    except LayoutError as error:
        stderr.write(f"argus show: error: {error}\n")
        return 2
    return 0
