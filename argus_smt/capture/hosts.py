"""Patches that let ordinary launchers run on symbols and on a machine without a device, each undone on leaving."""

from __future__ import annotations

import builtins
import contextlib
import math
import types
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import torch
import triton
from torch._subclasses.fake_tensor import FakeTensor
from triton.backends.compiler import GPUTarget
from triton.runtime.driver import driver

from argus_smt.capture import target
from argus_smt.capture.device import PretendDevice, shown_device
from argus_smt.capture.failure import PathEnd
from argus_smt.capture.world import World, storage_key
from argus_smt.smt import term as T


@contextlib.contextmanager
def standing_in(names: dict[str, Any]) -> Iterator[None]:
    """Replace `int`, `float`, `len` and `math` in the global names of the user's module, but only while the launcher runs.

    Kernels see the same names when they are compiled, and must find the real ones.
    """
    added: dict[str, Any] = {"int": SymbolicInt, "float": SymbolicFloat, "len": symbolic_len}
    added |= {"math": symbolic_math()} if names.get("math") is math else {}
    added = {k: v for k, v in added.items() if k == "math" or k not in names}
    old = {k: names[k] for k in added if k in names}
    names.update(added)
    try:
        yield
    finally:
        for k in added:
            if k in old:
                names[k] = old[k]
            else:
                names.pop(k, None)


@contextlib.contextmanager
def patched(owner: Any, **values: Any) -> Iterator[None]:
    """Set attributes of `owner` for a while."""
    missing = object()
    old = {name: vars(owner).get(name, missing) for name in values}
    for name, value in values.items():
        setattr(owner, name, value)
    try:
        yield
    finally:
        for name, value in old.items():
            if value is missing:
                delattr(owner, name)
            else:
                setattr(owner, name, value)


@contextlib.contextmanager
def machine() -> Iterator[None]:
    """Answers about the device come from the target's table."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(patched(torch.cuda, **_cuda()))
        stack.enter_context(patched(driver, _active=_driver()))
        yield


def _cuda() -> dict[str, Any]:
    stream = SimpleNamespace(
        cuda_stream=0, device=torch.device("cuda", 0), synchronize=_nothing, wait_stream=_nothing,
        wait_event=_nothing, record_event=_nothing, device_index=0,
    )  # fmt: skip
    null: Callable[..., Any] = lambda *a, **k: contextlib.nullcontext()  # noqa: E731
    return {
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "_lazy_init": _nothing,
        "init": _nothing,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "get_device_properties": lambda *a: target.device_properties(),
        "get_device_capability": lambda *a: (target.GFX942["major"], target.GFX942["minor"]),
        "get_device_name": lambda *a: target.GFX942["name"],
        "current_stream": lambda *a: stream,
        "default_stream": lambda *a: stream,
        "synchronize": _nothing,
        "empty_cache": _nothing,
        "set_device": _nothing,
        "device": null,
        "stream": null,
        "mem_get_info": lambda *a: (target.GFX942["total_memory"],) * 2,
    }


def _nothing(*args: Any, **kwargs: Any) -> None:
    return None


def _driver() -> Any:
    return SimpleNamespace(
        get_current_target=lambda: GPUTarget(target.BACKEND, target.ARCH, target.WARP),
        get_active_torch_device=lambda: torch.device("cuda", 0),
        get_current_device=lambda: 0,
        set_current_device=_nothing,
        get_current_stream=lambda *a: 0,
        get_device_capability=lambda *a: (9, 4),
        get_device_interface=lambda: torch.cuda,
        get_empty_cache_for_benchmark=_nothing,
        clear_cache=_nothing,
        get_benchmarker=lambda: lambda fn, **k: [0.0, 0.0, 0.0],
        map_python_to_cpp_type=str,
        utils=SimpleNamespace(get_device_properties=lambda *a: target.driver_properties()),
    )


# ---------------------------------------------------------------- symbols


@contextlib.contextmanager
def symbolic(world: World) -> Iterator[None]:
    """Partial functions ask before they divide; summaries; addresses; contents that the host may not read."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(patched(torch.SymInt, **_divisions(world)))
        stack.enter_context(patched(triton.next_power_of_2, fn=world.next_power_of_2))
        stack.enter_context(
            patched(
                torch.Tensor,
                data_ptr=lambda self: _address(world, self),
                nbytes=property(lambda self: self.numel() * self.element_size()),
            )
        )
        stack.enter_context(
            patched(FakeTensor, tolist=lambda self: _tolist(world, self), device=property(shown_device))
        )
        stack.enter_context(patched(torch.library, wrap_triton=lambda kernel: kernel))
        stack.enter_context(PretendDevice())
        yield


