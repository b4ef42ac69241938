"""`argus repro`: writes the stand-alone tests of a report's refuted errors."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TextIO

from argus_smt.cli.arguments import UsageError
from argus_smt.diag.report import Report, read_report
from argus_smt.repro.write import ReproError, file_name, refuted, repro_text


def run(args: argparse.Namespace, stdout: TextIO, stderr: TextIO) -> int:
    """Write one file a refuted error; the name of each goes to `stdout`."""
    found = refuted(_report(args.report))
    if not found:
        raise UsageError(f"{args.report} holds no refuted error")
    if args.finding is not None:
        if not 1 <= args.finding <= len(found):
            raise UsageError(f"--finding {args.finding}: the report has the refuted errors 1 to {len(found)}")
        found = [found[args.finding - 1]]
    if args.output and len(found) > 1:
        raise UsageError(f"-o takes one test, and there are {len(found)}: choose one with --finding N")
    failed = 0
    used: Counter[str] = Counter()
    for kernel, ob in found:
        name = file_name(kernel, ob)
        used[name] += 1
        path = Path(args.output or (name if used[name] == 1 else name.replace(".py", f"_{used[name]}.py")))
        try:
            path.write_text(repro_text(kernel, ob), encoding="utf-8")
        except ReproError as error:
            failed += 1
            stderr.write(f"argus: no test for {ob.code} at line {ob.location.line}: {error}\n")
            continue
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error.strerror}") from error
        stdout.write(f"{path}: {ob.code} at line {ob.location.line} of `{kernel.name}`\n")
    return 2 if failed else 0


def _report(file: str) -> Report:
    try:
        return read_report(Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error
    except ValueError as error:
        first = str(error).splitlines()[0]
        raise UsageError(f"{file} is not a report of `argus prove --format json`: {first}") from error
