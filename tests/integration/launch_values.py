"""Runs launchers on small tensors and collects what they compute; as a child process, in Triton's interpreter.

As a child it reads pickled calls from stdin and writes, for each, the arrays of all results and arguments to stdout.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pickle
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    os.environ["TRITON_INTERPRET"] = "1"
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
import torch

from tests.oracle.jobs import Argument, TensorArg
from tests.oracle.tensors import behind, made

TORCH_TYPES = {
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64, "bool": torch.bool,
    "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64, "u8": torch.uint8,
    "f8e4m3fn": torch.float8_e4m3fn,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Call:
    """`launcher(*args)` of a file."""

    file: str
    launcher: str
    args: tuple[Argument, ...]

    def __str__(self) -> str:
        sizes = (f"{a.dtype}{list(a.shape)}{a.strides or ''}" if isinstance(a, TensorArg) else str(a) for a in self.args)
        return f"{Path(self.file).stem}: {self.launcher}({', '.join(sizes)})"


def make_tensor(arg: TensorArg) -> torch.Tensor:
    """A tensor in a storage of exactly its span."""
    dtype = TORCH_TYPES[arg.dtype]
    strides = arg.strides or torch.empty(arg.shape, device="meta").stride()
    extent = 0 if 0 in arg.shape else 1 + sum((n - 1) * s for n, s in zip(arg.shape, strides, strict=True))
    if arg.values is not None:
        view = torch.zeros(extent, dtype=dtype).as_strided(arg.shape, strides)
        return view.copy_(torch.tensor(arg.values, dtype=dtype).reshape(arg.shape))
    rng = np.random.default_rng(arg.seed)
    numbers = rng.standard_normal(extent) if dtype.is_floating_point else rng.integers(arg.low, arg.high + 1, extent)
    return torch.from_numpy(numbers).to(dtype).as_strided(arg.shape, strides)


@contextlib.contextmanager
def zeros_for_empty() -> Iterator[None]:
    """`torch.empty` gives zeros, so that what no program writes is the same in every run."""
    kept = torch.empty, torch.empty_like
    torch.empty, torch.empty_like = torch.zeros, torch.zeros_like
    try:
        yield
    finally:
        torch.empty, torch.empty_like = kept


def load(path: str, modules: dict[str, Any]) -> Any:
    """Module of a file, loaded once."""
    if path not in modules:
        spec = importlib.util.spec_from_file_location(f"values_{Path(path).stem}", path)
        assert spec is not None
        assert spec.loader is not None
        modules[path] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(modules[path])
    return modules[path]


def values_of(call: Call, modules: dict[str, Any]) -> list[Any]:
    """Arrays of the results and then of the tensor arguments, as they are after the call."""
    launcher: Callable[..., Any] = getattr(load(call.file, modules), call.launcher)
    args = [made(a, make_tensor) for a in call.args]
    with zeros_for_empty():
        results = launcher(*args)
    tensors = [t for t in (*(results if isinstance(results, tuple | list) else [results]), *args) if isinstance(t, torch.Tensor)]
    return [t.double().numpy() for seen in tensors for t in behind(seen) or [seen]]


def main() -> None:
    calls: list[Call] = pickle.load(sys.stdin.buffer)
    warnings.simplefilter("ignore")
    modules: dict[str, Any] = {}
    with contextlib.redirect_stdout(sys.stderr), np.errstate(all="ignore"):
        found = [values_of(call, modules) for call in calls]
    sys.stdout.buffer.write(pickle.dumps(found))


if __name__ == "__main__":
    main()
