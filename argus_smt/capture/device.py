"""The device that the host sees: tensors live on the CPU, since this torch may know no other, and say that they are on CUDA."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.overrides import TorchFunctionMode

_SHOWN = torch.device("cuda", 0)
_REAL = torch.device("cpu")
_TORCH = os.path.dirname(torch.__file__)
_own_device = FakeTensor.device


def shown_device(tensor: FakeTensor) -> torch.device:
    """What `tensor.device` is for the caller's caller: the truth inside torch, the pretended device everywhere else."""
    if sys._getframe(2).f_code.co_filename.startswith(_TORCH):
        return _own_device.__get__(tensor)  # type: ignore[no-any-return]
    return _SHOWN


class PretendDevice(TorchFunctionMode):
    """Every tensor says it is on the GPU; every request for one there is served on the CPU.

    `equal` answers `torch.equal`, which needs the data.
    """

    def __init__(self, equal: Callable[[torch.Tensor, torch.Tensor], bool]) -> None:
        super().__init__()
        self._equal = equal

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in _ANSWERS:
            return _ANSWERS[func](args[0])
        if func in (torch.equal, torch.Tensor.equal):
            return self._equal(*args)
        args = tuple(map(_real, args))
        kwargs = {k: _REAL if k == "device" and v is not None else _real(v) for k, v in (kwargs or {}).items()}
        kwargs.pop("pin_memory", None)
        return func(*args, **kwargs)


def _real(value: Any) -> Any:
    """A device of any kind becomes the CPU."""
    if isinstance(value, torch.device) and value.type != "meta":
        return _REAL
    if isinstance(value, str) and value.partition(":")[0] in ("cuda", "hip"):
        return _REAL
    return value


_ANSWERS: dict[Any, Any] = {
    torch.Tensor.is_cuda.__get__: lambda t: True,  # type: ignore[attr-defined]
    torch.Tensor.is_cpu.__get__: lambda t: False,  # type: ignore[attr-defined]
    torch.Tensor.cuda: lambda t: t,
    torch.Tensor.get_device: lambda t: 0,
}
