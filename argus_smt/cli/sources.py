"""One source file of a command line: what it defines, and which of its launchers have a signature."""

from __future__ import annotations

import argparse
import ast
import warnings
from dataclasses import dataclass
from pathlib import Path

from argus_smt.capture.annotations import NotUsable, annotated_signature, is_annotated
from argus_smt.capture.listing import Listing, list_file, no_signature
from argus_smt.cli.choices import job_of
from argus_smt.cli.config import Config, Entry
from argus_smt.diag.report import Skipped
from argus_smt.prove.capturing import InputError, Job


@dataclass(frozen=True, slots=True)
class Source:
    """A Python file that parses; `named` if the command line names it, and not only its folder."""

    file: str
    listing: Listing
    config: Config
    named: bool = True
    mentions_argus: bool = False


def source_of(file: str, config: Config, named: bool = True) -> Source:
    """Read a file. Raises InputError that says what is wrong with it."""
    text = _checked(file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Source(file, list_file(file, text), config, named, "argus" in text)


def jobs_of_source(args: argparse.Namespace, source: Source) -> tuple[list[Job], list[Skipped], list[InputError]]:
    """Jobs for the signatures of `argus.toml`, one for those that the file states itself, and what is left."""
    errors: list[InputError] = []
    jobs: list[Job] = []
    entries = _entries(source, errors)
    for e in entries:
        for text in e.signatures:
            call, kernel = ("", text) if e.kernel else (text, "")
            jobs.append(job_of(args, source, e, call=call, kernel=kernel, place=e.place))
    covered = {e.name for e in entries if e.signatures}
    open_ = [f for f in source.listing.launchers if f.name not in covered]
    stated = [f for f in open_ if _is_decorated(f) or _usable(f)]
    decorated = any(_is_decorated(f) for f in source.listing.functions if f.name not in covered)
    if stated or decorated:
        jobs.append(job_of(args, source, but=tuple(sorted(covered))))
    skipped = [_skipped(source, f) for f in open_ if f not in stated]
    if jobs or errors or not source.named:
        return jobs, skipped, errors
    if source.mentions_argus or not (source.listing.launchers or source.listing.kernels):
        return [job_of(args, source)], [], []  # the decorator may go by another name; the capture says what is wrong
    return [], [], [_without(source)]


def _entries(source: Source, errors: list[InputError]) -> list[Entry]:
    """Entries of the tables that match the file, for functions that it has; later tables replace earlier ones."""
    known = {f.name for f in source.listing.callable}
    out: dict[str, Entry] = {}
    for table in source.config.tables(source.file):
        plain = not any(set(p) & set("*?[") for p in table.patterns)
        for e in table.entries:
            if e.name in known:
                out[e.name] = e
            elif plain:
                what = "kernel" if e.kernel else "launcher"
                errors.append(InputError(f"{source.file} has no {what} `{e.name}`", e.place, code="AR104"))
    return list(out.values())


def _skipped(source: Source, f: ast.FunctionDef) -> Skipped:
    reason = "no signature"
    if is_annotated(f):
        try:
            annotated_signature(f)
        except NotUsable as error:
            reason = error.message
    help_ = f"`argus signature {source.file} --launcher {f.name}` proposes one; write it above the launcher as "
    return Skipped(
        file=source.file, line=f.lineno, launcher=f.name, reason=reason,
        help=help_ + '`@argus.launch("…")`, or into argus.toml',
    )  # fmt: skip


def _without(source: Source) -> InputError:
    """The error for a file of which no launcher has a signature."""
    error = no_signature(source.listing)
    for f in source.listing.launchers:
        if is_annotated(f):
            try:
                annotated_signature(f)
            except NotUsable as unusable:
                return InputError(unusable.message, f"{source.file}:{unusable.line}", code="AR104")
    return InputError(error.message, f"{source.file}:{error.span.line}", error.help, code=error.code)


def _usable(f: ast.FunctionDef) -> bool:
    if not is_annotated(f):
        return False
    try:
        annotated_signature(f)
    except NotUsable:
        return False
    return True


def _is_decorated(f: ast.FunctionDef) -> bool:
    return any(_is_launch(d) for d in f.decorator_list)


def _is_launch(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    match called:
        case ast.Attribute(value=ast.Name(id="argus" | "argus_smt"), attr="launch"):
            return True
        case ast.Name(id="launch"):
            return True
        case _:
            return False


def _checked(file: str) -> str:
    """Text of a file that parses. Raises InputError that says what is wrong with it."""
    try:
        data = Path(file).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file, code="AR101") from error
    if b"\0" in data:
        raise InputError("not a Python file: it holds zero bytes", file, code="AR101")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(data, file)
    except SyntaxError as error:
        if "unicode error" in str(error.msg):
            raise InputError(f"not Python: {error.msg}", file, code="AR101") from error
        place = f"{file}:{error.lineno}:{error.offset or 1}" if error.lineno else file
        text = (error.text or "").rstrip("\n")
        caret = " " * ((error.offset or 1) - 1) + "^"
        excerpt = f"{text}\n{caret}" if text else ""
        raise InputError(f"not Python: {error.msg}", place, excerpt=excerpt, code="AR101") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"not Python: {error}", file, code="AR101") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("not a Python file: it is not text in UTF-8", file, code="AR101") from error
