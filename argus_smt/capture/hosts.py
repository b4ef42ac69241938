"""Patches that let ordinary launchers run on symbols and on a machine without a device, each undone on leaving."""

from __future__ import annotations

import contextlib
import functools
import numbers
import os
import random
import sys
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import torch
import triton
from torch._subclasses.fake_tensor import FakeTensor
from triton.backends.compiler import GPUTarget
from triton.runtime.driver import driver

from argus_smt.capture import caches, descriptors, target
from argus_smt.capture.device import PretendDevice, shown_device
from argus_smt.capture.failure import PathEnd
from argus_smt.capture.frames import ENGINE, USER, asked_by_user, kind, outside_engine
from argus_smt.capture.indexing import indexing
from argus_smt.capture.keys import hash_of
from argus_smt.capture.layouts import contiguity
from argus_smt.capture.library import registering
from argus_smt.capture.oracle import frame_span
from argus_smt.capture.picked import as_list
from argus_smt.capture.texts import harmless, reads_attribute
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
_MAPPINGS = ("os.py", "_collections_abc.py", "<frozen os>", "<frozen _collections_abc>")
"""Files of Python that hand a reading of the environment on."""


@contextlib.contextmanager
def machine(tell: Tell = lambda text: None) -> Iterator[None]:
    """Answers about the device come from the target's table; `tell` hears what the user's code was told."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(patched(torch.cuda, **_cuda(tell)))
        stack.enter_context(patched(driver, _active=_driver(tell)))
        stack.enter_context(environment(tell))
        stack.enter_context(patched(torch, compile=_uncompiled))
        stack.enter_context(patched(torch._C, _cuda_getCurrentRawStream=lambda *a: 0))
        stack.enter_context(patched(functools, **caches.patches()))
        stack.enter_context(registering())
        yield


@contextlib.contextmanager
def environment(tell: Tell) -> Iterator[None]:
    """Tell of the environment variables that the user's code reads."""
    owner = type(os.environ)
    plain = owner.__getitem__

    def read(self: Any, key: Any) -> Any:
        frame = sys._getframe(1)
        while frame.f_back is not None and frame.f_code.co_filename.endswith(_MAPPINGS):
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


def _telling(tell: Tell) -> Callable[[str, Any], Any]:
    """Hands on an answer about the machine, and tells of it if the user's code asked."""

    def told(name: str, value: Any) -> Any:
        if asked_by_user():
            tell(f"{name} = {value} ({target.GFX942['name']})")
        return value

    return told


def _cuda(tell: Tell) -> dict[str, Any]:
    told = _telling(tell)
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
        "is_current_stream_capturing": lambda: False,
        "is_bf16_supported": lambda *a, **k: True,
        "current_device": lambda: 0,
        "get_device_properties": lambda *a: target.Answers(target.GFX942, told),
        "get_device_capability": lambda *a: told("device capability", (target.GFX942["major"], target.GFX942["minor"])),
        "get_device_name": lambda *a: told("device name", target.GFX942["name"]),
        "current_stream": lambda *a: stream,
        "default_stream": lambda *a: stream,
        "synchronize": _nothing,
        "empty_cache": _nothing,
        "set_device": _nothing,
        "device": _Device,
        "device_of": null,
        "stream": null,
        "mem_get_info": lambda *a: (told("free memory", target.GFX942["total_memory"]),) * 2,
    }


class _Device(contextlib.nullcontext[None]):
    """The only device, as a context."""

    idx, prev_idx = 0, -1

    def __init__(self, *device: Any) -> None:
        super().__init__()


def _uncompiled(function: Any = None, **options: Any) -> Any:
    """`torch.compile`: what is compiled means what is written."""
    return function if function is not None else lambda f: f


def _nothing(*args: Any, **kwargs: Any) -> None:
    return None


