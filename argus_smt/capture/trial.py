"""Contracts of helpers put to the test: the launcher runs on small random inputs, and what its helpers return is checked."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from argus_smt.capture.arguments import call_with
from argus_smt.capture.concrete import TooLong, concrete
from argus_smt.capture.conforms import Names, misfit
from argus_smt.capture.contracts import find, replaced
from argus_smt.capture.domain import Domain
from argus_smt.capture.failure import CaptureError
from argus_smt.capture.methods import found_in
from argus_smt.capture.module import Loader
from argus_smt.capture.sampling import sample
from argus_smt.capture.signature import Helper
from argus_smt.source import Span

RUNS = 8
SECONDS = 5.0


def try_contracts(loader: Loader, domain: Domain) -> tuple[str, ...]:
    """One note on each contract: in how many calls it held, or why it was not tested.

    Raises CaptureError for a helper that breaks its contract.
    """
    if not domain.signature.helpers:
        return ()
    trial = _Trial(loader, domain)
    for seed in range(RUNS):
        if not trial.run(seed):
            break
    return tuple(f"contract of a helper: {h.text} ({trial.told(h)})" for h in domain.signature.helpers)


class _Trial:
    """Runs of one launcher; counts the calls of its helpers that kept their contracts."""

    def __init__(self, loader: Loader, domain: Domain) -> None:
        self.loader, self.domain = loader, domain
        self.held = {h.name: 0 for h in domain.signature.helpers}
        self.why = ""
        self.broken: CaptureError | None = None
        self.launched = False

    def run(self, seed: int) -> bool:
        """One run on one input; gives whether another makes sense."""
        found = sample(self.domain, seed)
        if found is None:
            self.why = self.why or "no small input was found that meets the preconditions"
            return False
        values, names = found
        self.launched = False
        try:
            with concrete(self._launch, SECONDS), self.loader.importable():
                module = vars(self.loader.load())
                helpers = self.domain.signature.helpers
                with replaced(module, {h.name: self._checked(h, find(module, h.name), names) for h in helpers}):
                    call_with(found_in(module, self.domain.signature.name), values)
        except TooLong:
            self.why = self.why or f"the launcher took longer than {SECONDS:g} s"
            return False
        except CaptureError:
            raise
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            self.why = self.why or f"the launcher raises {type(error).__name__} on small inputs"
        if self.broken is not None:
            raise self.broken
        return True

    def told(self, helper: Helper) -> str:
        n = self.held[helper.name]
        if n:
            return f"held in {n} call{'s' if n != 1 else ''} on small random inputs"
        return f"not tested: {self.why or 'the launcher did not call it before its first launch'}"

    def _launch(self, kernel: Any, arguments: dict[str, Any]) -> None:
        self.launched = True  # from here on, the host may read what a kernel would have written

    def _checked(self, helper: Helper, real: Callable[..., Any], names: Names) -> Callable[..., Any]:
        """The real helper, its results looked at."""

        def call(*args: Any, **kwargs: Any) -> Any:
            result = real(*args, **kwargs)
            if not self.launched and self.broken is None:
                self._look(helper, result, names)
            return result

        return call

    def _look(self, helper: Helper, result: Any, names: Names) -> None:
        results = result if len(helper.results) > 1 else (result,)
        own = {a.name for a in helper.leaves}
        known = {k: v for k, v in names.items() if k in set(self.domain.signature.names_of_arguments) - own}
        if not isinstance(results, tuple | list) or len(results) != len(helper.results):
            wrong = f"it is {type(result).__name__}, not {len(helper.results)} results"
        else:
            found = [(a.name, misfit(r, a.type, known)) for a, r in zip(helper.leaves, results, strict=True)]
            wrong = next((f"result {i + 1} is {text}" if len(found) > 1 else f"it returns {text}"
                          for i, (_, text) in enumerate(found) if text), "")  # fmt: skip
        if not wrong:
            self.held[helper.name] += 1
            return
        sizes = ", ".join(f"{k} = {v}" for k, v in known.items())
        self.broken = CaptureError(
            f"`{helper.name}` breaks its contract: {wrong}", self._span(helper),
            f"state what it really returns, or a precondition under which this holds; seen with {sizes or 'no sizes'}",
            helper.text, "AR104",
        )  # fmt: skip

    def _span(self, helper: Helper) -> Span:
        last = helper.name.rpartition(".")[2]
        for n in ast.walk(ast.parse(self.loader.text)):
            if isinstance(n, ast.FunctionDef) and n.name == last:
                return Span(self.loader.path, n.lineno, n.col_offset + 1)
        return Span(self.loader.path, 1)
