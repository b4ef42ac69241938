"""Child process of the oracle: runs launchers in Triton's interpreter and checks every lane of every access.

It shares no line with Argus. Jobs come pickled on stdin, outcomes go pickled to stdout (see `jobs.py`). Lanes of a
masked load without a fill value, and lanes that leave their tensor, read a poison pattern.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pickle
import sys
import warnings
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    os.environ["TRITON_INTERPRET"] = "1"
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
import torch
import triton.language as tl
import triton.runtime.interpreter as interpreter

from tests.oracle.guarded_memory import Array, GuardedMemory
from tests.oracle.jobs import Event, Job, Outcome
from tests.oracle.tensors import behind, made

Handle = interpreter.TensorHandle
Builder = interpreter.InterpreterBuilder


class Run:
    """State of the job that is running."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.memory = GuardedMemory()
        self.events: dict[tuple[Any, ...], Event] = {}
        self.names: dict[int, str] = {}

    def line(self) -> int:
        """Line of the user's file that is being executed."""
        frame = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename == self.job.file:
                return frame.f_lineno
            frame = frame.f_back  # type: ignore[assignment]
        return 0

    def report(self, kind: str, lane: int, tensor: str = "", offset: int | None = None) -> None:
        x, y, z = interpreter.interpreter_builder.grid_idx
        event = Event(kind, self.line(), (int(x), int(y), int(z)), lane, tensor, offset)
        key: tuple[Any, ...] = (kind, event.line, event.program)
        self.events.setdefault(key if self.job.first_lane_only else (*key, lane, len(self.events)), event)


RUN: list[Run] = []


def poisoned(dtype: Any, shape: tuple[int, ...]) -> Array:
    """A tile of values that a right kernel never lets out."""
    if np.issubdtype(dtype, np.floating):
        return np.full(shape, np.nan, dtype)
    if dtype == np.bool_:
        return np.ones(shape, dtype)
    return np.full(shape, np.frombuffer(b"\x5a" * dtype.itemsize, dtype)[0])


def masked_load(_self: Any, pointers: Any, mask: Any, other: Any, *_rest: Any, **_named: Any) -> Any:
    kind = pointers.get_element_ty()
    dtype = np.dtype(interpreter._get_np_dtype(kind))
    shape = pointers.data.shape
    live = np.broadcast_to(np.asarray(mask.data).astype(bool), shape)
    out = poisoned(dtype, shape)
    if other is not None:
        out = np.where(live, out, np.broadcast_to(other.data, shape)).astype(dtype)
    flat = np.ascontiguousarray(out).reshape(-1)
    index, offset = RUN[-1].memory.check("oob_read", pointers.data, live, dtype.itemsize, RUN[-1].report)
    RUN[-1].memory.read(index, offset, flat)
    return Handle(flat.reshape(shape), kind)


def masked_store(_self: Any, pointers: Any, value: Any, mask: Any, *_rest: Any, **_named: Any) -> None:
    values = np.broadcast_to(value.data, pointers.data.shape).reshape(-1)
    memory = RUN[-1].memory
    index, offset = memory.check("oob_write", pointers.data, mask.data, values.dtype.itemsize, RUN[-1].report)
    memory.write(index, offset, values)


COMBINE: dict[str, Any] = {
    "ADD": np.add, "FADD": np.add, "MIN": np.minimum, "UMIN": np.minimum, "MAX": np.maximum, "UMAX": np.maximum,
    "AND": np.bitwise_and, "OR": np.bitwise_or, "XOR": np.bitwise_xor, "XCHG": lambda _old, new: new,
}  # fmt: skip


def update(pointers: Any, live: Array, values: Array, combine: Any) -> Array:
    """Read, combine and write back lane by lane; gives the old values."""
    memory = RUN[-1].memory
    item = values.dtype.itemsize
    index, offset = memory.check("oob_atomic", pointers.data, live, item, RUN[-1].report)
    old = poisoned(values.dtype, (values.size,))
    flat = values.reshape(-1)
    for lane in np.flatnonzero(index >= 0):
        cell = old[lane : lane + 1]
        memory.read(index[lane : lane + 1], offset[lane : lane + 1], cell)
        new = np.asarray(combine(cell, flat[lane : lane + 1], lane)).astype(values.dtype)
        memory.write(index[lane : lane + 1], offset[lane : lane + 1], new)
    return old.reshape(values.shape)


def atomic_rmw(_self: Any, fn: Any, pointers: Any, value: Any, mask: Any, *_rest: Any) -> Any:
    values = np.broadcast_to(value.data, pointers.data.shape)
    combine = COMBINE[fn.name]
    return Handle(update(pointers, mask.data, values, lambda a, b, _lane: combine(a, b)), value.dtype.scalar)


def atomic_cas(_self: Any, pointers: Any, compare: Any, value: Any, *_rest: Any) -> Any:
    values = np.broadcast_to(value.data, pointers.data.shape)
    wanted = np.broadcast_to(compare.data, pointers.data.shape).reshape(-1)
    live = np.ones(pointers.data.shape, dtype=bool)
    old = update(pointers, live, values, lambda a, b, lane: np.where(a == wanted[lane], b, a))
    return Handle(old, compare.dtype.scalar)


