"""From the paths and signatures of a command line to capture jobs; finds wrong files before anything is started."""

from __future__ import annotations

import argparse
import ast
import os
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

from argus_smt.prove.capturing import InputError, Job


def jobs_of(args: argparse.Namespace) -> tuple[list[Job], list[InputError]]:
    """Jobs for the files of the command line, and the files that are no use."""
    errors: list[InputError] = []
    trees: dict[str, ast.Module] = {}
    for path in args.paths:
        try:
            for file in _files(path, signed=bool(args.call or args.kernel)):
                trees[file] = _tree(file)
        except InputError as error:  # noqa: PERF203 - one wrong file does not hide the others
            errors.append(error)
    jobs: list[Job] = []
    wide = getattr(args, "overflow", "") == "error"
    if trees and (args.call or args.kernel):
        jobs = [Job(_home(sig, trees), call=sig, wide=wide) for sig in args.call]
        jobs += [Job(_home(sig, trees), kernel=sig, wide=wide) for sig in args.kernel]
    else:
        jobs = [Job(file, wide=wide) for file in trees]
    return jobs, errors


def _files(path: str, signed: bool) -> list[str]:
    """The file, or those of a folder: all of them if signatures are given, else those that hold signatures."""
    if os.path.isdir(path):
        found = sorted(p for p in Path(path).rglob("*.py") if p.is_file())
        files = [str(p) for p in found if signed or _is_annotated(p)]
        if not files and signed:
            raise InputError("no Python file in this folder", path, code="AR101")
        if not files:
            raise InputError("no file in this folder has a launcher with @argus.launch", path, code="AR103")
        return files
    if not os.path.exists(path):
        raise InputError("no such file", path, code="AR101")
    return [path]


def _is_annotated(path: Path) -> bool:
    """Whether the file decorates a function with `argus.launch`; a file that does not parse is asked again later."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    if "launch" not in text or "argus" not in text:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return any(_is_launch(d) for d in _decorators(ast.parse(text)))
    except (SyntaxError, ValueError):
        return "@argus.launch" in text


def _decorators(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield from node.decorator_list


def _is_launch(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    match called:
        case ast.Attribute(value=ast.Name(id="argus" | "argus_smt"), attr="launch"):
            return True
        case ast.Name(id="launch"):
            return True
        case _:
            return False


def _tree(file: str) -> ast.Module:
    """The parsed file. Raises InputError that says what is wrong with it."""
    try:
        data = Path(file).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file, code="AR101") from error
    if b"\0" in data:
        raise InputError("not a Python file: it holds zero bytes", file, code="AR101")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data, file)
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


def _home(signature: str, trees: dict[str, ast.Module]) -> str:
    """The file that defines the function of the signature; the first file if none does, so that its error is shown."""
    name = signature.partition("(")[0].strip().rpartition(".")[2]
    for file, tree in trees.items():
        if name in _functions(tree.body):
            return file
    return next(iter(trees))


def _functions(body: Sequence[ast.stmt]) -> set[str]:
    return {node.name for node in body if isinstance(node, ast.FunctionDef)}
