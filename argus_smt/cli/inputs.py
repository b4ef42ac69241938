"""From the paths and signatures of a command line to capture jobs; finds wrong files before anything is started."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from argus_smt.cli.choices import config_of, job_of
from argus_smt.cli.sources import Source, jobs_of_source, source_of
from argus_smt.diag.excerpt import shown_path
from argus_smt.diag.report import Skipped
from argus_smt.prove.capturing import InputError, Job


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the paths of a command line come to: jobs, files that are no use, and launchers without a signature."""

    jobs: tuple[Job, ...]
    errors: tuple[InputError, ...]
    skipped: tuple[Skipped, ...] = ()


def inputs_of(args: argparse.Namespace) -> Inputs:
    """Jobs for the files of the command line, with the options that it and `argus.toml` give."""
    errors: list[InputError] = []
    files: dict[str, Source] = {}
    for path in args.paths:
        try:
            found = _files(path)
        except InputError as error:
            errors.append(error)
            continue
        for file in found:
            try:
                files[file] = source_of(file, config_of(args, file), named=file == path)
            except InputError as error:  # noqa: PERF203 - one wrong file does not hide the others
                if file == path or error.code != "AR101":
                    errors.append(error)
    if not files:
        return Inputs((), tuple(errors))
    if args.call or args.kernel:
        jobs = [job_of(args, _home(sig, files), call=sig) for sig in args.call]
        jobs += [job_of(args, _home(sig, files), kernel=sig) for sig in args.kernel]
        return Inputs(tuple(jobs), tuple(errors))
    jobs, skipped = [], []
    for source in files.values():
        made, left, wrong = jobs_of_source(args, source)
        jobs += made
        skipped += left
        errors += wrong
    if not jobs and not errors:
        errors += [_nothing(path, skipped) for path in args.paths if os.path.isdir(path)]
    return Inputs(tuple(jobs), tuple(errors), tuple(skipped))


def _nothing(folder: str, skipped: Sequence[Skipped]) -> InputError:
    """The error for a folder of which nothing can be proved."""
    if not skipped:
        return InputError("no file in this folder has a kernel with a launcher", folder, code="AR102")
    names = ", ".join(f"`{s.launcher}` ({shown_path(s.file)}:{s.line})" for s in skipped[:5])
    more = f" and {len(skipped) - 5} more" if len(skipped) > 5 else ""
    help_ = f"launchers found: {names}{more}\n{skipped[0].help}"
    return InputError("no launcher in this folder has a signature", folder, help_, code="AR103")


def _files(path: str) -> list[str]:
    """The file, or the Python files of a folder, but for hidden ones."""
    if os.path.isdir(path):
        found = sorted(p for p in Path(path).rglob("*.py") if p.is_file())
        files = [str(p) for p in found if not any(n.startswith(".") for n in p.relative_to(path).parts)]
        if not files:
            raise InputError("no Python file in this folder", path, code="AR101")
        return files
    if not os.path.exists(path):
        raise InputError("no such file", path, code="AR101")
    return [path]


def _home(signature: str, files: Mapping[str, Source]) -> Source:
    """The file that defines the function of the signature; the first file if none does, so that its error is shown."""
    name = signature.partition("(")[0].strip()
    for source in files.values():
        if any(f.name == name for f in source.listing.callable):
            return source
    return next(iter(files.values()))
