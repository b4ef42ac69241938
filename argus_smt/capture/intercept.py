"""Catches launches: Triton's `JITFunction.run` and `Autotuner.run` hand their bound arguments to a recorder."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

import torch
from triton.backends.amd.compiler import HIPOptions
from triton.backends.nvidia.compiler import CUDAOptions
from triton.language.core import constexpr
from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITCallable, JITFunction
from triton.tools.tensor_descriptor import TensorDescriptor

from argus_smt.capture.content import content_key, holds_symbol, value_key
from argus_smt.capture.descriptors import described
from argus_smt.capture.failure import PathEnd
from argus_smt.capture.hosts import patched
from argus_smt.capture.ledger import Ledger, host_dtype
from argus_smt.capture.oracle import frame_span
from argus_smt.capture.placing import argument_spans
from argus_smt.capture.record import Argument, Constant, Integer, Pointer, Real, Record
from argus_smt.capture.tuning import is_measured, tuning_of
from argus_smt.capture.tuples import Nest, apart
from argus_smt.capture.warmup import Warmed
from argus_smt.capture.world import World, storage_key
from argus_smt.ir.launch import PointerArg, Tuning
from argus_smt.ir.types import element
from argus_smt.smt import term as T
from argus_smt.smt.term import Term
from argus_smt.source import Span

OPTIONS = {f.name for c in (HIPOptions, CUDAOptions) for f in dataclasses.fields(c)} | {"stream", "pre_hook"}
"""Keywords of a launch that are the compiler's and not the kernel's."""

TRITON_DTYPES = {
    torch.float16: "fp16", torch.bfloat16: "bf16", torch.float32: "fp32", torch.float64: "fp64",
    torch.float8_e4m3fn: "fp8e4nv", torch.float8_e4m3fnuz: "fp8e4b8", torch.float8_e5m2: "fp8e5",
    torch.float8_e5m2fnuz: "fp8e5b16",
    torch.int8: "i8", torch.int16: "i16", torch.int32: "i32", torch.int64: "i64", torch.bool: "i1",
    torch.uint8: "u8", torch.uint16: "u16", torch.uint32: "u32", torch.uint64: "u64",
}  # fmt: skip


class Recorder:
    """Collects the launches of one run."""

    def __init__(self, world: World, ledger: Ledger, file: str) -> None:
        self.world, self.ledger, self.file = world, ledger, file
        self.records: list[Record] = []
        self.config = ""
        self.tuning: Tuning | None = None

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """While this holds, launches come here."""
        recorder = self

        def run(fn: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
            if warmup:
                return Warmed(recorder.world, recorder.launch, fn, args, kwargs)
            recorder.launch(fn, args, kwargs, grid)
            return None

        def tune(tuner: Any, *args: Any, **kwargs: Any) -> None:
            recorder.tune(tuner, args, kwargs)

        with patched(JITFunction, run=run), patched(Autotuner, run=tune):
            yield

    # ------------------------------------------------------------ launches

    def launch(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], grid: Any) -> None:
        """Note one launch. Raises TypeError as Python and Triton do for arguments that do not fit."""
        signature = inspect.signature(fn.fn)
        names = set(signature.parameters)
        options = {k: v for k, v in kwargs.items() if k not in names}
        for k in options:
            if k not in OPTIONS:
                raise TypeError(f"{fn.__name__}() got an unexpected keyword argument '{k}'")
        bound = signature.bind(*args, **{k: v for k, v in kwargs.items() if k in names})
        bound.apply_defaults()
        if callable(grid):
            grid = grid(dict(bound.arguments))
        frame = self._frame()
        span = frame_span(frame) if frame is not None else _kernel_span(fn)
        taken = [(p, *apart(p.name, bound.arguments[p.name], bool(p.is_constexpr))) for p in fn.params]
        items = [(p, nest, name, value) for p, nest, leaves in taken for name, value in leaves]
        arguments = tuple((name, self._argument(p, nest, name, value, span)) for p, nest, name, value in items)
        self._name_storages(frame, bound.arguments)
        for tensor in (t for _, _, _, value in items if (t := _tensor(value)) is not None):
            self.ledger.forget(tensor, launched=True)
        self.ledger.launches += 1
        self.records.append(
            Record(
                fn.fn.__name__, fn, content_key(fn), _kernel_span(fn), span, self._grid(grid, span), arguments,
                tuple(o.storage for o in self.ledger.owners.values()), _plain(options), self.config,
                argument_spans(self.file, span, [p.name for p in fn.params], [name for name, _ in arguments]),
                tuning=self.tuning, nests=tuple((p.name, nest) for p, nest, _ in taken if nest is not None),
            )
        )  # fmt: skip

    def tune(self, tuner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Every configuration is an alternative: each sees the buffers as they were."""
        tuner.nargs = dict(zip(tuner.arg_names, args, strict=False))
        state = self.ledger.snapshot()
        outer, outer_tuning = self.config, self.tuning
        configs = list(tuner.prune_configs(kwargs))
        ends = []
        for config in configs:
            self.ledger.restore(state)
            values = {**tuner.nargs, **kwargs, **config.all_kwargs()}
            self.config = f"{outer} {_config_text(config)}".strip()
            before = self.ledger.snapshot()
            if config.pre_hook is not None:
                config.pre_hook(values)
            if is_measured(tuner, configs):
                self.tuning = tuning_of(tuner, len(configs), values, self.ledger, before)
            tuner.fn.run(*args, **{**kwargs, **config.all_kwargs()})
            ends.append(self.ledger.snapshot())
        self.ledger.join(ends)
        self.config, self.tuning = outer, outer_tuning
        tuner.nargs = None

    def _frame(self) -> Any:
        """The nearest frame of the user's file: it holds the launch."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != self.file:
            frame = frame.f_back
        return frame

    def _grid(self, grid: Any, span: Span) -> tuple[Term, Term, Term]:
        entries = tuple(grid) if isinstance(grid, tuple | list | torch.Size) else (grid,)
        if not 1 <= len(entries) <= 3:
            raise TypeError(f"a grid has one to three entries, not {len(entries)}")
        for e in entries:
            if not isinstance(e, int | torch.SymInt):
                raise TypeError(f"a grid entry is a {type(e).__name__}, not an integer")
        terms = self.world.terms(entries, "the grid", span)
        return (*terms, T.ONE, T.ONE)[:3]  # type: ignore[return-value]

    # ------------------------------------------------------------ arguments

    def _argument(self, param: Any, nest: Nest | None, name: str, value: Any, span: Span) -> Argument:
        """One parameter, or one item of a tuple of the form `nest`."""
        if nest is not None and _fixed(param):
            raise TypeError(f"`{param.name}` is a {_fixed(param)} by its annotation, not a tuple")
        constant = bool(param.is_constexpr) or isinstance(value, constexpr) or (nest is not None and nest.compiled)
        value = value.value if isinstance(value, constexpr) else value
        match value:
            case bool() | torch.SymBool():
                c = self.world.condition(value)
                if self.world.registry.floats.hides(c):
                    c = T.TRUE if value else T.FALSE  # asked as a branch would ask: a path for each answer
                return Integer(T.ite(c, T.ONE, T.ZERO), constant, True, _fixed(param))
            case int() | torch.SymInt():
                term = self.world.terms((value,), f"`{name}`", span)[0]
                return Integer(term, constant, False, _fixed(param), nest is not None or not param.do_not_specialize)
            case torch.Tensor() if not constant:
                return self._pointer(value, span)
            case TensorDescriptor() if not constant:
                return described(self.world, value, self._pointer(value.base, span), span)
            case torch.SymFloat() if constant:
                self._refuse(f"constexpr `{name}` is a float that depends on a size", span)
            case float() | torch.SymFloat() if not constant:
                return Real(_fixed(param) or "fp32", value if isinstance(value, float) else None)
            case str() if nest is not None and not constant:
                raise TypeError(f"`{name}` is a string, which a kernel takes as a constexpr alone")
            case None | str() | float():
                return Constant(value, repr(value))
            case torch.dtype():
                raise TypeError(f"`{name}` is a torch.dtype, which a kernel cannot take")
            case list() if not constant:
                raise TypeError(f"`{name}` is a list, which a kernel cannot take; a tuple it can")
            case _ if constant and holds_symbol(value):
                self._refuse(f"constexpr `{name}` is a {type(value).__name__} that holds a size", span)
            case JITCallable():
                return Constant(value, value_key(value))
            case _ if constant:
                return Constant(value, value_key(value))
            case _:
                self._refuse(f"`{name}` is a {type(value).__name__}, which is not supported", span)
        raise AssertionError

    def _refuse(self, reason: str, span: Span) -> None:
        self.world.oracle.stop(PathEnd(reason, span))

    def _pointer(self, t: torch.Tensor, span: Span) -> Pointer:
        if t.dtype not in TRITON_DTYPES:
            self._refuse(f"tensors of {t.dtype} are not supported", span)
        owner = self.ledger.owner(t)
        offset = self.world.terms((t.storage_offset(),), "an offset", span)[0]
        shape = self.world.terms(t.shape, "a size", span)
        strides = self.world.terms(t.stride(), "a stride", span)
        elem = element(host_dtype(t))
        arg = PointerArg(owner.storage.ident, elem.name, offset * elem.nbytes, shape, strides)
        return Pointer(arg, f"*{TRITON_DTYPES[t.dtype]}")

    def _name_storages(self, frame: Any, arguments: dict[str, Any]) -> None:
        """Allocations of the launcher are called as its variables are, or as the kernel's parameter."""
        for source in (frame.f_locals if frame is not None else {}, arguments):
            for name, value in ((n.replace(".", "_"), t) for k, v in source.items() for n, t in _tensors(k, v)):
                if storage_key(value) not in self.ledger.owners:
                    continue
                owner = self.ledger.owners[storage_key(value)]
                if not owner.storage.name:
                    owner.storage = dataclasses.replace(owner.storage, name=name)


def _tensors(name: str, value: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors among a value and the items of a tuple, with their names."""
    for n, v in apart(name, value, False)[1]:
        found = _tensor(v)
        if found is not None:
            yield n, found


def _tensor(value: Any) -> torch.Tensor | None:
    """A tensor, or the one that a descriptor describes."""
    value = value.base if isinstance(value, TensorDescriptor) else value
    return value if isinstance(value, torch.Tensor) else None


def _fixed(param: Any) -> str:
    return str(param.annotation_type or "")


def _plain(options: dict[str, Any]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((k, int(v)) for k, v in options.items() if isinstance(v, bool | int)))


def _config_text(config: Any) -> str:
    extra = {"num_warps": config.num_warps, "num_stages": config.num_stages}
    return ", ".join(f"{k}={v}" for k, v in {**config.kwargs, **extra}.items())


def _kernel_span(fn: Any) -> Span:
    code = fn.fn.__code__
    return Span(code.co_filename, fn.starting_line_number + _def_offset(fn))


def _def_offset(fn: Any) -> int:
    """Lines between the first decorator and `def`."""
    for i, line in enumerate(getattr(fn, "raw_src", ()) or ()):
        if line.lstrip().startswith("def "):
            return i
    return 0