def _divisions(world: World) -> dict[str, Any]:
    def guarded(name: str) -> Any:
        plain = getattr(torch.SymInt, name)
        reflected = name.startswith("__r")

        def divide(self: Any, other: Any) -> Any:
            _ask_divisor(world, self if reflected else other)
            return plain(self, other)

        return divide

    def divmod_(self: Any, other: Any) -> Any:
        return self // other, self % other

    def rdivmod(self: Any, other: Any) -> Any:
        return other // self, other % self

    names = ("__floordiv__", "__rfloordiv__", "__mod__", "__rmod__", "__truediv__", "__rtruediv__")
    return {n: guarded(n) for n in names} | {
        "__divmod__": divmod_,
        "__rdivmod__": rdivmod,
        "bit_length": lambda self: world.bit_length(self),
    }


def _ask_divisor(world: World, by: Any) -> None:
    if not isinstance(by, torch.SymInt):
        return
    span, _ = world.oracle.asker()
    divisor = world.terms((by,), "a divisor", span)[0]
    if not world.oracle.decide(T.ne(divisor, 0), "division", span):
        world.oracle.failed_check = world.oracle.decisions[-1] if world.oracle.decisions else None
        raise ZeroDivisionError("integer division or modulo by zero")


def _address(world: World, tensor: torch.Tensor) -> Any:
    """A symbol for the start of the storage, plus the view's offset. Allocations are aligned to 16 bytes or more."""
    key = storage_key(tensor)
    bases = world.addresses
    if key not in bases:
        bases[key] = world.data("address", 0, None, "address of a tensor, in units of 16 bytes") * 16
    return bases[key] + tensor.storage_offset() * tensor.element_size()


def _tolist(world: World, tensor: torch.Tensor) -> Any:
    span, _ = world.oracle.asker()
    world.oracle.stop(PathEnd("the launcher reads the contents of a tensor into a list; state a `helper` contract", span))


# ---------------------------------------------------------------- names in the user's module


class _IntMeta(type):
    def __instancecheck__(cls, value: object) -> bool:
        return builtins.isinstance(value, builtins.int | torch.SymInt)

    def __subclasscheck__(cls, sub: type) -> bool:
        return builtins.issubclass(sub, builtins.int)

    def __eq__(cls, other: object) -> bool:
        return other is builtins.int or other is cls

    def __hash__(cls) -> int:
        return hash(builtins.int)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and builtins.isinstance(args[0], torch.SymInt):
            return args[0]
        if len(args) == 1 and builtins.isinstance(args[0], torch.SymFloat):
            return torch.sym_int(args[0])  # type: ignore[no-untyped-call]
        if len(args) == 1 and builtins.isinstance(args[0], torch.SymBool):
            return 1 if args[0] else 0
        if len(args) == 1 and builtins.isinstance(args[0], torch.Tensor):
            return args[0].item()
        return builtins.int(*args, **kwargs)


class _FloatMeta(type):
    def __instancecheck__(cls, value: object) -> bool:
        return builtins.isinstance(value, builtins.float | torch.SymFloat)

    def __eq__(cls, other: object) -> bool:
        return other is builtins.float or other is cls

    def __hash__(cls) -> int:
        return hash(builtins.float)

    def __call__(cls, *args: Any) -> Any:
        if args and builtins.isinstance(args[0], torch.SymInt | torch.SymFloat):
            return torch.sym_float(args[0])  # type: ignore[no-untyped-call]
        return builtins.float(*args)


class SymbolicInt(metaclass=_IntMeta):
    """Stands for `int` in the user's module: keeps symbols symbolic."""


class SymbolicFloat(metaclass=_FloatMeta):
    """Stands for `float` in the user's module: keeps symbols symbolic."""


def symbolic_len(value: Any) -> Any:
    """Stands for `len` in the user's module: the first size of a tensor stays symbolic."""
    return value.shape[0] if builtins.isinstance(value, torch.Tensor) and value.dim() else builtins.len(value)


def symbolic_math() -> types.ModuleType:
    """Stands for `math` in the user's module."""
    out = types.ModuleType("math")
    out.__dict__.update({k: v for k, v in vars(math).items() if not k.startswith("__")})

    def either(plain: Callable[[Any], Any], sym: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda x: sym(x) if builtins.isinstance(x, torch.SymInt | torch.SymFloat) else plain(x)

    out.__dict__.update(
        sqrt=either(math.sqrt, torch.sym_sqrt),
        log2=either(math.log2, torch._sym_log2),  # type: ignore[attr-defined]
        ceil=either(math.ceil, lambda x: math.ceil(x)),
        floor=either(math.floor, lambda x: math.floor(x)),
    )
    return out
