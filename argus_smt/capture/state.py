"""What a run of the launcher leaves behind in its modules: a later call would begin from there."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

_CONTAINERS = (dict, list, set)


@dataclass(frozen=True, slots=True, eq=False)
class _Same:
    """Equal only for the same objects, which it keeps alive."""

    values: tuple[Any, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and len(self.values) == len(other.values) and all(
            a is b for a, b in zip(self.values, other.values, strict=True)
        )  # fmt: skip


class State:
    """The state of modules at one time, to compare with later."""

    def __init__(self, modules: Iterable[types.ModuleType]) -> None:
        self._modules = list(modules)
        self._before = self._read()

    def changed(self) -> tuple[str, ...]:
        """Names of what has changed since, as the modules call it."""
        now = self._read()
        return tuple(sorted({k[1] for k in self._before.keys() | now.keys() if self._before.get(k) != now.get(k)}))

    def _read(self) -> dict[tuple[str, str], Any]:
        return {(m.__name__, name): mark for m in self._modules for name, mark in _marks(dict(vars(m)))}


def _marks(names: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """By name: something that is equal as long as the name and what hangs on it directly stay the same."""
    for name, value in names.items():
        if name.startswith("__") or str(getattr(value, "__module__", "")).startswith("argus_smt.capture"):
            continue
        yield name, _Same((value,))
        if isinstance(value, _CONTAINERS):
            yield name + "[…]", _content(value)
        elif isinstance(value, types.FunctionType):
            for k, v in vars(value).items():
                yield f"{name}.{k}", _content(v) if isinstance(v, _CONTAINERS) else _Same((v,))
        elif callable(info := getattr(value, "cache_info", None)):
            yield f"the cache of {name}", info().currsize


def _content(value: Any) -> _Same:
    return _Same(tuple(x for item in value.items() for x in item) if isinstance(value, dict) else tuple(value))
