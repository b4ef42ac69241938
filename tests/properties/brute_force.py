"""Every program of concrete launches, run by the concrete interpreter of the Tile IR."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
from triton.runtime.jit import JITFunction, mangle_type

from argus_smt.capture.ttir.compile import raw_ttir
from argus_smt.capture.ttir.importer import import_kernel
from argus_smt.interp.memory import Memory, Region
from argus_smt.interp.run import PointerValue, run_grid
from argus_smt.ir.ops import Kernel
from tests.integration.own_launch import write_addresses
from tests.oracle.jobs import Argument
from tests.oracle.tensors import behind, made

TYPES = {
    torch.float16: "f16", torch.float32: "f32", torch.int8: "i8", torch.int16: "i16",
    torch.int32: "i32", torch.int64: "i64",
}  # fmt: skip
FAULTS = frozenset({
    "oob_read", "oob_write", "div_zero", "shift_width", "assume_false", "assert_false", "hint_false", "undef_used",
    "unsupported", "limit",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fault:
    """One faulty execution of one operation; `lane` is the flat index of the first lane concerned."""

    kind: str
    line: int
    program: tuple[int, int, int]
    lane: int


def load_module(path: Path) -> Any:
    """The module of a file, loaded afresh."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class BruteForce:
    """Runs calls of the launcher of one file; each form of the kernel is compiled and imported once."""

    def __init__(self, path: Path, launcher: str = "launch") -> None:
        self.launcher = getattr(load_module(path), launcher)
        self.kernels: dict[tuple[Any, ...], Kernel] = {}

    def run(self, call: Sequence[Argument], only: tuple[int, int, int] | None = None) -> tuple[Fault, ...]:
        """All faults of `launcher(*call)`, in the order of execution; of one program if `only` names it."""
        found: list[Fault] = []
        with self._launches_to(found, only):
            self.launcher(*map(made, call))
        return tuple(found)

    @contextmanager
    def _launches_to(self, found: list[Fault], only: tuple[int, int, int] | None) -> Iterator[None]:
        def run(fn: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> None:
            bound = dict(zip(fn.arg_names, args, strict=False)) | {k: v for k, v in kwargs.items() if k in fn.arg_names}
            sizes = grid(bound) if callable(grid) else grid
            found.extend(self._execute(fn, bound, (*sizes, 1, 1)[:3], only))

        with patch.object(JITFunction, "run", run):
            yield

    def _kernel(self, fn: Any, bound: dict[str, Any]) -> Kernel:
        constants = {p.name: bound[p.name] for p in fn.params if p.is_constexpr}
        types = {n: "constexpr" if n in constants else mangle_type(bound[n]) for n in fn.arg_names}
        key = (*constants.items(), *types.items())
        if key not in self.kernels:
            self.kernels[key] = import_kernel(raw_ttir(fn, types, constants))
        return self.kernels[key]

    def _execute(
        self, fn: Any, bound: dict[str, Any], grid: tuple[int, int, int], only: tuple[int, int, int] | None
    ) -> list[Fault]:
        kernel = self._kernel(fn, bound)
        values = [bound[name] for name in kernel.params]
        passed = [v for v in values if isinstance(v, torch.Tensor)]
        tensors = [t for v in passed for t in (v, *behind(v))]
        storages = {t.untyped_storage().data_ptr(): t.untyped_storage() for t in tensors}
        numbers = {pointer: number for number, pointer in enumerate(storages)}
        names = {t.untyped_storage().data_ptr(): TYPES[t.dtype] for t in tensors}
        memory = Memory([Region(numbers[p], f"t{numbers[p]}", names[p], s.nbytes()) for p, s in storages.items()])
        for pointer, storage in storages.items():
            raw = torch.empty(0, dtype=torch.uint8).set_(storage)
            memory.write_elements(numbers[pointer], 0, raw.numpy())
        for table in passed:
            write_addresses(memory, table, numbers)
        args = [_view(v, numbers) if isinstance(v, torch.Tensor) else v for v in values]
        trace = run_grid(kernel, args, grid, memory, programs=None if only is None else (only,))
        return [Fault(e.kind, e.span.line, e.program, _flat(e)) for e in trace.events if e.kind in FAULTS]


def _view(t: torch.Tensor, numbers: dict[int, int]) -> PointerValue:
    item = t.element_size()
    reach = sum((n - 1) * s for n, s in zip(t.shape, t.stride(), strict=True))
    first = t.storage_offset() * item
    return PointerValue(numbers[t.untyped_storage().data_ptr()], first, first, first + (reach + 1) * item)


def _flat(event: Any) -> int:
    if event.hits is None or not event.element:
        return 0
    lane = 0
    for place, extent in zip(event.element, event.hits.shape, strict=True):
        lane = lane * extent + place
    return lane
