"""`argus show`: the Tile IR of a file's kernels."""

from __future__ import annotations

import argparse
import os
from typing import TextIO

from argus_smt.cli.breakage import print_errors
from argus_smt.cli.inputs import inputs_of
from argus_smt.prove.capturing import Captures
from argus_smt.prove.dump import program_text


def run(args: argparse.Namespace, stdout: TextIO, stderr: TextIO) -> int:
    """Capture the files and print their launches and kernels."""
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
