"""Operators that the user's code registers with torch: their own code runs, since their fake forms would hide launches."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import torch

from argus_smt.capture.frames import USER, kind

_KEYS = ("CUDA", "CompositeExplicitAutograd", "CompositeImplicitAutograd", "PrivateUse1")
"""Dispatch keys whose code runs for tensors on a device, the first before the others."""
_TORCH = ("aten", "prims", "prim", "profiler", "inductor", "quantized", "torchvision", "debugprims", "rngprims")
_registered: dict[tuple[str, str], Callable[..., Any]] = {}


@contextlib.contextmanager
def registering() -> Iterator[None]:
    """While this holds, `Library.impl` is remembered; libraries of the user end with it."""
    plain_impl: Any = torch.library.Library.impl
    plain_init: Any = torch.library.Library.__init__
    libraries: list[Any] = []

    def impl(self: Any, op_name: Any, fn: Any, dispatch_key: str = "", *args: Any, **options: Any) -> Any:
        short = op_name._schema.name if isinstance(op_name, torch._ops.OpOverload) else op_name
        name = short if "::" in short else f"{self.ns}::{short}"
        key = dispatch_key or self.dispatch_key
        _registered[name.partition(".")[0], key] = fn
        if key != "CUDA":  # the code for a device runs from `implementation`; this torch may know no device
            plain_impl(self, op_name, fn, dispatch_key, *args, **options)

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        plain_init(self, *args, **kwargs)
        maker = sys._getframe(1).f_code.co_filename
        if kind(maker) == USER or maker == torch.library.__file__:  # as `torch.library.define` does
            libraries.append(self)

    torch.library.Library.impl, torch.library.Library.__init__ = impl, init  # type: ignore[method-assign]
    try:
        yield
    finally:
        torch.library.Library.impl, torch.library.Library.__init__ = plain_impl, plain_init  # type: ignore[method-assign]
        for library in libraries:  # a fresh module defines the same names again
            library._destroy()
        _registered.clear()


def implementation(func: Any) -> Callable[..., Any] | None:
    """The user's code behind an operator: of `custom_op`, `triton_op` or `Library.impl`; None for torch's own."""
    from torch._library.custom_ops import OPDEFS

    name = func._schema.name
    definition: Any = OPDEFS.get(name)
    if definition is not None:
        code: Callable[..., Any] = definition._init_fn
        return code
    return next((_registered[name, key] for key in _KEYS if (name, key) in _registered), None)


def hides_code(func: Any) -> bool:
    """Whether an operator is not torch's own and nothing is known of what it runs."""
    return func._schema.name.partition("::")[0] not in _TORCH and implementation(func) is None
