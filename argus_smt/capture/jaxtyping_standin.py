"""A stand-in for jaxtyping: files that annotate with it load where it is not installed, and its run-time checks are off."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
import types
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def available() -> Iterator[None]:
    """While this holds, `import jaxtyping` works and its decorators check nothing: symbolic sizes have no hash."""
    old = os.environ.get("JAXTYPING_DISABLE")
    os.environ["JAXTYPING_DISABLE"] = "1"
    missing = "jaxtyping" not in sys.modules and importlib.util.find_spec("jaxtyping") is None
    if missing:
        sys.modules["jaxtyping"] = _Module("jaxtyping")
    try:
        yield
    finally:
        if missing:
            sys.modules.pop("jaxtyping", None)
        if old is None:
            del os.environ["JAXTYPING_DISABLE"]
        else:
            os.environ["JAXTYPING_DISABLE"] = old


class _Annotation(type):
    """Any annotation, subscripted or not."""

    def __getitem__(cls, item: Any) -> Any:
        return cls


class _Module(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name == "jaxtyped":
            return _unchanged
        if name[:1].isupper():
            return _Annotation(name, (), {})
        raise AttributeError(f"the stand-in for jaxtyping has no {name!r}; install jaxtyping to use it")


def _unchanged(function: Any = None, **options: Any) -> Any:
    """The decorator `jaxtyped`, with and without options."""
    return function if function is not None else lambda f: f
