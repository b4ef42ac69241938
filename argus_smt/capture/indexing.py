"""Indexing of tensors by symbolic integers: torch's own code would ask for their numbers."""

from __future__ import annotations

from typing import Any

import torch

from argus_smt.capture.world import World
from argus_smt.smt import term as T


def indexing(world: World) -> dict[str, Any]:
    """Methods of a tensor that take symbols, and integer tensors of no dimension, as indices of dimensions."""
    get, put = torch.Tensor.__getitem__, torch.Tensor.__setitem__

    def read(self: Any, index: Any) -> Any:
        parts = _parts(index)
        return get(self, index) if parts is None else _chosen(world, self, parts)

    def write(self: Any, index: Any, value: Any) -> None:
        parts = _parts(index)
        if parts is None:
            put(self, index, value)
        elif isinstance(value, torch.Tensor):
            _chosen(world, self, parts).copy_(value)
        else:
            _chosen(world, self, parts).fill_(value)

    return {"__getitem__": read, "__setitem__": write}


def _parts(index: Any) -> tuple[Any, ...] | None:
    """Indices and slices by dimension, if one of the indices is symbolic and nothing else occurs."""
    parts = index if isinstance(index, tuple) else (index,)
    if not any(map(_symbolic, parts)) or not all(isinstance(p, int | slice) or _symbolic(p) for p in parts):
        return None
    return None if any(isinstance(p, bool) for p in parts) else parts


def _symbolic(part: Any) -> bool:
    if isinstance(part, torch.Tensor):
        number = not part.dtype.is_floating_point and not part.dtype.is_complex
        return part.dim() == 0 and number and part.dtype not in (torch.bool, torch.uint8)
    return isinstance(part, torch.SymInt)


def _chosen(world: World, tensor: torch.Tensor, parts: tuple[Any, ...]) -> torch.Tensor:
    if len(parts) > tensor.dim():
        raise IndexError(f"too many indices for tensor of dimension {tensor.dim()}")
    for d in reversed(range(len(parts))):  # later dimensions first: what is taken away moves those behind it
        part = parts[d]
        if isinstance(part, slice):
            tensor = torch.Tensor.__getitem__(tensor, (slice(None),) * d + (part,))
            continue
        i: Any = part.item() if isinstance(part, torch.Tensor) else part
        span, _ = world.oracle.asker()
        at, size = world.terms((i, tensor.shape[d]), "an index", span)
        if not world.oracle.check(T.and_(T.le(-size, at), T.lt(at, size)), span):
            raise IndexError(f"index is out of bounds for dimension {d}")
        tensor = tensor.select(d, i + tensor.shape[d] if i < 0 else i)
    return tensor