def assume(_self: Any, condition: Any, *_rest: Any) -> None:
    data = np.asarray(condition.data if hasattr(condition, "data") else condition)
    for lane in np.flatnonzero(~data.astype(bool).reshape(-1)):
        RUN[-1].report("false_assumption", int(lane))


def checked_division(plain: Any) -> Any:
    def divide(self: Any, lhs: Any, rhs: Any) -> Any:
        shape = np.broadcast_shapes(lhs.data.shape, rhs.data.shape)
        zero = np.broadcast_to(rhs.data == 0, shape)
        for lane in np.flatnonzero(zero):
            RUN[-1].report("div_by_zero", int(lane))
        safe = Handle(np.where(rhs.data == 0, np.ones_like(rhs.data), rhs.data), rhs.dtype)
        return plain(self, lhs, safe)

    return divide


def checked_shift(plain: Any) -> Any:
    def shift(self: Any, lhs: Any, rhs: Any) -> Any:
        width = lhs.data.dtype.itemsize * 8
        for lane in np.flatnonzero((rhs.data < 0) | (rhs.data >= width)):
            RUN[-1].report("bad_shift", int(lane))
        return plain(self, lhs, rhs)

    return shift


def checked_width(plain: Any, wide: Any) -> Any:
    def compute(self: Any, lhs: Any, rhs: Any) -> Any:
        if lhs.data.dtype == np.int32 and rhs.data.dtype == np.int32:
            exact = wide(lhs.data.astype(np.int64), rhs.data.astype(np.int64))
            for lane in np.flatnonzero(exact != exact.astype(np.int32)):
                RUN[-1].report("wrap", int(lane))
        return plain(self, lhs, rhs)

    return compute


def convert(arg: Any) -> Any:
    """Triton's implicit conversion of arguments, with tensors at guarded addresses."""
    if not isinstance(arg, torch.Tensor):
        return PLAIN_CONVERT(arg)
    kind = PLAIN_CONVERT(arg).dtype
    for place, member in enumerate(behind(arg)):
        arg[place] = RUN[-1].memory.address_of(member, f"entry {place}")
    address = RUN[-1].memory.address_of(arg, RUN[-1].names.get(id(arg), f"tensor {tuple(arg.shape)}"))
    return tl.tensor(Handle(np.array([address], dtype=np.uint64), kind), kind)


def hosts(self: Any, args: Any, kwargs: Any) -> Any:
    """Arguments are on the CPU already; remember how the kernel calls them."""
    RUN[-1].memory.forget_spans()
    for name, arg in [*zip(self.arg_names, args, strict=False), *kwargs.items()]:
        RUN[-1].names[id(arg)] = name
    return args, kwargs


PLAIN_CONVERT = interpreter._implicit_cvt


def install() -> None:
    """Put the checks into Triton's interpreter, for the rest of this process."""
    interpreter._implicit_cvt = convert
    interpreter.GridExecutor._init_args_hst = hosts
    interpreter.GridExecutor._restore_args_dev = lambda *_args: None
    Builder.create_masked_load, Builder.create_masked_store = masked_load, masked_store
    Builder.create_atomic_rmw, Builder.create_atomic_cas = atomic_rmw, atomic_cas
    Builder.create_assume = Builder.create_assert = assume
    for name in ("create_sdiv", "create_udiv", "create_srem", "create_urem"):
        setattr(Builder, name, checked_division(getattr(Builder, name)))
    for name in ("create_shl", "create_lshr", "create_ashr"):
        setattr(Builder, name, checked_shift(getattr(Builder, name)))
    for name, wide in (("create_add", np.add), ("create_sub", np.subtract), ("create_mul", np.multiply)):
        setattr(Builder, name, checked_width(getattr(Builder, name), wide))


def load(path: str, modules: dict[str, Any]) -> Any:
    """Module of a file, loaded once."""
    if path not in modules:
        spec = importlib.util.spec_from_file_location(f"job_{len(modules)}", path)
        assert spec is not None
        assert spec.loader is not None
        modules[path] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(modules[path])
    return modules[path]


def run(job: Job, modules: dict[str, Any]) -> Outcome:
    """Run one job to its end or to the exception that ends it."""
    state = Run(job)
    RUN.append(state)
    error = ""
    try:
        getattr(load(job.file, modules), job.launcher)(*map(made, job.args))
    except Exception as failed:  # noqa: BLE001 - whatever the user's code raises is an outcome
        error = f"{type(failed).__name__}: {failed}"
    finally:
        RUN.pop()
    return Outcome(tuple(state.events.values()), error)


def main() -> None:
    jobs = pickle.load(sys.stdin.buffer)
    warnings.simplefilter("ignore")
    install()
    modules: dict[str, Any] = {}
    with contextlib.redirect_stdout(sys.stderr):
        outcomes = tuple(run(job, modules) for job in jobs)
    sys.stdout.buffer.write(pickle.dumps(outcomes))


if __name__ == "__main__":
    main()
