"""Watches the user's code while a launcher runs: failures of symbols that it swallows, and modules that it enters."""

from __future__ import annotations

import builtins
import contextlib
import dis
import functools
import sys
from collections.abc import Iterator
from types import CodeType, FrameType, TracebackType
from typing import Any

import torch

from argus_smt.capture.failure import PathEnd
from argus_smt.capture.frames import ENGINE, LIBRARY, USER, kind, of_user
from argus_smt.capture.module import describe
from argus_smt.capture.oracle import Oracle, frame_span
from argus_smt.capture.standins import StandIns
from argus_smt.source import NOWHERE, Span

_ALWAYS = (StopIteration, StopAsyncIteration, GeneratorExit, ImportError, OSError, NameError, KeyError, IndexError,
           ZeroDivisionError)  # fmt: skip
"""What plain Python raises for its own reasons: a symbol is never hashed, and an index or a divisor never left open."""
_TELLING = frozenset((
    "__class__", "SymInt", "SymFloat", "SymBool", "FakeTensor", "FakeTensorMode", "is_fake", "detect_fake_mode",
))  # fmt: skip
"""Names by which code tells symbols and fake tensors from real ones."""
_UNPACKING = ("not enough values to unpack", "too many values to unpack")


class Watch:
    """Notes the first exception in the user's code that real numbers and tensors might not have raised.

    If the launcher swallows it, or raises another instead, it went down a path that real arguments may not take.
    """

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        self.standins = StandIns()
        self.suspect: BaseException | None = None
        self.span = Span("", 0)

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """While this holds, code of the user is watched and sees the stand-ins, in whatever module."""
        old = sys.gettrace()
        sys.settrace(self._enter)
        try:
            yield
        finally:
            sys.settrace(old)
            self.standins.remove()

    def verdict(self, error: BaseException | None) -> PathEnd | None:
        """Why the run that ended in `error` (or well) means nothing; None if it counts."""
        if self.suspect is None or self.suspect is error:
            return None
        what = describe(self.suspect)
        return PathEnd(f"line {self.span.line} catches {what}, which may come from symbolic sizes alone", self.span)

    def _enter(self, frame: FrameType, event: str, arg: Any) -> Any:
        code = frame.f_code
        if kind(code.co_filename) != USER:
            if code.co_name == "wrapper" and "dispatch" in code.co_freevars and code.co_filename == functools.__file__:
                self._dispatches(frame)
            return None
        telling = _TELLING.intersection(code.co_names)
        if telling:
            self._end(f"line {code.co_firstlineno}: `{code.co_name}` asks by `{min(telling)}` what is symbolic", frame)
        self.standins.install(frame.f_globals)
        frame.f_trace_lines = False
        return self._inside

    def _inside(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "exception" and self.suspect is None and self.oracle.dead is None:
            _, error, trace = arg
            if isinstance(error, Exception) and not self._real(error, trace):
                self.suspect, self.span = error, frame_span(frame)
        return self._inside

    def _dispatches(self, frame: FrameType) -> None:
        """`functools.singledispatch` goes by the class of its first argument."""
        args = frame.f_locals.get("args") or (None,)
        if isinstance(args[0], torch.SymInt | torch.SymFloat | torch.SymBool):
            self._end("a function chosen by the type of a number that is symbolic", frame)

    def _end(self, reason: str, frame: FrameType) -> None:
        user = of_user(frame)
        self.oracle.dead = self.oracle.dead or PathEnd(reason, NOWHERE if user is None else frame_span(user))

    def _real(self, error: Exception, trace: TracebackType | None) -> bool:
        """Whether real arguments that take this path raise the exception too."""
        if error is self.oracle.refused or self.oracle.follows_failed_check or raised_by_statement(error, trace):
            return True
        if not _in_users_frame(trace):
            return isinstance(error, ImportError | OSError | StopIteration)
        if isinstance(error, AttributeError):
            return _lacks(error)
        return isinstance(error, _ALWAYS) or (isinstance(error, ValueError) and str(error).startswith(_UNPACKING))


def raised_by_statement(error: BaseException, trace: TracebackType | None) -> bool:
    """The innermost frame stands on a `raise` or `assert` of the user.

    One in Python's library counts only for what does not depend on the type of a number: `Fraction(n)` refuses symbols.
    """
    last = _innermost(trace)
    origin = ENGINE if last is None else kind(last.tb_frame.f_code.co_filename)
    if last is None or origin == ENGINE or (origin == LIBRARY and not isinstance(error, _ALWAYS)):
        return False
    return _opname(last.tb_frame.f_code, last.tb_lasti) == "RAISE_VARARGS"


def _innermost(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace


def _in_users_frame(trace: TracebackType | None) -> bool:
    last = _innermost(trace)
    return last is not None and kind(last.tb_frame.f_code.co_filename) != ENGINE


def _opname(code: CodeType, offset: int) -> str:
    return next((i.opname for i in dis.get_instructions(code) if i.offset == offset), "")


def _lacks(error: AttributeError) -> bool:
    """Whether the object lacks the attribute in reality too."""
    real: list[tuple[type, type]] = [
        (torch.SymInt, builtins.int), (torch.SymFloat, builtins.float), (torch.SymBool, builtins.bool),
        (torch.Tensor, torch.Tensor),
    ]  # fmt: skip
    owner = next((r for symbol, r in real if isinstance(error.obj, symbol)), None)
    return owner is None or not hasattr(owner, error.name or "")
