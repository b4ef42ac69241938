"""Address space of the oracle: every storage alone in a region of 2**44 bytes, every access checked lane by lane."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

Array = npt.NDArray[Any]
Report = Callable[[str, int, str, "int | None"], None]
"""Called with (kind, lane, tensor, byte offset) for each lane that leaves its tensor."""

REGION_BITS = 44


@dataclass(slots=True)
class Region:
    """The bytes of one storage and the spans, in bytes, of the tensors that were passed for it."""

    name: str
    data: Array
    spans: set[tuple[int, int]] = field(default_factory=set)


def span_of(tensor: torch.Tensor) -> tuple[int, int]:
    """First byte of a tensor and the byte after its last one, from the start of its storage."""
    item = tensor.element_size()
    first = int(tensor.storage_offset()) * item
    if tensor.numel() == 0:
        return first, first
    reach = sum((int(n) - 1) * int(s) for n, s in zip(tensor.shape, tensor.stride(), strict=True))
    return first, first + (reach + 1) * item


class GuardedMemory:
    """Maps tensors to virtual addresses, and virtual addresses back to the bytes of their storages."""

    def __init__(self) -> None:
        self.regions: list[Region] = []
        self._of_storage: dict[int, int] = {}
        self._kept: list[torch.Tensor] = []

    def address_of(self, tensor: torch.Tensor, name: str) -> int:
        """Virtual address of the first element; the tensor's span becomes accessible."""
        storage = tensor.untyped_storage()
        key = storage.data_ptr() if storage.nbytes() else -id(storage)
        if key not in self._of_storage:
            self._of_storage[key] = len(self.regions)
            data = torch.empty(0, dtype=torch.uint8).set_(storage).numpy()
            self.regions.append(Region(name, data))
            self._kept.append(tensor)
        index = self._of_storage[key]
        first, _ = span_of(tensor)
        self.regions[index].spans.add(span_of(tensor))
        return ((index + 1) << REGION_BITS) + first

    def forget_spans(self) -> None:
        """Start a new launch: only tensors passed from now on are accessible."""
        for region in self.regions:
            region.spans.clear()

    def check(self, kind: str, addresses: Array, live: Array, item: int, report: Report) -> tuple[Array, Array]:
        """Region index of each lane, -1 where it must not be accessed, and its byte offset in that region."""
        flat = addresses.astype(np.uint64).astype(np.int64).reshape(-1)
        wanted = np.broadcast_to(live.astype(bool), addresses.shape).reshape(-1)
        index = ((flat + (1 << (REGION_BITS - 1))) >> REGION_BITS) - 1
        offset = flat - ((index + 1) << REGION_BITS)
        good = np.zeros(flat.shape, dtype=bool)
        for number, region in enumerate(self.regions):
            for low, high in region.spans:
                good |= (index == number) & (offset >= low) & (offset + item <= high)
        for lane in np.flatnonzero(wanted & ~good):
            known = 0 <= index[lane] < len(self.regions)
            name = self.regions[index[lane]].name if known else ""
            report(kind, int(lane), name, int(offset[lane]) if known else None)
        return np.where(wanted & good, index, -1), offset

    def read(self, index: Array, offset: Array, out: Array) -> None:
        """Fill `out` (flat) from memory where `index` is not -1."""
        item = out.dtype.itemsize
        raw = out.view(np.uint8).reshape(-1, item)
        for number in np.unique(index[index >= 0]):
            lanes = index == number
            raw[lanes] = self.regions[number].data[offset[lanes][:, None] + np.arange(item)]

    def write(self, index: Array, offset: Array, values: Array) -> None:
        """Write `values` (flat) to memory where `index` is not -1; of equal addresses the last lane stays."""
        item = values.dtype.itemsize
        raw = np.ascontiguousarray(values).view(np.uint8).reshape(-1, item)
        for number in np.unique(index[index >= 0]):
            lanes = index == number
            self.regions[number].data[offset[lanes][:, None] + np.arange(item)] = raw[lanes]
