"""What the host is told about the machine: one table a target, since no device is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

GFX942 = {
    "name": "AMD Instinct MI300X",
    "gcnArchName": "gfx942:sramecc+:xnack-",
    "multi_processor_count": 304,
    "warp_size": 64,
    "max_threads_per_multi_processor": 2048,
    "max_threads_per_block": 1024,
    "regs_per_multiprocessor": 131072,
    "shared_memory_per_block": 65536,
    "shared_memory_per_multiprocessor": 65536,
    "L2_cache_size": 4 << 20,
    "total_memory": 192 << 30,
    "major": 9,
    "minor": 4,
    "is_integrated": 0,
    "is_multi_gpu_board": 0,
}
ARCH, BACKEND, WARP = "gfx942", "hip", 64


class Answers:
    """An object with the entries of a table as attributes; `told` hears of each that is read and gives its value."""

    def __init__(self, table: Mapping[str, Any], told: Callable[[str, Any], Any]) -> None:
        self.__dict__["_table"], self.__dict__["_told"] = table, told

    def __getattr__(self, name: str) -> Any:
        if name not in self._table:
            raise AttributeError(name)
        return self._told(name, self._table[name])


class AnswersByKey(dict[str, Any]):
    """A dictionary that tells of each entry that is read."""

    def __init__(self, table: Mapping[str, Any], told: Callable[[str, Any], Any]) -> None:
        super().__init__(table)
        self._told = told

    def __getitem__(self, name: str) -> Any:
        return self._told(name, super().__getitem__(name))

    def get(self, name: str, default: Any = None) -> Any:
        """As for a dictionary."""
        if name not in self:
            return default
        return self[name]


def driver_properties() -> dict[str, int]:
    """As the utilities of Triton's driver give them."""
    return {
        "max_shared_mem": 65536,
        "max_num_regs": 65536,
        "multiprocessor_count": 304,
        "warpSize": WARP,
        "sm_clock_rate": 2100000,
        "mem_clock_rate": 1300000,
        "mem_bus_width": 8192,
    }
