"""The fixed part of a reproduction: text of a test module that needs torch, triton and pytest, but not Argus."""

from __future__ import annotations

BODY = '''
import os

os.environ["TRITON_INTERPRET"] = "1"  # must be set before triton is imported
os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")

import functools
import importlib.util
import inspect
import linecache
import mmap
import sys

import numpy as np
import torch
import triton
import triton.language as tl
import triton.runtime.interpreter as interpreter
from torch.overrides import TorchFunctionMode
from triton.runtime.autotuner import Autotuner

GUARD = 1 << 32  # address space before and after each tensor, reserved but never used
SMALL = 1 << 26  # bytes up to which memory is filled with a pattern
ALL_PROGRAMS = 4096  # a larger grid runs the failing program only
POISON = 0xA5
DTYPES = {
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
    "f8e4m3fn": torch.float8_e4m3fn, "f8e4m3fnuz": torch.float8_e4m3fnuz, "f8e5m2": torch.float8_e5m2,
    "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
    "u8": torch.uint8, "u16": torch.uint16, "u32": torch.uint32, "u64": torch.uint64, "bool": torch.bool,
}
FAULTS = []  # what went wrong, one line each
SPANS = []  # (first byte, end) of what the running kernel may touch
REGIONS = []  # guarded memory: (first byte, end)
BUILDER = interpreter.InterpreterBuilder


def guarded(size, stride, dtype, poisoned=True):
    """A tensor in the middle of reserved address space, so that a stray address lands in no other tensor."""
    item = torch.empty((), dtype=dtype).element_size()
    count = sum((n - 1) * s for n, s in zip(size, stride)) + 1 if all(size) else 0
    nbytes = max(1, count) * item
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0x4000)
    region = mmap.mmap(-1, 2 * GUARD + nbytes, flags=flags)
    flat = torch.frombuffer(region, dtype=torch.uint8, count=nbytes, offset=GUARD)
    if poisoned and nbytes <= SMALL:
        flat.fill_(POISON)
    REGIONS.append((flat.data_ptr(), flat.data_ptr() + nbytes))
    return torch.as_strided(flat.view(dtype), size, stride)


def argument(kind, name, *rest):
    """One argument of the call: a plain value, or a tensor with the contents of the counterexample."""
    if kind == "value":
        return rest[0]
    if kind in ("list", "tuple"):
        items = [argument(*item) for item in rest[0]]
        return tuple(items) if kind == "tuple" else items
    dtype, shape, strides, role, fill, contents = rest
    tensor = guarded(shape, strides, DTYPES[dtype], poisoned=role in ("out", "uninit"))
    extent = sum((n - 1) * s for n, s in zip(shape, strides)) + 1 if all(shape) else 0
    memory = torch.as_strided(tensor, (extent,), (1,))
    if role not in ("out", "uninit") and extent * tensor.element_size() <= SMALL:
        if fill == "index":
            memory.copy_(torch.arange(extent).to(memory.dtype))
        else:
            memory.fill_(fill)
    for place, value in contents.items():
        memory[place] = value
    return tensor


class OnCpu(TorchFunctionMode):
    """Sends every device to the CPU, and gives new tensors guarded memory."""

    MAKERS = (torch.empty, torch.empty_like, torch.zeros, torch.zeros_like, torch.empty_strided)
    METHODS = (torch.Tensor.new_empty, torch.Tensor.new_zeros)

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if kwargs.get("device") is not None:
            kwargs["device"] = "cpu"
        if func is torch.Tensor.cuda:
            return args[0]
        if func in self.MAKERS or func in self.METHODS:
            plan = func(*args, **{**kwargs, "device": "meta", "pin_memory": False})
            zeros = func in (torch.zeros, torch.zeros_like, torch.Tensor.new_zeros)
            return guarded(tuple(plan.shape), tuple(plan.stride()), plan.dtype, poisoned=not zeros)
        return func(*args, **kwargs)


def twin(storage):
    """A guarded copy of a storage that torch allocated by itself."""
    copy = guarded((storage.nbytes(),), (1,), torch.uint8, poisoned=False)
    copy.copy_(torch.empty(0, dtype=torch.uint8).set_(storage))
    return copy


def is_guarded(tensor):
    return any(first <= tensor.data_ptr() <= end for first, end in REGIONS)


def place():
    """Line of the user's file that runs now, with its text."""
    frame = sys._getframe(1)
    while frame is not None:
        if os.path.basename(frame.f_code.co_filename) == os.path.basename(FILE):
            return frame.f_lineno, linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
        frame = frame.f_back
    return 0, ""


def inside(pointers, mask, nbytes, what):
    """The lanes that may be accessed; an unmasked lane outside every argument of the kernel is a fault."""
    addresses = np.asarray(pointers).astype(np.uint64)
    live = np.broadcast_to(np.asarray(mask).astype(bool), addresses.shape)
    good = np.zeros(addresses.shape, dtype=bool)
    for first, end in SPANS:
        good |= (addresses >= np.uint64(first)) & (addresses + np.uint64(nbytes) <= np.uint64(end))
    bad = live & ~good
    if bad.any():
        element = [int(i) for i in np.argwhere(bad)[0]] if bad.ndim else []
        line, text = place()
        where = f"program {PROGRAM_NOW[0]}, element {element}"
        FAULTS.append(f"line {line}: {what} outside every argument, {where}: {text}")
    return np.ascontiguousarray(live & good)


PROGRAM_NOW = [()]
_load, _store = BUILDER.create_masked_load, BUILDER.create_masked_store
_rmw, _cas = BUILDER.create_atomic_rmw, BUILDER.create_atomic_cas


def item(handle):
    return np.dtype(interpreter._get_np_dtype(handle.get_element_ty())).itemsize


def masked(like, lanes):
    return interpreter.TensorHandle(lanes, like.dtype if like is not None else tl.int1)


def create_masked_load(self, ptrs, mask, *rest):
    lanes = inside(ptrs.data, mask.data, item(ptrs), "load")
    return _load(self, ptrs, masked(mask, lanes), *rest)


def create_masked_store(self, ptrs, value, mask, *rest):
    lanes = inside(ptrs.data, mask.data, item(ptrs), "store")
    return _store(self, ptrs, value, masked(mask, lanes), *rest)


def create_atomic_rmw(self, op, ptr, val, mask, *rest):
    lanes = inside(ptr.data, mask.data, item(ptr), "atomic")
    return _rmw(self, op, ptr, val, masked(mask, lanes), *rest)


def create_atomic_cas(self, ptr, cmp, val, *rest):
    lanes = inside(ptr.data, np.ones(np.shape(ptr.data), dtype=bool), item(ptr), "atomic")
    return _cas(self, ptr, cmp, val, *rest) if lanes.all() else interpreter.TensorHandle(cmp.data, cmp.dtype.scalar)


def watched(name, faulty, what):
    """Operation `name`, recorded as a fault at the reported line if `faulty(lhs, rhs)`."""
    original = getattr(BUILDER, name)

    def operation(self, lhs, rhs):
        line, text = place()
        if text == LINE_TEXT and faulty(np.asarray(lhs.data), np.asarray(rhs.data)):
            FAULTS.append(f"line {line}: {what}, program {PROGRAM_NOW[0]}: {text}")
        return original(self, lhs, rhs)

    setattr(BUILDER, name, operation)


def wraps(function):
    def faulty(lhs, rhs):
        if lhs.dtype != np.int32 or rhs.dtype != np.int32:
            return False
        wide = function(lhs.astype(np.int64), rhs.astype(np.int64))
        return bool(((wide > 2**31 - 1) | (wide < -(2**31))).any())

    return faulty


def not_multiple(handle, values):
    """Whether a scalar, or the first element along each dimension, is no multiple of what the hint promises."""
    first = np.asarray(handle.data).reshape(-1)[:1].astype(np.int64)
    return bool(len(values)) and bool((first % int(values[0])).any())


class Hinted(interpreter.TensorHandle):
    """Only a place for `set_attr`: a false divisibility hint is a fault."""

    original = interpreter.TensorHandle.set_attr

    def check(self, key, value):
        if key == "tt.divisibility" and not_multiple(self, list(value)):
            FAULTS.append("line %d: the hint is false: %s" % place())
        return Hinted.original(self, key, value)


class Executor(interpreter.GridExecutor):
    """Runs a grid like Triton's own executor, over guarded memory."""

    def __call__(self, *args, **kwargs):
        known = inspect.getfullargspec(self.fn)
        kwargs = {k: v for k, v in kwargs.items() if k in known.args or k in known.kwonlyargs}
        twins = {}
        arguments = {k: self.host(v, twins) for k, v in inspect.getcallargs(self.fn, *args, **kwargs).items()}
        tensors = [v for v in arguments.values() if isinstance(v, torch.Tensor)]
        SPANS[:] = [span(t) for t in tensors if t.numel()]
        scope = interpreter._patch_lang(self.fn)
        try:
            converted = {
                k: v if k in self.constexprs else interpreter._implicit_cvt(v) for k, v in arguments.items()
            }
            grid = tuple(self.grid(arguments) if callable(self.grid) else self.grid)
            self.programs(grid + (1,) * (3 - len(grid)), converted)
        finally:
            if scope is not None:
                scope.restore()
        for storage, copy in twins.values():
            torch.empty(0, dtype=torch.uint8).set_(storage).copy_(copy)

    def host(self, value, twins):
        if not isinstance(value, torch.Tensor) or is_guarded(value):
            return value
        storage = value.untyped_storage()
        if storage.nbytes() == 0 or storage.nbytes() > SMALL:
            return value
        if storage.data_ptr() not in twins:
            twins[storage.data_ptr()] = (storage, twin(storage))
        copy = twins[storage.data_ptr()][1]
        start = value.storage_offset() * value.element_size()
        stop = start + (span(value)[1] - span(value)[0])
        if (copy.data_ptr() + start) % value.element_size():
            return value
        return torch.as_strided(copy[start:stop].view(value.dtype), value.shape, value.stride())

    def programs(self, grid, arguments):
        interpreter.interpreter_builder.set_grid_dim(*grid)
        count = grid[0] * grid[1] * grid[2]
        if count > ALL_PROGRAMS:
            chosen = [p for p in (PROGRAM, (0, 0, 0)) if all(i < n for i, n in zip(p, grid))]
        else:
            chosen = np.ndindex(*grid)
        for program in chosen:
            PROGRAM_NOW[0] = tuple(program)
            interpreter.interpreter_builder.set_grid_idx(*program)
            self.fn(**arguments)


def span(tensor):
    last = sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride())) if tensor.numel() else -1
    return tensor.data_ptr(), tensor.data_ptr() + (last + 1) * tensor.element_size()


def every_config(self, *args, **kwargs):
    """An autotuned kernel runs once with each of its configurations."""
    self.nargs = dict(zip(self.arg_names, args))
    for config in self.configs:
        if config.pre_hook is not None:
            config.pre_hook({**self.nargs, **kwargs, **config.all_kwargs()})
        self.fn.run(*args, **{**kwargs, **config.all_kwargs()})


def install():
    """Put the watching operations in the place of Triton's."""
    for operation in (create_masked_load, create_masked_store, create_atomic_rmw, create_atomic_cas):
        setattr(BUILDER, operation.__name__, operation)
    if CODE == "AR303":
        for name, function in (("create_mul", np.multiply), ("create_add", np.add), ("create_sub", np.subtract)):
            watched(name, wraps(function), "32-bit arithmetic wraps")
    if CODE == "AR305":
        for name in ("create_idiv", "create_sdiv", "create_udiv", "create_srem", "create_urem"):
            if hasattr(BUILDER, name):
                watched(name, lambda lhs, rhs: rhs.dtype.kind in "iu" and bool((rhs == 0).any()), "division by zero")
    if CODE == "AR306":
        interpreter.TensorHandle.set_attr = Hinted.check
    interpreter.GridExecutor = Executor
    Autotuner.run = every_config


def load_module():
    spec = importlib.util.spec_from_file_location("module_under_test", FILE)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, os.path.dirname(FILE))
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def by_place(function, arguments):
    """The arguments of an autograd function's `apply`, in the order of its `forward`."""
    parameters = list(inspect.signature(function.forward).parameters.values())
    if "setup_context" not in vars(function):
        parameters = parameters[1:]
    bound = inspect.Signature(parameters).bind(**arguments)
    bound.apply_defaults()
    return bound.args


def call(target, arguments):
    """Call a launcher; items of `*xs`, and what stands before it, go by place."""
    parameters = list(inspect.signature(target).parameters.values())
    star = next((i for i, p in enumerate(parameters) if p.kind is p.VAR_POSITIONAL and p.name in arguments), None)
    if star is None:
        return target(**arguments)
    before = [arguments.pop(p.name, p.default) for p in parameters[:star]]
    return target(*before, *arguments.pop(parameters[star].name), **arguments)


def test_counterexample():
    install()
    with OnCpu():
        module = load_module()
        arguments = {entry[1]: argument(*entry) for entry in ARGUMENTS}
        target = functools.reduce(getattr, LAUNCHER.split("."), module)
        owner = getattr(target, "__self__", None)
        if isinstance(owner, type) and target.__name__ == "apply" and hasattr(owner, "forward"):
            target(*by_place(owner, arguments))
        elif GRID is None:
            call(target, arguments)
        else:
            target[GRID](**arguments)
    assert not FAULTS, "\\n".join(FAULTS[:20])
'''
