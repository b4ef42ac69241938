"""What a launcher launches on real tensors of the CPU: each kernel's grid, tensors and numbers, with nothing executed."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from triton.runtime.jit import JITFunction

from argus_smt.capture.hosts import patched


@dataclass(frozen=True, slots=True)
class Seen:
    """A launch: the grid in three entries, and the arguments by name, items of tuples as `t.0`."""

    kernel: str
    grid: tuple[int, int, int]
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ran:
    """The launches of one call, and what it raised."""

    launches: tuple[Seen, ...]
    error: BaseException | None


def run_eagerly(path: Path, launcher: str, values: dict[str, Any]) -> Ran:
    """Call a launcher of a freshly imported file."""
    seen: list[Seen] = []
    alive: list[Any] = []

    def run(fn: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> None:
        bound = inspect.signature(fn.fn).bind(*args, **kwargs)
        bound.apply_defaults()
        alive.append(bound.arguments)  # addresses of storages are not used twice
        entries = grid(dict(bound.arguments)) if callable(grid) else grid
        entries = (*entries, 1, 1)[:3]
        assert all(type(e) is int for e in entries)
        flat = {n: _kept(v) for name, value in bound.arguments.items() for n, v in _flat(name, value)}
        seen.append(Seen(fn.fn.__name__, entries, flat))

    module: dict[str, Any] = {"__name__": f"eager_{path.stem}", "__file__": str(path)}
    with patched(JITFunction, run=run), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(path.read_text(), str(path), "exec"), module)
        try:
            module[launcher](**values)
        except Exception as error:  # noqa: BLE001 - whatever the launcher raises
            return Ran(tuple(seen), error)
    return Ran(tuple(seen), None)


@dataclass(frozen=True, slots=True)
class View:
    """A tensor as a kernel gets it; `address` is that of its storage, `filled` the value of all its elements if they are one."""

    address: int
    nbytes: int
    dtype: torch.dtype
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    numbers: Any


def _kept(value: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    storage = value.untyped_storage()
    numbers = torch.empty(0, dtype=value.dtype).set_(storage).clone()
    offset = value.storage_offset() * value.element_size()
    return View(storage.data_ptr(), storage.nbytes(), value.dtype, offset, tuple(value.shape), value.stride(), numbers)


def _flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, tuple):
        for i, v in enumerate(value):
            yield from _flat(f"{name}.{i}", v)
    else:
        yield name, value
