"""What the host is told about the machine: one table a target, since no device is asked."""

from __future__ import annotations

from types import SimpleNamespace
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


def device_properties() -> Any:
    """As `torch.cuda.get_device_properties` gives them."""
    return SimpleNamespace(**GFX942)


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
