"""`functools.lru_cache` over symbols: whether a call was made before is a question about its arguments.

Python's own cache looks numbers up by their hash, which a symbol has not. A function of the user's code that has a
cache compares its arguments with those of all earlier calls instead, one by one.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable
from typing import Any

import torch

from argus_smt.capture.frames import USER, kind

_SYMBOLS = (torch.SymInt, torch.SymFloat, torch.SymBool)
_plain = functools.lru_cache


def patches() -> dict[str, Any]:
    """What stands for names of `functools`."""
    return {"lru_cache": _lru_cache, "cache": _cache}


def _lru_cache(maxsize: Any = 128, typed: bool = False) -> Any:
    by_user = kind(sys._getframe(1).f_code.co_filename) == USER
    if not by_user:
        return _plain(maxsize, typed)
    if callable(maxsize):
        return Cached(maxsize, 128, typed)
    return lambda function: Cached(function, maxsize, typed)


def _cache(function: Any) -> Any:
    return Cached(function, None, False) if kind(sys._getframe(1).f_code.co_filename) == USER else _plain(None)(function)


class Cached:
    """A function with a cache; `entries` are arguments and results, those used last at the end."""

    def __init__(self, function: Callable[..., Any], maxsize: int | None, typed: bool) -> None:
        self._function, self._maxsize, self._typed = function, maxsize, typed
        self._entries: list[tuple[Any, Any]] = []
        self._hits = self._misses = 0
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # Python's own cache takes one integer or string for a key by itself, which no tuple equals
        alone = not self._typed and not kwargs and len(args) == 1 and type(args[0]) in (int, str, torch.SymInt)
        types = tuple(map(_type, (*args, *kwargs.values()))) if self._typed else ()
        key = (alone, args, tuple(kwargs.items()), types)
        if not holds_symbol(key):
            hash(key)  # raises as Python's own cache does
        for i, (known, result) in enumerate(self._entries):
            if same(known, key):
                self._hits += 1
                self._entries.append(self._entries.pop(i))
                return result
        self._misses += 1
        result = self._function(*args, **kwargs)
        self._entries.append((key, result))
        if self._maxsize is not None and len(self._entries) > max(self._maxsize, 0):
            del self._entries[0]
        return result

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        return self if owner is None else types.MethodType(self, owner)

    def cache_info(self) -> Any:
        """Hits, misses, the limit and the number of entries."""
        return functools._CacheInfo(self._hits, self._misses, self._maxsize, len(self._entries))

    def cache_parameters(self) -> dict[str, Any]:
        """The limit, and whether types count."""
        return {"maxsize": self._maxsize, "typed": self._typed}

    def cache_clear(self) -> None:
        """Forget all calls."""
        self._entries.clear()
        self._hits = self._misses = 0


def holds_symbol(value: Any) -> bool:
    """Whether a value is a symbol, or a tuple that holds one."""
    return any(map(holds_symbol, value)) if isinstance(value, tuple) else isinstance(value, _SYMBOLS)


def same(a: Any, b: Any) -> bool:
    """Whether two keys are equal; about symbols that is asked last, and becomes part of the path."""
    asked: list[tuple[Any, Any]] = []
    return _alike(a, b, asked) and all(bool(x == y) for x, y in asked)


def _alike(a: Any, b: Any, asked: list[tuple[Any, Any]]) -> bool:
    """Whether two keys are equal if what is `asked` is."""
    if isinstance(a, tuple) and isinstance(b, tuple) and (holds_symbol(a) or holds_symbol(b)):
        return len(a) == len(b) and all(_alike(x, y, asked) for x, y in zip(a, b, strict=True))
    if a is b:
        return True
    if isinstance(a, _SYMBOLS) or isinstance(b, _SYMBOLS):
        if not all(isinstance(v, int | float | torch.SymInt | torch.SymFloat | torch.SymBool) for v in (a, b)):
            return False
        x, y = (int(bool(v)) if isinstance(v, torch.SymBool) else v for v in (a, b))
        asked.append((x, y))
        return True
    return hash(a) == hash(b) and bool(a == b)


def _type(value: Any) -> type:
    """The type of a value, or of the number that a symbol stands for."""
    return {torch.SymInt: int, torch.SymFloat: float, torch.SymBool: bool}.get(type(value), type(value))


class Distinct:
    """What `set(…)` is for items that hold symbols: items that are not equal on this path."""

    def __init__(self, items: Any = ()) -> None:
        self._items: list[Any] = []
        for item in items:
            self.add(item)

    def add(self, item: Any) -> None:
        """Enter an item, unless one is equal."""
        if item not in self:
            self._items.append(item)

    def __contains__(self, item: Any) -> bool:
        return any(same(known, item) for known in self._items)

    def __iter__(self) -> Any:
        return iter(list(self._items))

    def __len__(self) -> int:
        return len(self._items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Distinct | set | frozenset) and self <= other and all(x in self for x in other)

    def __le__(self, other: Any) -> bool:
        return all(any(same(x, y) for y in other) for x in self._items)

    __hash__ = None  # type: ignore[assignment]

    def pop(self) -> Any:
        """Take an item out."""
        return self._items.pop()
