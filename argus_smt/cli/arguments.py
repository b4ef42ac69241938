"""The command line: commands, options and their checks. Imports nothing heavy, so that `--help` is quick."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NoReturn, TextIO

from argus_smt import __version__
from argus_smt.diag.codes import CODES
from argus_smt.prove.finding import CHECKS, DEFAULT_CHECKS

EXIT_CODES = """exit codes of `prove`:
  0  everything is proved
  1  an error is refuted
  2  bad usage or input
  3  nothing refuted, something unknown
  4  a fault of Argus itself"""

LATER_FORMATS = ("sarif", "junit", "github", "html")
LATER_COMMANDS = ("emit", "inspect", "optimize", "mcp", "gate", "bench")


class UsageError(Exception):
    """A command line that cannot be followed; the message is one line."""


class Exit(Exception):
    """Ends the command at once, for `--help` and `--version`."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def parse(argv: Sequence[str], stdout: TextIO) -> argparse.Namespace:
    """Arguments of one command; `run` is the function to call. Raises UsageError and Exit."""
    if argv and argv[0] in LATER_COMMANDS:
        raise UsageError(f"`argus {argv[0]}` is not in this version")
    return _parser(stdout).parse_args(list(argv))


class _Parser(argparse.ArgumentParser):
    """Writes help to the given stream, and raises where argparse would leave the process."""

    out: TextIO

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{' '.join(message.split())} (see `{self.prog} --help`)")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise Exit(status)

    def print_help(self, file: Any = None) -> None:
        self.out.write(self.format_help())


