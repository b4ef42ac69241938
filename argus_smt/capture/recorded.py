"""Concrete calls of launchers: tests, benchmarks and the main section of a file run, and what they pass is noted."""

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import io
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, islice, product
from typing import Any

import torch

from argus_smt.capture.concrete import TooLong, concrete
from argus_smt.capture.failure import CaptureError
from argus_smt.capture.listing import Listing
from argus_smt.capture.module import Loader
from argus_smt.capture.world import HOST_DTYPES

CALLS = 24
"""Most calls of one launcher that are kept."""
VARIANTS = 6
"""Most combinations of parameters that one test is run with."""
SECONDS = 10.0
_PREFIXES = ("test", "bench", "check", "verify", "demo", "example", "main", "run", "profile")


@dataclass(frozen=True, slots=True)
class Passed:
    """One argument of a call. `kind`: tensor | int | float | bool | str | none | other."""

    kind: str
    dtype: str = ""
    shape: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()
    low: int | None = None
    high: int | None = None
    value: int | str | None = None

    @property
    def contiguous(self) -> bool:
        """Whether a tensor is dense and row-major."""
        expected = 1
        for n, s in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if n > 1 and s != expected:
                return False
            expected *= n
        return True


Call = dict[str, Passed]


def record(loader: Loader, listing: Listing, launchers: tuple[str, ...]) -> dict[str, list[tuple[int, Call]]]:
    """Calls of each launcher with the line that makes them; nothing is raised for what user code does.

    A test that fails ends there: no kernel runs, so results are not what it expects.
    """
    calls: dict[str, list[tuple[int, Call]]] = {name: [] for name in launchers}
    for start in _starts(loader, listing, launchers):
        quiet = contextlib.redirect_stdout(io.StringIO())
        with _survived(TooLong), quiet, concrete(lambda kernel, arguments: None, SECONDS), loader.importable():
            module = vars(loader.load())
            for name in launchers:
                if callable(module.get(name)):
                    module[name] = _recording(module[name], calls[name])
            start(module)
    return calls


@contextlib.contextmanager
def _survived(*more: type[BaseException]) -> Iterator[None]:
    """What user code raises ends here: its errors, `sys.exit`, and pytest's own way to skip or fail a test."""
    try:
        yield
    except BaseException as error:
        of_pytest = any(c.__name__ == "OutcomeException" for c in type(error).__mro__)
        if not of_pytest and not isinstance(error, (Exception, SystemExit, *more)):
            raise


def _starts(loader: Loader, listing: Listing, launchers: tuple[str, ...]) -> Iterator[Callable[[dict[str, Any]], None]]:
    """What to run: functions that look like tests and benchmarks, and the main section."""
    for f in listing.functions:
        if f.name.lower().lstrip("_").startswith(_PREFIXES) and f.name not in launchers and not _is_kernel(f, listing):
            yield functools.partial(_run_function, f.name)
    for n in ast.parse(loader.text).body:
        if isinstance(n, ast.If) and "__name__" in ast.unparse(n.test) and "__main__" in ast.unparse(n.test):
            code = compile(ast.Module(n.body, []), loader.path, "exec")
            yield functools.partial(_run_code, code)


def _is_kernel(f: ast.FunctionDef, listing: Listing) -> bool:
    return any(f is k for k in listing.kernels)


def _run_code(code: Any, module: dict[str, Any]) -> None:
    exec(code, module)


def _run_function(name: str, module: dict[str, Any]) -> None:
    function = module[name]
    if hasattr(function, "benchmarks"):  # triton.testing.perf_report
        for bench in function.benchmarks if isinstance(function.benchmarks, list) else [function.benchmarks]:
            for x in list(bench.x_vals)[:3]:
                xs = dict(zip(bench.x_names, x if isinstance(x, tuple | list) else [x] * len(bench.x_names), strict=False))
                for line in list(bench.line_vals)[:3]:
                    with _survived():
                        function.fn(**xs, **{bench.line_arg: line}, **bench.args)
        return
    for values in islice(_variants(function), VARIANTS):
        with _survived():
            function(**values)


def _variants(function: Any) -> Iterator[dict[str, Any]]:
    """Values for the parameters of a test: those of its marks, spread over their lists."""
    axes: list[list[dict[str, Any]]] = []
    for mark in getattr(function, "pytestmark", []):
        if mark.name == "parametrize":
            names = [n.strip() for n in mark.args[0].split(",")] if isinstance(mark.args[0], str) else list(mark.args[0])
            axes.append([dict(zip(names, _row(row, len(names)), strict=False)) for row in mark.args[1]])
    longest = max((len(a) for a in axes), default=1)
    # along the diagonal first: it shows most sizes in few runs
    diagonal = ([axis[k % len(axis)] for axis in axes] for k in range(longest if all(axes) else 0))
    seen: set[str] = set()
    for parts in chain(diagonal, product(*axes)):
        values = {key: v for part in parts for key, v in part.items()}
        if repr(values) not in seen:
            seen.add(repr(values))
            yield values


def _row(row: Any, width: int) -> Any:
    """The values of one row of a mark."""
    if type(row).__name__ == "ParameterSet":
        return row.values
    return row if width > 1 else [row]


def _recording(function: Callable[..., Any], calls: list[tuple[int, Call]]) -> Callable[..., Any]:
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        frame = sys._getframe(1)
        with contextlib.suppress(TypeError):
            bound = signature.bind(*args, **kwargs)
            passed = {name: _passed(v) for name, v in bound.arguments.items()}
            if len(calls) < CALLS and all(passed != earlier for _, earlier in calls):
                calls.append((frame.f_lineno, passed))
        return function(*args, **kwargs)

    return call


def _passed(value: Any) -> Passed:
    match value:
        case torch.Tensor():
            low = high = None
            if not value.dtype.is_floating_point and not value.dtype.is_complex and 0 < value.numel() <= 1 << 22:
                low, high = int(value.min()), int(value.max())
            dtype = HOST_DTYPES.get(value.dtype, str(value.dtype))
            dtype = "bool" if dtype == "i1" else dtype
            return Passed("tensor", dtype, tuple(map(int, value.shape)), tuple(map(int, value.stride())), low, high)
        case None:
            return Passed("none")
        case bool():
            return Passed("bool", value=int(value))
        case int():
            return Passed("int", value=value)
        case float():
            return Passed("float")
        case str():
            return Passed("str", value=value)
        case _:
            return Passed("other", value=type(value).__name__)


def require_module(loader: Loader) -> None:
    """Raise CaptureError where the file does not even import."""
    try:
        with concrete(lambda kernel, arguments: None, SECONDS), loader.importable():
            loader.load()
    except TooLong:
        raise CaptureError(f"importing the file takes longer than {SECONDS:g} s", code="AR101") from None