def _driver(tell: Tell) -> Any:
    told = _telling(tell)
    answer = {"backend": target.BACKEND, "arch": target.ARCH, "warp_size": target.WARP}

    def current_target() -> Any:
        for name, value in answer.items():
            told(name, value)
        return GPUTarget(target.BACKEND, target.ARCH, target.WARP)

    return SimpleNamespace(
        get_current_target=current_target,
        get_active_torch_device=lambda: torch.device("cuda", 0),
        get_current_device=lambda: 0,
        set_current_device=_nothing,
        get_current_stream=lambda *a: 0,
        get_device_capability=lambda *a: told("device capability", (9, 4)),
        get_device_interface=lambda: torch.cuda,
        get_empty_cache_for_benchmark=_nothing,
        clear_cache=_nothing,
        get_benchmarker=lambda: lambda fn, **k: [0.0, 0.0, 0.0],
        map_python_to_cpp_type=str,
        utils=SimpleNamespace(get_device_properties=lambda *a: target.AnswersByKey(target.driver_properties(), told)),
    )


# ---------------------------------------------------------------- symbols


@contextlib.contextmanager
def symbolic(world: World) -> Iterator[None]:
    """Partial functions ask before they divide; summaries; addresses; contents that the host may not read."""
    numbers.Integral.register(torch.SymInt)
    numbers.Real.register(torch.SymFloat)
    with contextlib.ExitStack() as stack:
        stack.enter_context(patched(torch.SymInt, **_divisions(world)))
        for symbol in (torch.SymInt, torch.SymFloat, torch.SymBool):
            stack.enter_context(patched(symbol, **_guarded(world, symbol)))
        stack.enter_context(patched(torch.SymInt, **_missing(world, torch.SymInt, int)))
        stack.enter_context(patched(torch.SymFloat, **_missing(world, torch.SymFloat, float)))
        stack.enter_context(patched(torch.SymFloat, __bool__=lambda self: bool(self != 0.0)))
        stack.enter_context(patched(random, **_random(world)))
        stack.enter_context(patched(triton.next_power_of_2, fn=world.next_power_of_2))
        stack.enter_context(
            patched(
                torch.Tensor,
                data_ptr=lambda self: _address(world, self),
                nbytes=property(lambda self: self.numel() * self.element_size()),
            )
        )
        stack.enter_context(
            patched(
                FakeTensor,
                tolist=lambda self: as_list(world, self),
                device=property(_shown(world)),
                **_views(world),
                **indexing(world),
            )
        )
        stack.enter_context(descriptors.asking(world))
        stack.enter_context(patched(torch.library, wrap_triton=lambda kernel: kernel))
        stack.enter_context(PretendDevice(lambda a, b: _equal(world, a, b)))
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


def _guarded(world: World, symbol: type) -> dict[str, Any]:
    """No hash of a symbol and no text of one may decide anything: both would differ for the number it stands for."""
    plain_hash: Any = symbol.__hash__
    plain_text: Any = symbol.__repr__

    def hash_(self: Any) -> int:
        frame = sys._getframe(1)
        if kind(frame.f_code.co_filename) == ENGINE:
            return int(plain_hash(self))
        return hash_of(world, self, frame)

    def text(self: Any, *spec: str) -> str:
        frame = sys._getframe(1)
        if kind(frame.f_code.co_filename) != ENGINE and not harmless(frame):
            span, _ = world.oracle.asker()
            world.oracle.stop(PathEnd(f"line {span.line} turns a size into text", span))
        return str(plain_text(self))

    plain_equal: Any = symbol.__eq__

    def equal(self: Any, other: Any) -> Any:
        if symbol is torch.SymBool:
            return bool(self) == other
        if symbol is torch.SymInt and isinstance(other, bool | float):  # as keys of tables may be
            return plain_equal(self, int(other)) if float(other).is_integer() else False
        return plain_equal(self, other)

    def differs(self: Any, other: Any) -> Any:
        return not equal(self, other)

    told = {"__hash__": hash_, "__str__": text, "__repr__": text, "__format__": text, "__eq__": equal}
    return told | ({"__ne__": differs} if symbol is torch.SymBool else {})


def _missing(world: World, symbol: type, number: type) -> dict[str, Any]:
    """Attributes that numbers have and torch's symbols lack: those that say nothing, and the end of the path for others."""

    def unknown(name: str) -> Any:
        def method(self: Any, *args: Any, **kwargs: Any) -> Any:
            span, _ = world.oracle.asker()
            world.oracle.stop(PathEnd(f"line {span.line} uses `{name}` of a number that is symbolic", span))

        return method

    known: dict[str, Any] = {
        "real": property(lambda self: self), "imag": property(lambda self: 0), "conjugate": lambda self: self,
        "numerator": property(lambda self: self), "denominator": property(lambda self: 1),
    }  # fmt: skip
    lacking = [n for n in dir(number) if not hasattr(symbol, n) and not n.startswith("__")]
    return {n: known.get(n, unknown(n)) for n in lacking}


