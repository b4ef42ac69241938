"""Kernels that the launcher compiles first with `kernel.warmup(…)` and launches later."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch

from argus_smt.capture.failure import PathEnd
from argus_smt.capture.world import World

_NUMBERS = {"n_regs": (1, 512), "n_spills": (0, None), "n_max_threads": (1, 1024), "shared": (0, 1 << 20)}
"""Measures of a compiled kernel, with bounds; their values are the compiler's business."""
Launch = Callable[[Any, tuple[Any, ...], dict[str, Any], Any], None]


class Measured:
    """Answers with the measures of a compiled kernel as symbols that are not followed; `known` are the other answers."""

    def __init__(self, world: World, name: str, known: dict[str, Any]) -> None:
        self._world, self._name, self._known = world, name, known

    def __getattr__(self, name: str) -> Any:
        if name in self._known:
            return self._known[name]
        if name in _NUMBERS:
            low, high = _NUMBERS[name]
            self._known[name] = self._world.data(name, low, high, f"`{name}` of the compiled `{self._name}`", "unfollowed")
            return self._known[name]
        if name.startswith("__"):
            raise AttributeError(name)
        span, _ = self._world.oracle.asker()
        self._world.oracle.stop(PathEnd(f"line {span.line} reads `{name}` of the compiled `{self._name}`", span))
        raise AssertionError


class Warmed(Measured):
    """What `warmup` returns: `[grid](…)` launches the kernel as it was compiled."""

    def __init__(self, world: World, launch: Launch, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        name = fn.fn.__name__
        options = {k: v for k, v in kwargs.items() if k not in fn.arg_names}
        metadata = Measured(world, name, {"name": name, **options})
        super().__init__(world, name, {"metadata": metadata, "name": name, "_init_handles": lambda: None})
        bound = inspect.signature(fn.fn).bind(*args, **{k: v for k, v in kwargs.items() if k in fn.arg_names})
        bound.apply_defaults()
        self._launch, self._fn, self._compiled, self._options = launch, fn, bound.arguments, options

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        def run(*args: Any, stream: Any = None) -> None:
            self._launch(self._fn, (), {**self._arguments(args), **self._options}, grid)

        return run

    def _arguments(self, args: tuple[Any, ...]) -> dict[str, Any]:
        """By parameter; constants are those compiled in. Ends the path where others differ from what was compiled for."""
        params = self._fn.params
        given = [p for p in params if len(args) == len(params) or not p.is_constexpr]
        if len(given) != len(args):
            raise TypeError(f"the compiled `{self._name}` takes {len(params)} arguments, not {len(args)}")
        out = dict(self._compiled)
        for p, value in zip(given, args, strict=True):
            if not p.is_constexpr:
                if not self._same(self._compiled[p.name], value):
                    span, _ = self._world.oracle.asker()
                    what = f"`{p.name}` differs from what `{self._name}` was compiled for"
                    self._world.oracle.stop(PathEnd(what, span))
                out[p.name] = value
        return out

    def _same(self, compiled: Any, value: Any) -> bool:
        """Whether Triton compiles the same for both, as far as it is certain."""
        match value:
            case torch.Tensor():
                return compiled == value.dtype or getattr(compiled, "dtype", None) == value.dtype
            case bool() | int() | torch.SymInt():
                span, _ = self._world.oracle.asker()
                if not isinstance(compiled, int | torch.SymInt) or isinstance(compiled, bool) != isinstance(value, bool):
                    return False
                a, b = self._world.terms((compiled, value), "an argument", span)
                return a is b
            case float() | torch.SymFloat():
                return isinstance(compiled, float | torch.SymFloat)
            case _:
                return compiled is value
