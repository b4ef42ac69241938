"""Byte-addressed memory of a run: one storage for each allocation, with who wrote each byte and whether it is defined.

Small storages are arrays, large ones dictionaries of pages, so that a storage of terabytes costs what is touched of it.
Bytes that nobody wrote show the storage's background.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from argus_smt.interp.formats import decode, encode, round_to
from argus_smt.interp.lanes import Array
from argus_smt.ir.types import FLOAT_BITS, INT_BITS, Scalar

DENSE_LIMIT = 1 << 24
PAGE_BITS = 12
PAGE = 1 << PAGE_BITS
ALIGNMENT = 4096
GAP = 1 << 42
"""Least distance, in bytes, between two storages in the space of addresses."""

HOST = 1
FIRST_PROGRAM = 2


@dataclass(frozen=True, slots=True)
class Region:
    """One allocation: `nbytes` is its extent, `dtype` the element type of the tensor that owns it.

    `about` describes the tensor in words where it is no argument of its own.
    """

    storage: int
    name: str
    dtype: str
    nbytes: int
    about: str = ""


class _Plane:
    """Bytes and codes of one storage. Code 0: nobody wrote; 1: the host; 2 + p: program p; negative: undefined."""

    def __init__(self, nbytes: int, dense: bool) -> None:
        self.pages: dict[int, tuple[Array, Array]] = {}
        self.dense = (np.zeros(nbytes, np.uint8), np.zeros(nbytes, np.int32)) if dense else None

    def read(self, at: Array) -> tuple[Array, Array]:
        """Bytes and codes at byte offsets `at`, of any shape."""
        if self.dense is not None:
            return self.dense[0][at], self.dense[1][at]
        data, code = np.zeros(at.shape, np.uint8), np.zeros(at.shape, np.int32)
        numbers = at >> PAGE_BITS
        for number in np.unique(numbers):
            page = self.pages.get(int(number))
            if page is not None:
                here = numbers == number
                data[here], code[here] = (part[at[here] & (PAGE - 1)] for part in page)
        return data, code

    def write(self, at: Array, data: Array, code: Array) -> None:
        """Set bytes and codes at offsets `at`; of equal offsets the last one stays."""
        if self.dense is not None:
            self.dense[0][at], self.dense[1][at] = data, code
            return
        numbers = at >> PAGE_BITS
        for number in np.unique(numbers):
            page = self.pages.setdefault(int(number), (np.zeros(PAGE, np.uint8), np.zeros(PAGE, np.int32)))
            here = numbers == number
            page[0][at[here] & (PAGE - 1)], page[1][at[here] & (PAGE - 1)] = data[here], code[here]


@dataclass(slots=True)
class _Storage:
    region: Region
    base: int
    plane: _Plane
    background: Array = field(default_factory=lambda: np.zeros(1, np.uint8))
    uninitialised: bool = False


class Memory:
    """All storages of a launch. Offsets are bytes from the start of a storage; an offset outside raises IndexError."""

    def __init__(self, regions: Sequence[Region], *, dense_limit: int = DENSE_LIMIT) -> None:
        self.dense_limit = dense_limit
        self._storages: dict[int, _Storage] = {}
        self._order: list[int] = []
        self._starts: list[int] = []
        self._next = GAP
        for region in regions:
            self.add(region)

    def add(self, region: Region) -> None:
        """One more storage, behind all others. Raises ValueError where there is no room, or where it has a wrong size."""
        if region.storage in self._storages or region.nbytes < 0:
            raise ValueError(f"storage {region.storage} of `{region.name}` is given twice or has a negative size")
        self._storages[region.storage] = _Storage(region, self._next, self._empty(region))
        self._order.append(region.storage)
        self._starts.append(self._next - GAP // 2)
        self._next += -(-(region.nbytes + GAP) // ALIGNMENT) * ALIGNMENT
        if self._next >= 1 << 63:
            raise ValueError("the storages together do not fit in 63 bits of address space")

    def _empty(self, region: Region) -> _Plane:
        return _Plane(region.nbytes, region.nbytes <= self.dense_limit)

    @property
    def regions(self) -> tuple[Region, ...]:
        return tuple(s.region for s in self._storages.values())

    def region(self, storage: int) -> Region:
        """Raises KeyError for a storage that does not exist."""
        return self._storages[storage].region

    def base(self, storage: int) -> int:
        """Address of the first byte, a multiple of 4096."""
        return self._storages[storage].base

    def shift(self, by: int) -> None:
        """Move all storages up by `by` bytes, a multiple of 4096, before anything runs on them."""
        for record in self._storages.values():
            record.base += by
        self._starts = [start + by for start in self._starts]
        self._next += by

    def owner(self, address: int) -> int | None:
        """The storage nearest to an address; None where no storage is anywhere near."""
        place = bisect_right(self._starts, address) - 1
        if place < 0:
            return None
        storage = self._storages[self._order[place]]
        return self._order[place] if address < storage.base + storage.region.nbytes + GAP // 2 else None

    # ------------------------------------------------------------ what the host does

    def write_elements(self, storage: int, byte_offset: int, values: Array) -> None:
        """The host writes an array (in its own NumPy type, row-major) from `byte_offset` on."""
        data = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        at = self._span(storage, byte_offset, data.size)
        self._storages[storage].plane.write(at, data, np.full(data.shape, HOST, np.int32))

    def fill(self, storage: int, pattern: bytes) -> None:
        """The host writes `pattern` over and over into the whole storage."""
        self.mark_uninitialised(storage)
        self._storages[storage].uninitialised = False
        self._set_background(storage, pattern)

    def set_default(self, storage: int, value: int | float) -> None:
        """What bytes show that nobody wrote: elements equal to `value` in the storage's own type."""
        elem = Scalar(self.region(storage).dtype)
        if elem.name not in INT_BITS and elem.name not in FLOAT_BITS:
            raise ValueError(f"`{elem.name}` is not an element type")
        with np.errstate(all="ignore"):
            lane = np.asarray([value], np.int64) if elem.is_int else round_to(np.asarray([value], np.float64), elem)
        self._set_background(storage, encode(lane, elem).tobytes())

    def _set_background(self, storage: int, pattern: bytes) -> None:
        if not pattern:
            raise ValueError("an empty pattern")
        self._storages[storage].background = np.frombuffer(pattern, np.uint8)

    def mark_uninitialised(self, storage: int) -> None:
        """Forget all that was written; to read a byte is a fault until somebody writes it."""
        record = self._storages[storage]
        record.plane = self._empty(record.region)
        record.uninitialised = True

    def read_bytes(self, storage: int, byte_offset: int, count: int) -> Array:
        """`count` bytes as they are now."""
        return self.take(storage, self._span(storage, byte_offset, count))[0]

    def read_elements(self, storage: int, dtype: str, byte_offset: int, count: int) -> Array:
        """`count` elements as lanes of the type named `dtype`."""
        elem = Scalar(dtype)
        return decode(self.read_bytes(storage, byte_offset, count * elem.nbytes).reshape(count, elem.nbytes), elem)

    def writers(self, storage: int, byte_offset: int, count: int) -> Array:
        """For each byte the number of the program that last wrote it (x fastest), -1 for the host, -2 for nobody."""
        code = np.abs(self.take(storage, self._span(storage, byte_offset, count))[1])
        return np.asarray(code - FIRST_PROGRAM)

    def _span(self, storage: int, byte_offset: int, count: int) -> Array:
        if not 0 <= byte_offset <= byte_offset + count <= self.region(storage).nbytes:
            raise IndexError(f"bytes {byte_offset} to {byte_offset + count} of {self.region(storage)}")
        return np.arange(byte_offset, byte_offset + count, dtype=np.int64)

    # ------------------------------------------------------------ what programs do

    def take(self, storage: int, at: Array) -> tuple[Array, Array]:
        """Bytes and codes at offsets inside the storage; bytes that nobody wrote show the background."""
        record = self._storages[storage]
        data, code = record.plane.read(at)
        untouched = code == 0
        if untouched.any():
            data = np.where(untouched, record.background[at % record.background.size], data)
        return data, code

    def uninitialised(self, storage: int, code: Array) -> Array:
        """Which of the bytes with these codes nobody initialised."""
        return np.asarray((code == 0) & self._storages[storage].uninitialised)

    def put(self, storage: int, at: Array, data: Array, code: Array) -> None:
        """Write bytes with their codes at offsets inside the storage."""
        self._storages[storage].plane.write(at, data, code)
