"""Patches that let ordinary launchers run on symbols and on a machine without a device, each undone on leaving."""

from __future__ import annotations

import contextlib
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


Tell = Callable[[str], None]


@contextlib.contextmanager
def machine(tell: Tell = lambda text: None) -> Iterator[None]:
    """Answers about the device come from the target's table; `tell` hears what the user's code was told."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(patched(torch.cuda, **_cuda(tell)))
        stack.enter_context(patched(driver, _active=_driver(tell)))
        stack.enter_context(environment(tell))
        yield


@contextlib.contextmanager
def environment(tell: Tell) -> Iterator[None]:
    """Tell of the environment variables that the user's code reads."""
    owner = type(os.environ)
    plain = owner.__getitem__

    def read(self: Any, key: Any) -> Any:
        frame = sys._getframe(1)
        while frame.f_back is not None and frame.f_code.co_filename.endswith(("os.py", "_collections_abc.py")):
            frame = frame.f_back
        by_user = isinstance(key, str) and kind(frame.f_code.co_filename) == USER
        try:
            value = plain(self, key)
        except KeyError:
            if by_user:
                tell(f"the environment variable {key}, which is not set")
            raise
        if by_user:
            tell(f"the environment variable {key} = {value!r}")
        return value

    with patched(owner, __getitem__=read):
        yield


def _cuda(tell: Tell) -> dict[str, Any]:
    def told(name: str, value: Any) -> Any:
        if outside_engine() is not None and kind(sys._getframe(2).f_code.co_filename) != ENGINE:
            tell(f"{name} = {value} ({target.GFX942['name']})")
        return value

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
        "get_device_properties": lambda *a: target.Answers(target.GFX942, told),
        "get_device_capability": lambda *a: told("device capability", (target.GFX942["major"], target.GFX942["minor"])),
        "get_device_name": lambda *a: told("device name", target.GFX942["name"]),
        "current_stream": lambda *a: stream,
        "default_stream": lambda *a: stream,
        "synchronize": _nothing,
        "empty_cache": _nothing,
        "set_device": _nothing,
        "device": null,
        "stream": null,
        "mem_get_info": lambda *a: (told("free memory", target.GFX942["total_memory"]),) * 2,
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
