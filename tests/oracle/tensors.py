"""Concrete tensors of arguments that are described as plain data."""

from __future__ import annotations

import mmap
import random
from collections.abc import Callable
from typing import Any

import torch

from tests.oracle.jobs import Argument, TableArg, TensorArg

SPARSE_FROM = 1 << 26
MAP_NORESERVE = 0x4000
TORCH_TYPES = {
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64, "bool": torch.bool,
    "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64, "u8": torch.uint8,
    "f8e4m3fn": torch.float8_e4m3fn,
}  # fmt: skip


def make_tensor(arg: TensorArg) -> torch.Tensor:
    """The tensor of an argument, in a storage of exactly its span."""
    dtype = TORCH_TYPES[arg.dtype]
    strides = arg.strides
    if strides is None:
        strides = torch.empty(arg.shape, device="meta").stride()
    extent = 0 if 0 in arg.shape else 1 + sum((n - 1) * s for n, s in zip(arg.shape, strides, strict=True))
    nbytes = extent * torch.empty((), dtype=dtype).element_size()
    if nbytes > SPARSE_FROM:
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE
        return torch.frombuffer(mmap.mmap(-1, nbytes, flags=flags), dtype=dtype).as_strided(arg.shape, strides)
    rng = random.Random(arg.seed)
    if arg.values is None:
        numbers = [rng.uniform(-1, 1) if dtype.is_floating_point else rng.randint(arg.low, arg.high) for _ in range(extent)]
        return torch.tensor(numbers, dtype=dtype).as_strided(arg.shape, strides)
    tensor = torch.zeros(extent, dtype=dtype).as_strided(arg.shape, strides)
    return tensor.copy_(torch.tensor(arg.values, dtype=dtype).reshape(arg.shape))


def made(arg: Argument, make: Callable[[TensorArg], torch.Tensor] = make_tensor) -> Any:
    """What a launcher is called with for an argument. The tensors behind a table are its attribute `members`."""
    if isinstance(arg, TensorArg):
        return make(arg)
    if not isinstance(arg, TableArg):
        return arg
    members = [make(m) for m in arg.members]
    table = torch.tensor([m.data_ptr() for m in members], dtype=torch.int64)
    table.members = members  # type: ignore[attr-defined]
    return table


def behind(tensor: torch.Tensor) -> list[torch.Tensor]:
    """The tensors that a table points to; none for other tensors."""
    return getattr(tensor, "members", [])
