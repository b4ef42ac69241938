"""The user's code on real tensors of the CPU: kernels are not launched, and the machine is the one of `target.py`."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

import torch
import triton
from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITFunction

from argus_smt.capture import hosts
from argus_smt.capture.device import PretendDevice
from argus_smt.capture.frames import ENGINE, kind

_SHOWN = torch.device("cuda", 0)
Launched = Callable[[Any, dict[str, Any]], None]
"""Called for each launch with the kernel and its arguments by name."""


class TooLong(BaseException):
    """The time for a run is over. Not an Exception: `except Exception` in user code must not swallow it."""


@contextlib.contextmanager
def concrete(launched: Launched, seconds: float) -> Iterator[None]:
    """While this holds, launches only call `launched`, and tensors say that they are on the device.

    Raises TooLong after `seconds`.
    """

    def run(fn: Any, *args: Any, grid: Any = None, warmup: bool = False, **kwargs: Any) -> None:
        names = [p.name for p in fn.params]
        launched(fn, {**dict(zip(names, args, strict=False)), **{k: v for k, v in kwargs.items() if k in names}})

    def tune(tuner: Any, *args: Any, **kwargs: Any) -> None:
        run(_innermost(tuner), *args, **kwargs)

    def once(fn: Callable[[], Any], *args: Any, **kwargs: Any) -> float:
        fn()
        return 1.0

    with contextlib.ExitStack() as stack:
        stack.enter_context(hosts.machine())
        stack.enter_context(hosts.patched(JITFunction, run=run))
        stack.enter_context(hosts.patched(Autotuner, run=tune))
        stack.enter_context(hosts.patched(triton.testing, do_bench=once, do_bench_cudagraph=once))
        stack.enter_context(_Device())
        stack.enter_context(_ends_after(seconds))
        yield


def _innermost(kernel: Any) -> Any:
    while not isinstance(kernel, JITFunction):
        kernel = kernel.fn
    return kernel


class _Device(PretendDevice):
    """Real tensors say where they would be, outside of torch."""

    def __init__(self) -> None:
        super().__init__(lambda a, b: a.shape == b.shape and bool((a == b).all()))

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        asked = func is torch.Tensor.device.__get__
        if asked and kind(sys._getframe(1).f_code.co_filename) != ENGINE:
            return _SHOWN
        return super().__torch_function__(func, types, args, kwargs)


@contextlib.contextmanager
def _ends_after(seconds: float) -> Iterator[None]:
    def ring(*_: Any) -> None:
        raise TooLong

    old = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