def _random(world: World) -> dict[str, Any]:
    """Random integers are symbols; other draws of the user's code end the path."""

    def draw(lower: Any, upper: Any) -> Any:
        frame = outside_engine()
        line = frame_span(frame).line if frame is not None else 0
        if isinstance(lower, int) and isinstance(upper, int) and lower <= upper:
            return world.data("random", lower, upper, f"a random number drawn at line {line}")
        return refuse()

    def refuse() -> Any:
        span, _ = world.oracle.asker()
        world.oracle.stop(PathEnd(f"line {span.line} depends on random numbers", span))

    def instead(name: str, mine: Callable[..., Any]) -> Callable[..., Any]:
        plain = getattr(random, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            return mine(*args, **kwargs) if asked_by_user() else plain(*args, **kwargs)

        return call

    drawn: dict[str, Callable[..., Any]] = {
        "randint": draw,
        "randrange": lambda a, b=None, step=1: draw(0 if b is None else a, (a if b is None else b) - 1)
        if step == 1 else refuse(),
        "getrandbits": lambda k: draw(0, (1 << k) - 1),
    }  # fmt: skip
    others = ("random", "uniform", "choice", "choices", "sample", "shuffle", "gauss", "normalvariate", "triangular",
              "betavariate", "expovariate", "randbytes")  # fmt: skip
    return {n: instead(n, f) for n, f in drawn.items()} | {n: instead(n, lambda *a, **k: refuse()) for n in others}


def _ask_divisor(world: World, by: Any) -> None:
    if not isinstance(by, torch.SymInt):
        return
    span, _ = world.oracle.asker()
    divisor = world.terms((by,), "a divisor", span)[0]
    if not world.oracle.decide(T.ne(divisor, 0), "division", span):
        world.oracle.failed_check = world.oracle.decisions[-1] if world.oracle.decisions else None
        raise ZeroDivisionError("integer division or modulo by zero")


def _address(world: World, tensor: torch.Tensor) -> Any:
    """A symbol for the start of the storage, plus the view's offset.

    Allocations of the launcher are aligned to 16 bytes or more, tensors of its caller (which may be views) to one element.
    """
    key = storage_key(tensor)
    bases = world.addresses
    if key not in bases:
        unit = tensor.element_size() if key in world.storages else 16
        bases[key] = world.data("address", 0, None, f"address of a tensor, in units of {unit} bytes") * unit
    return bases[key] + tensor.storage_offset() * tensor.element_size()


def _views(world: World) -> dict[str, Any]:
    """What a fake tensor says of itself as if it were no view and needed no gradient; the user is told so."""

    def noted(name: str, text: str) -> Any:
        plain = getattr(torch.Tensor, name)

        def method(self: Any, *args: Any, **kwargs: Any) -> Any:
            if asked_by_user():
                world.registry.tell(text)
            return plain(self, *args, **kwargs)

        return method

    gradient: Any = torch.Tensor.requires_grad

    def needs(self: Any) -> Any:
        if asked_by_user():
            world.registry.tell("tensor arguments require no gradient")
        return gradient.__get__(self)

    whole = "tensor arguments start where their storage starts, and fill it"
    return {
        "storage_offset": noted("storage_offset", whole),
        "untyped_storage": noted("untyped_storage", whole),
        **contiguity(world),
        "requires_grad": property(needs, lambda self, value: gradient.__set__(self, value)),
    }


def _equal(world: World, a: torch.Tensor, b: torch.Tensor) -> bool:
    """`torch.equal`: not for different shapes, else whatever the data says."""
    if a.dim() != b.dim() or any(bool(m != n) for m, n in zip(a.shape, b.shape, strict=True)):
        return False
    line = world.oracle.asker()[0].line
    return bool(world.data("equal", 0, 1, f"whether the tensors at line {line} are equal", "unfollowed") == 1)


def _shown(world: World) -> Callable[[Any], torch.device]:
    def device(self: Any) -> torch.device:
        shown = shown_device(self)
        if shown.type == "cuda" and asked_by_user() and reads_attribute(outside_engine(), "index"):
            world.registry.tell("all tensors are on device 0")
        return shown

    return device
