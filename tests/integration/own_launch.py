"""Runs a launcher with every kernel launch carried out by Argus's interpreter on the launcher's own CPU tensors."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from triton.runtime.jit import JITFunction
from triton.tools.tensor_descriptor import TensorDescriptor

from argus_smt.capture.ttir import import_kernel, raw_ttir
from argus_smt.interp.memory import Memory, Region
from argus_smt.interp.run import Arg, PointerValue, Trace, run_grid
from argus_smt.ir.ops import Kernel
from tests.oracle.tensors import behind

DTYPES = {
    torch.float16: ("fp16", "f16"), torch.bfloat16: ("bf16", "bf16"), torch.float32: ("fp32", "f32"),
    torch.float64: ("fp64", "f64"), torch.bool: ("i1", "i1"), torch.int8: ("i8", "i8"), torch.int16: ("i16", "i16"),
    torch.int32: ("i32", "i32"), torch.int64: ("i64", "i64"), torch.uint8: ("u8", "i8"),
    torch.float8_e4m3fn: ("fp8e4nv", "f8e4m3fn"),
}  # fmt: skip
"""Triton's and the Tile IR's name of each type."""


@dataclass
class Device:
    """Kernels by their compiled form, and what each launch did."""

    kernels: dict[Any, Kernel] = field(default_factory=dict)
    launches: list[tuple[str, Trace]] = field(default_factory=list)

    def launch(self, fn: JITFunction[Any], grid: Any, args: dict[str, Any]) -> None:
        """One launch: `args` by parameter, constexprs included."""
        signature = {p.name: "constexpr" if p.is_constexpr else type_of(args[p.name]) for p in fn.params}
        constants = {n: args[n] for n, t in signature.items() if t == "constexpr"}
        padding = [a.padding for a in args.values() if isinstance(a, TensorDescriptor)]
        padded = frozenset(i for i, p in enumerate(padding) if p == "nan")
        key = (fn.fn, *signature.items(), *constants.items(), padded)
        if key not in self.kernels:
            self.kernels[key] = import_kernel(raw_ttir(fn, signature, constants), nan_padded=padded)
        shape = grid(args) if callable(grid) else grid
        shape = (*shape, 1, 1)[:3]
        run_time = [part for n, t in signature.items() if t != "constexpr" for part in passed(args[n])]
        self.launches.append((fn.__name__, run_on_tensors(self.kernels[key], run_time, shape)))


def type_of(value: Any) -> str:
    """How Triton types an argument."""
    match value:
        case torch.Tensor():
            return "*" + DTYPES[value.dtype][0]
        case TensorDescriptor():
            return f"tensordesc<{DTYPES[value.base.dtype][0]}{list(value.block_shape)}>"
        case bool():
            return "u1"
        case 1 | None:
            return "constexpr"
        case int():
            return "i32" if -(1 << 31) <= value < 1 << 31 else "i64"
    return "fp32"


def passed(value: Any) -> list[Any]:
    """What an argument is passed as: a descriptor is a tensor, then its shape and its strides."""
    return [value.base, *value.shape, *value.strides] if isinstance(value, TensorDescriptor) else [value]


def raw_bytes(storage: torch.UntypedStorage) -> Any:
    """The bytes of a storage as an array over the same memory."""
    return torch.tensor([], dtype=torch.uint8).set_(storage).numpy()


def run_on_tensors(kernel: Kernel, args: list[Any], grid: tuple[int, int, int]) -> Trace:
    """Run all programs; the tensors' memory is copied in and, changed, out."""
    passed = [a for a in args if isinstance(a, torch.Tensor)]
    tensors = [t for a in passed for t in (a, *behind(a))]
    storages = {t.untyped_storage().data_ptr(): t for t in tensors}
    numbers = {pointer: k for k, pointer in enumerate(storages)}
    owners = list(storages.values())
    memory = Memory([Region(k, f"t{k}", DTYPES[t.dtype][1], t.untyped_storage().nbytes()) for k, t in enumerate(owners)])
    for k, t in enumerate(owners):
        memory.write_elements(k, 0, raw_bytes(t.untyped_storage()))
    for table in passed:
        write_addresses(memory, table, numbers)
    values: list[Arg] = [pointer_to(a, numbers) if isinstance(a, torch.Tensor) else a for a in args]
    trace = run_grid(kernel, values, grid, memory)
    for k, t in enumerate(owners):
        if behind(t):
            continue
        data = raw_bytes(t.untyped_storage())
        np.copyto(data, memory.read_bytes(k, 0, data.size))
    return trace


def write_addresses(memory: Memory, table: torch.Tensor, numbers: dict[int, int]) -> None:
    """Let a table of addresses point to where its tensors lie in the memory of the run."""
    for place, t in enumerate(behind(table)):
        address = memory.base(numbers[t.untyped_storage().data_ptr()]) + t.storage_offset() * t.element_size()
        memory.write_elements(numbers[table.untyped_storage().data_ptr()], place * 8, np.asarray([address], np.int64))


def pointer_to(t: torch.Tensor, numbers: dict[int, int]) -> PointerValue:
    """The argument that a tensor becomes: its view is its span."""
    start = t.storage_offset() * t.element_size()
    span = 0 if t.numel() == 0 else 1 + sum((n - 1) * s for n, s in zip(t.shape, t.stride(), strict=True))
    return PointerValue(numbers[t.untyped_storage().data_ptr()], start, start, start + span * t.element_size())


@contextlib.contextmanager
def own_device() -> Iterator[Device]:
    """While open, launches of Triton kernels are run by Argus's interpreter."""
    device = Device()

    def run(fn: JITFunction[Any], *args: Any, grid: Any, warmup: bool, **named: Any) -> None:
        assert not warmup
        given = dict(zip(fn.arg_names, args, strict=False)) | {n: v for n, v in named.items() if n in fn.arg_names}
        defaults = {p.name: p.default for p in fn.params if p.has_default}
        device.launch(fn, grid, {n: given.get(n, defaults.get(n)) for n in fn.arg_names})

    kept = JITFunction.run
    JITFunction.run = run
    try:
        yield device
    finally:
        JITFunction.run = kept