class _Version(argparse.Action):
    """Prints the version."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        assert isinstance(parser, _Parser)
        parser.out.write(f"argus {__version__}\n")
        raise Exit(0)


def _parser(stdout: TextIO) -> _Parser:
    class Bound(_Parser):
        out = stdout

    layout = argparse.RawDescriptionHelpFormatter
    top = Bound(
        prog="argus",
        formatter_class=layout,
        description="Prove that GPU kernels keep to their tensors for every shape, or show a small run that does not.",
        epilog=EXIT_CODES,
        allow_abbrev=False,
    )
    top.add_argument("--version", action=_Version, nargs=0, help="print the version and stop")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    prove = commands.add_parser(
        "prove", formatter_class=layout, help="prove the kernels of Python files", epilog=EXIT_CODES, allow_abbrev=False
    )
    _prove_arguments(prove)
    explain = commands.add_parser("explain", help="print the manual page of a code", allow_abbrev=False)
    explain.add_argument("code", metavar="CODE", help="such as AR301")
    explain.set_defaults(run=_lazy("explain"))
    signature = commands.add_parser("signature", help="propose signatures for the launchers of a file", allow_abbrev=False)
    signature.add_argument("path", metavar="FILE", help="a Python file with kernels and their launchers")
    signature.add_argument("--launcher", metavar="NAME", help="only this function")
    signature.add_argument("--no-run", action="store_true", help="read the text only; run no test or benchmark of the file")
    signature.set_defaults(run=_lazy("signature"))
    repro = commands.add_parser("repro", help="write a stand-alone test that fails on a counterexample", allow_abbrev=False)
    repro.add_argument("report", metavar="REPORT", help="a report that `argus prove --format json` wrote")
    repro.add_argument("--finding", type=int, metavar="N", help="which refuted error (default: all)")
    repro.add_argument("-o", "--output", metavar="FILE", help="where to write (default: test_repro_….py here)")
    repro.set_defaults(run=_lazy("repro"))
    show = commands.add_parser("show", help="print the Tile IR of the kernels of a file", allow_abbrev=False)
    _input_arguments(show, paths="*")
    show.add_argument("--layout", metavar="TEXT", help='draw a layout as SVG instead: "Mfma(16, True, (2, 2)) @ 64x64"')
    show.set_defaults(run=_lazy("show"))
    return top


def _input_arguments(parser: argparse.ArgumentParser, paths: str = "+") -> None:
    about = "a Python file, or a folder: its files whose launchers have signatures"
    parser.add_argument("paths", metavar="PATH", nargs=paths, help=about)
    parser.add_argument(
        "--call",
        metavar="SIG",
        action="append",
        default=[],
        help='a launcher with its tensors: "launch(x: f32[M, K], y: i32[M] in [0, K))"; may be repeated',
    )
    parser.add_argument(
        "--kernel",
        metavar="SIG",
        action="append",
        default=[],
        help='a kernel without launcher: "add(x: f32[n], n: int, BLOCK=64) grid (cdiv(n, BLOCK),)"; may be repeated',
    )
    parser.add_argument("--config", metavar="FILE", help="use this argus.toml; `none` for none (default: the nearest one)")
    parser.add_argument("--capture-timeout", metavar="S", type=_positive, help="seconds for running one launcher (default: 60)")
    parser.add_argument("-j", "--jobs", metavar="N", type=_positive_int, default=0, help="processes (default: cores)")


def _prove_arguments(parser: argparse.ArgumentParser) -> None:
    _input_arguments(parser)
    add = parser.add_argument
    add("--select", metavar="CODES", type=_codes, action="extend", default=[], help="report only these, as AR301,AR3")
    add("--ignore", metavar="CODES", type=_codes, action="extend", default=[], help="leave these out")
    groups = f"groups of checks: all, or some of {', '.join(CHECKS)} (default: {','.join(DEFAULT_CHECKS)})"
    add("--checks", metavar="GROUPS", type=_checks, help=groups)
    add("--assume", metavar="EXPR", action="append", default=[], help="a precondition, as 'K %% 64 == 0'")
    add("--overflow", choices=("error", "warn", "off"), help="what a 32-bit wrap is (default: warn)")
    add("--format", metavar="FORMAT", default="text", help="text (default) or json")
    add("-o", "--output", metavar="FILE", help="write the report there")
    add("--timeout", metavar="S", type=_positive, help="seconds for one case (default: 60)")
    add("--require-signatures", action="store_true", help="launchers without a signature are errors")
    add("--no-cache", action="store_true", help="neither use nor keep results of earlier runs")
    add("--cross-check", metavar="SOLVER", help="put what the proofs stand on to a second solver: cvc5")
    add("--dump-smt", metavar="DIR", help="write every solver query there, as SMT-LIB 2")
    add("--dump-ir", metavar="DIR", help="write the captured programs and their Tile IR there")
    parser.set_defaults(run=_lazy("prove"))


def _lazy(module: str) -> Callable[..., int]:
    """`run` of a module of this folder, which is imported when it is called."""

    def run(args: argparse.Namespace, stdout: TextIO, stderr: TextIO) -> int:
        command: Callable[..., int] = import_module(f"argus_smt.cli.{module}").run
        return command(args, stdout, stderr)

    return run


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"not a positive number: {text!r}")
    return value


def _positive_int(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"not a positive whole number: {text!r}")
    return int(text)


def _checks(text: str) -> tuple[str, ...]:
    words = [part.strip() for part in text.split(",") if part.strip()]
    wrong = [w for w in words if w not in (*CHECKS, "all")]
    if wrong or not words:
        known = ", ".join((*CHECKS, "all"))
        raise argparse.ArgumentTypeError(f"no such group of checks: {(wrong or [text])[0]!r}; there are {known}")
    return CHECKS if "all" in words else tuple(c for c in CHECKS if c in words)


def _codes(text: str) -> list[str]:
    codes = [part.strip().upper() for part in text.split(",") if part.strip()]
    wrong = [c for c in codes if not re.fullmatch(r"AR\d{0,3}", c)]
    if wrong or not codes:
        raise argparse.ArgumentTypeError(f"not a code: {(wrong or [text])[0]!r} (codes look like AR301, families like AR3)")
    for code in codes:
        if not any(known.startswith(code) for known in CODES):
            what = "code" if len(code) == 5 else "family of codes"
            raise argparse.ArgumentTypeError(f"no such {what}: {code!r}; codes run from {min(CODES)} to {max(CODES)}")
    return codes
