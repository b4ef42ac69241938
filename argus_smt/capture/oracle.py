"""A shape environment that answers every question of torch and of the launcher itself, and keeps the path's condition."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any

import sympy
from sympy.logic.boolalg import Boolean
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from argus_smt.capture.failure import PathEnd
from argus_smt.capture.sympy_terms import Translator, Untranslatable
from argus_smt.smt import term as T
from argus_smt.smt.ask import Session
from argus_smt.smt.term import Term
from argus_smt.source import NOWHERE, Span

PIN_TRIES = 4
"""How many values of a wanted number are tried before the path is given up."""


@dataclass(frozen=True, slots=True)
class Decision:
    """An answer that the path's condition left open. `kind`: branch | framework | check | assert | pin | division."""

    term: Term
    kind: str
    span: Span

    @property
    def open(self) -> bool:
        return True


class Oracle:
    """The questions of one run: answered by the path's condition where it decides, else by the script, else as preferred."""

    def __init__(self, session: Session, hypotheses: tuple[Term, ...], script: tuple[bool, ...], file: str) -> None:
        self.session, self.script, self.file = session, script, file
        self.hypotheses = list(hypotheses)
        self.decisions: list[Decision] = []
        self.answers: list[bool] = []
        self.asked = 0
        self.failed_check: Decision | None = None
        self.dead: PathEnd | None = None
        self.checking = 0
        """Above zero while a check of Triton's runs whose failing means that the launcher rejects its arguments."""
        self.missed: list[Any] = []
        """Symbols that were looked up in tables which have no equal key."""
        self.refused: BaseException | None = None
        """What such a check raised."""

    @property
    def condition(self) -> tuple[Term, ...]:
        """What the decisions of this path say."""
        return tuple(d.term for d in self.decisions)

    def known(self, goal: Term) -> bool:
        """Whether the path's condition implies `goal`."""
        return self.session.implied(self.hypotheses, goal) is True

    def decide(self, term: Term, kind: str, span: Span, prefer: bool = True) -> bool:
        """The answer to a yes-no question; it becomes part of the path's condition if it was open."""
        self.asked += 1
        if self.known(term):
            return True
        if self.known(T.not_(term)):
            return False
        answer = self.script[len(self.answers)] if len(self.answers) < len(self.script) else prefer
        taken = term if answer else T.not_(term)
        self.decisions.append(Decision(taken, kind, span))
        self.answers.append(answer)
        self.hypotheses.append(taken)
        return answer

    def check(self, term: Term, span: Span) -> bool:
        """A check of torch; answered no, torch raises and the path leaves the preconditions."""
        answer = self.decide(term, "check", span)
        self.failed_check = None if answer else self.decisions[-1] if self.decisions else None
        return answer

    @property
    def follows_failed_check(self) -> bool:
        """Whether the last decision was the failing of a check: then an exception is what real arguments meet too."""
        return bool(self.decisions) and self.failed_check is self.decisions[-1]

    def value(self, term: Term, span: Span, what: str) -> int:
        """A number for `term`: the only one, or a few small ones as decisions. Raises PathEnd after that."""
        if term.op == "const":
            return term.value
        only = self.session.values(self.hypotheses, term, 1)
        if only is not None and len(only) == 1:
            return only[0]
        tried = 0
        for v in range(65):
            if self.session.possible([*self.hypotheses, T.eq(term, v)]) is False:
                continue
            if tried == PIN_TRIES:
                break
            tried += 1
            if self.decide(T.eq(term, v), "pin", span):
                return v
        self.stop(PathEnd(f"line {span.line} turns {what} into a number", span, "pin"))
        raise AssertionError

    def stop(self, end: PathEnd) -> None:
        """End the path, and remember why even if user code swallows the exception."""
        self.dead = self.dead or end
        raise end

    # ------------------------------------------------------------ who asks

    def asker(self) -> tuple[Span, bool]:
        """Where in the user's file the question comes from, and whether Python itself asked there."""
        frame: FrameType | None = sys._getframe(1)
        below = None
        while frame is not None and frame.f_code.co_filename != self.file:
            below, frame = frame, frame.f_back
        if frame is None:
            return NOWHERE, False
        return frame_span(frame), below is not None and below.f_code.co_name in ("__bool__", "__int__", "__index__")


def frame_span(frame: FrameType) -> Span:
    """The expression that a frame is evaluating."""
    code = frame.f_code
    positions = getattr(code, "co_positions", None)
    if positions is not None:
        line, end_line, column, end_column = list(positions())[frame.f_lasti // 2]
        if line is not None and column is not None:
            return Span(code.co_filename, line, column + 1, end_line or line, (end_column or column) + 1)
    return Span(code.co_filename, frame.f_lineno)


class Env(ShapeEnv):
    """Torch's environment with every question passed on to an oracle."""

    def __init__(self) -> None:
        super().__init__(specialize_zero_one=False, duck_shape=False)
        self.oracle: Oracle | None = None
        self.translator: Translator | None = None
        _environments.add(self)

    def attach(self, oracle: Oracle, translator: Translator) -> None:
        """Set who answers."""
        self.oracle, self.translator = oracle, translator

    def _attached(self) -> tuple[Oracle, Translator]:
        assert self.oracle is not None
        assert self.translator is not None
        return self.oracle, self.translator

    def evaluate_expr(
        self,
        orig_expr: Any,
        hint: Any = None,
        fx_node: Any = None,
        size_oblivious: bool = False,
        fallback_value: bool | None = None,
        *,
        forcing_spec: bool = False,
    ) -> Any:
        """Answer a question or give a value; see `Oracle`."""
        oracle, translator = self._attached()
        if isinstance(orig_expr, bool | int | sympy.Integer | sympy.Float):
            return orig_expr
        span, python = oracle.asker()
        if isinstance(orig_expr, Boolean) and not isinstance(orig_expr, sympy.Symbol):
            term = translator.condition(orig_expr)
            prefer = True if fallback_value is None else bool(fallback_value)
            if oracle.checking:
                return sympy.sympify(oracle.check(term, span))
            return sympy.sympify(oracle.decide(term, "branch" if python else "framework", span, prefer))
        return sympy.Integer(self._value(orig_expr, span))

    def _value(self, expr: Any, span: Span) -> int:
        oracle, translator = self._attached()
        what = f"`{translator.text(expr)}`"
        if isinstance(expr, sympy.Symbol) and expr in translator.floats:
            what = f"the float {translator.text(expr)}"
        try:
            term = translator.integer(expr)
        except Untranslatable:
            oracle.stop(PathEnd(f"line {span.line} turns {what} into a number", span, "pin"))
            raise
        free = [v.data for v in term.free]
        return oracle.value(term, span, f"the size {free[0]}" if term.op == "var" else what)

    def guard_or_defer_runtime_assert(  # type: ignore[override]
        self, orig_expr: Any, msg: str, fx_node: Any = None
    ) -> bool:
        """A check of torch: `torch._check(…)`."""
        oracle, translator = self._attached()
        if isinstance(orig_expr, bool):
            return orig_expr
        return oracle.check(translator.condition(orig_expr), oracle.asker()[0])


_environments: weakref.WeakSet[Env] = weakref.WeakSet()


def forget_environments() -> None:
    """Detach all environments from who answers for them, once no question is left to ask.

    Torch keeps symbolic sizes, and with them their environments, for as long as the process lives.
    """
    for env in list(_environments):
        env.oracle = env.translator = None
    for name in dir(ShapeEnv):
        clear = getattr(getattr(ShapeEnv, name), "cache_clear", None)
        if clear is not None:
            clear()


Ask = Callable[[Term], bool]
